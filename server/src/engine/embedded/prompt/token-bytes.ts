// The bytes each ordinary token stands for. Marks (added tokens) have none: they are never text.

/** The parts of tokenizer.json that are read here; everything else is the tokenizer library's. */
export type TokenizerJson = {
  added_tokens?: { id: number; content: string; lstrip?: boolean; rstrip?: boolean }[]
  decoder?: unknown
  pre_tokenizer?: unknown
  model: { vocab: Record<string, number> } & Record<string, unknown>
} & Record<string, unknown>

export function tokenBytes(json: TokenizerJson): (Uint8Array | null)[] {
  if (Array.isArray(json.model.vocab))
    throw new Error('a vocabulary of weighted pieces is not known.')
  const marks = new Set(json.added_tokens?.map((token) => token.id))
  // What a text has where it cannot be spelled is no text either.
  const unknown = json.model.vocab[String(json.model.unk_token)]
  if (unknown !== undefined) marks.add(unknown)
  const spell = isByteLevel(json) ? byteLevelBytes : sentencePieceBytes
  const bytes: (Uint8Array | null)[] = []
  for (const [token, id] of Object.entries(json.model.vocab)) {
    bytes[id] = marks.has(id) ? null : spell(token)
  }
  for (const id of marks) bytes[id] = null
  return Array.from(bytes, (entry) => entry ?? null)
}

function isByteLevel(json: TokenizerJson): boolean {
  return JSON.stringify([json.decoder ?? null, json.pre_tokenizer ?? null]).includes('"ByteLevel"')
}

// Byte-level vocabularies write each byte as one printable character. The printable Latin-1 bytes stand for
// themselves and the others follow from U+0100 on.
const byteOfCharacter = new Map<string, number>()
{
  let spare = 0x100
  for (let byte = 0; byte < 256; byte++) {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    byteOfCharacter.set(String.fromCodePoint(printable ? byte : spare++), byte)
  }
}

function byteLevelBytes(token: string): Uint8Array {
  return Uint8Array.from(token, (character) => byteOfCharacter.get(character) ?? 0x3f)
}

const encoder = new TextEncoder()

function sentencePieceBytes(token: string): Uint8Array {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(token)?.[1]
  return byte ? Uint8Array.of(parseInt(byte, 16)) : encoder.encode(token.replaceAll('▁', ' '))
}
