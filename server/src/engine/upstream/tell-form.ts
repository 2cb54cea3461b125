// Whether an answer is a stream of records or one JSON text, by how it begins: what a server was asked for and what it says
// of its answer may both be wrong.
const brace = 0x7b
/** How the lines of a stream begin: `data`, `event`, `id`, `retry`, or the colon of a comment. */
const lineStarts = [...'deir:'].map((character) => character.charCodeAt(0))
/** White space, and the bytes of a byte order mark. */
const before = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]

/** Null where these bytes do not tell. */
export function tellForm(bytes: Buffer): 'stream' | 'whole' | null {
  const first = bytes.find((byte) => !before.includes(byte))
  if (first === brace) return 'whole'
  return first !== undefined && lineStarts.includes(first) ? 'stream' : null
}
