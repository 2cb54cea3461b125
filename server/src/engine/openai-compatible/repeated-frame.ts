// Most chunks of a stream are the same text around another word. Once one was read in full, those that differ from it
// in their word alone need no parser: the same characters around a JSON string are the same object around its value.
import type { Json } from '../../lib/json-object.ts'

const quote = 0x22
/** Stands in for the word, to prove what was learned. */
const probe = 'another word'
/** Servers that change more than the word in every chunk are given up on. */
const triesMax = 8

/** A word, and the JSON it was read from. */
export type Word = { text: string; json: string }

export class RepeatedFrame {
  #before: string | null = null
  #after = ''
  #tries = 0

  /** Remembers what stands around the word of this chunk, if the word is all that it says. */
  learn(data: string, delta: Json): void {
    const word = delta.content
    if (typeof word !== 'string' || word === '' || this.#tries++ >= triesMax) return
    const literal = JSON.stringify(word)
    const at = data.indexOf(literal)
    if (at === -1 || data.indexOf(literal, at + 1) !== -1) return
    const before = data.slice(0, at)
    const after = data.slice(at + literal.length)
    if (!saysTextAlone(`${before}${JSON.stringify(probe)}${after}`)) return
    this.#before = before
    this.#after = after
  }

  /** The word of a chunk that differs in nothing else; null when it has to be read in full. */
  wordIn(data: string): Word | null {
    const before = this.#before
    if (before === null) return null
    const end = data.length - this.#after.length
    // Compared as slices, which is several times faster than `startsWith` and `endsWith`.
    if (data.slice(0, before.length) !== before || data.slice(end) !== this.#after) return null
    return readString(data, before.length, end)
  }
}

type Chunk = {
  error?: unknown
  usage?: unknown
  choices?: { delta?: Json; finish_reason?: unknown }[]
}

const beside = new Set<unknown>(['role', 'content'])

/** A chunk that has the probe as its word, and no end, count, thought or call. */
function saysTextAlone(data: string): boolean {
  const { error, usage, choices } = parseChunk(data)
  const { delta, finish_reason: end } = choices?.[0] ?? {}
  if (delta?.content !== probe || (typeof end === 'string' && end !== '')) return false
  if ((error ?? usage ?? null) !== null) return false
  return Object.entries(delta).every(([name, value]) => beside.has(name) || isNothing(value))
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Empty when the probe did not take the place of a value: a word such as `,` also stands between two strings. */
function parseChunk(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk
  } catch {
    return {}
  }
}

/** The JSON string that stands exactly there; null when there is none. */
function readString(text: string, from: number, to: number): Word | null {
  if (to - from < 2 || text.charCodeAt(from) !== quote || text.charCodeAt(to - 1) !== quote) {
    return null
  }
  try {
    const json = text.slice(from, to)
    // Throws where the quotes are not the two ends of one string.
    return { text: JSON.parse(json) as string, json }
  } catch {
    return null
  }
}
