// Text to tokens and back for one model folder. Text never becomes a mark: only `mark` ids do, and only the
// code that renders templates asks for those.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as library from '@huggingface/tokenizers'
import { tokenBytes } from './token-bytes.ts'
import type { TokenizerJson } from './token-bytes.ts'

/** The library's own types do not resolve under this project's module settings. */
const Library = (library as Record<string, unknown>).Tokenizer as new (
  json: object,
  config: object,
) => { encode(text: string, options: object): { ids: (number | undefined)[] } }

export type Mark = { id: number; content: string; lstrip: boolean; rstrip: boolean }

export type Tokenizer = {
  /** One more than the highest token id. */
  vocabSize: number
  /** What each token id stands for; null for marks and unused ids. */
  bytes: readonly (Uint8Array | null)[]
  longestTokenBytes: number
  /** Added tokens by their spelling, such as an end-of-turn mark. */
  marks: ReadonlyMap<string, Mark>
  /** Whether a text begins with a space that is only there to begin it, and is left out when it is read. */
  dropsFirstSpace: boolean
  /** Ids of plain text, even where it spells a mark. Some vocabularies write what follows a mark differently. */
  encodeText(text: string, after?: 'nothing' | 'mark'): number[]
}

export async function openTokenizer(folder: string): Promise<Tokenizer> {
  const file = 'tokenizer.json'
  let text: string
  try {
    text = await readFile(join(folder, file), 'utf8')
  } catch (cause) {
    throw new Error(`${file} is missing from the model folder.`, { cause })
  }
  try {
    return tokenizerOf(JSON.parse(text) as TokenizerJson)
  } catch (cause) {
    throw new Error(`${file} of the model folder cannot be read: ${reason(cause)}`, { cause })
  }
}

export function tokenizerOf(json: TokenizerJson): Tokenizer {
  const marks = new Map(
    (json.added_tokens ?? []).map(({ id, content, lstrip = false, rstrip = false }) => [
      content,
      { id, content, lstrip, rstrip },
    ]),
  )
  const bytes = tokenBytes(json)
  const plain = { ...withoutMarks(json, marks), post_processor: null }
  const prefixed = new Library(prefixing(plain, 'first'), {})
  // Most vocabularies make no difference, and a large one takes much memory.
  const differs = JSON.stringify(plain.pre_tokenizer ?? null).includes('"prepend_scheme":"first"')
  const unprefixed = differs ? new Library(prefixing(plain, 'later'), {}) : prefixed
  return {
    vocabSize: bytes.length,
    bytes,
    longestTokenBytes: bytes.reduce((longest, entry) => Math.max(longest, entry?.length ?? 0), 1),
    marks,
    dropsFirstSpace: dropsFirstSpace(json.decoder),
    encodeText(text, after = 'nothing') {
      if (text === '') return []
      const library = after === 'nothing' ? prefixed : unprefixed
      const { ids } = library.encode(text, { add_special_tokens: false })
      // A vocabulary without an unknown token has no id for what it cannot spell.
      return ids.filter((id) => id !== undefined)
    },
  }
}

/** The same tokenizer with every mark forgotten, so that no text can reach one through any path. */
function withoutMarks(json: TokenizerJson, marks: ReadonlyMap<string, Mark>): TokenizerJson {
  const vocab = Object.fromEntries(
    Object.entries(json.model.vocab).filter(([token]) => !marks.has(token)),
  )
  return { ...json, added_tokens: [], model: { ...json.model, vocab } }
}

type Step = { type?: string } & Record<string, unknown>

/** The steps of a normalizer, pre-tokenizer or decoder, which may be one or a sequence of them. */
function stepsOf(step: unknown, list: 'pretokenizers' | 'decoders'): Step[] {
  if (typeof step !== 'object' || step === null) return []
  const { [list]: inner } = step as Record<string, unknown>
  return Array.isArray(inner) ? inner.flatMap((each) => stepsOf(each, list)) : [step as Step]
}

/** The tokenizer that puts a space before a text as its file says for the first text, or for a later one. */
function prefixing(json: TokenizerJson, place: 'first' | 'later'): TokenizerJson {
  const pretokenizers = stepsOf(json.pre_tokenizer, 'pretokenizers').map((step) => {
    if (step.type !== 'Metaspace') return step
    // Older files say it by another name, which the library does not read.
    const always = step.add_prefix_space === false ? 'never' : 'always'
    const scheme = step.prepend_scheme ?? always
    return { ...step, prepend_scheme: scheme === 'first' && place === 'later' ? 'never' : scheme }
  })
  if (pretokenizers.length === 0) return json
  return { ...json, pre_tokenizer: { type: 'Sequence', pretokenizers } }
}

function dropsFirstSpace(decoder: unknown): boolean {
  return stepsOf(decoder, 'decoders').some(({ type, content, start, ...rest }) => {
    if (type === 'Strip') return content === ' ' && Number(start) > 0
    if (type !== 'Metaspace') return false
    return (rest.prepend_scheme ?? 'always') !== 'never' && rest.add_prefix_space !== false
  })
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
