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
  /** Ids of plain text, even where it spells a mark. */
  encodeText(text: string): number[]
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
  const plain = new Library({ ...withoutMarks(json, marks), post_processor: null }, {})
  return {
    vocabSize: bytes.length,
    bytes,
    longestTokenBytes: bytes.reduce((longest, entry) => Math.max(longest, entry?.length ?? 0), 1),
    marks,
    encodeText(text) {
      if (text === '') return []
      const { ids } = plain.encode(text, { add_special_tokens: false })
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

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
