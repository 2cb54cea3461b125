// Reads a text that is a JSON object, list or string, and tells where its strings and long numbers stand, without
// building what it says: a text can be made so that building it takes far longer than reading it.
import { flagsOf, hex } from './characters.ts'
import { isTooShort, jsonNumberMin } from './too-short.ts'

/** A string, without its quotes, or a long number; what is too short to be anything is left out. */
export type JsonPiece = {
  start: number
  end: number
  isString: boolean
  /** Where the key begins that it goes by, or -1. */
  key: number
}

export type JsonPieces = { keys: JsonPiece[]; values: JsonPiece[] }

/** Null when the text is no JSON, or only a number or word. */
export function readJsonText(text: string): JsonPieces | null {
  const first = firstCharacter(text)
  if (first !== '{' && first !== '[' && first !== '"') return null
  const last = text.trimEnd().at(-1)
  if (last !== '}' && last !== ']' && last !== '"') return null
  return new JsonTextReader(text).read()
}

function firstCharacter(text: string): string | undefined {
  let at = 0
  while (at < text.length && isBlank(text.charCodeAt(at))) at++
  return text[at]
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

const simpleEscapes = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)))
const words = ['true', 'false', 'null']
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

class JsonTextReader {
  readonly #text: string
  #at = 0
  readonly #keys: JsonPiece[] = []
  readonly #values: JsonPiece[] = []
  /** Where the key in force begins. */
  #key = -1

  constructor(text: string) {
    this.#text = text
  }

  read(): JsonPieces | null {
    // For each depth what is around it: twice where its key begins, and one more for an object.
    const around: number[] = []
    let inObject = false
    let isEmpty = false
    for (;;) {
      const code = this.#next()
      if (!isEmpty || code !== (inObject ? 125 : 93)) {
        if (inObject) {
          if (!this.#readString(true) || this.#next() !== 58) return null
          this.#at++
        }
        const value = this.#next()
        if (value === 123 || value === 91) {
          around.push(2 * this.#key + (inObject ? 1 : 0))
          inObject = value === 123
          isEmpty = true
          this.#at++
          continue
        }
        if (!this.#readScalar(value)) return null
      }
      isEmpty = false
      // Behind a value: close what ends here, then go on with the next.
      let after = this.#next()
      while (around.length > 0 && after === (inObject ? 125 : 93)) {
        this.#at++
        const outer = around.pop()!
        this.#key = outer >> 1
        inObject = (outer & 1) === 1
        after = this.#next()
      }
      if (around.length === 0) {
        const isWhole = this.#at === this.#text.length
        return isWhole ? { keys: this.#keys, values: this.#values } : null
      }
      if (after !== 44) return null
      this.#at++
    }
  }

  /** Skips blanks; NaN at the end. */
  #next(): number {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++
    return this.#text.charCodeAt(this.#at)
  }

  #readScalar(code: number): boolean {
    if (code === 34) return this.#readString(false)
    for (const word of words) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return true
    }
    number.lastIndex = this.#at
    const match = number.exec(this.#text)
    if (!match) return false
    const start = this.#at
    this.#at += match[0].length
    if (match[0].length >= jsonNumberMin) this.#keep(this.#values, start, false)
    return true
  }

  #keep(list: JsonPiece[], start: number, isString: boolean): void {
    list.push({ start, end: this.#at, isString, key: this.#key })
  }

  #readString(isKey: boolean): boolean {
    const text = this.#text
    if (text.charCodeAt(this.#at) !== 34) return false
    const start = this.#at + 1
    let at = start
    for (; ; at++) {
      const code = text.charCodeAt(at)
      if (code === 34) break
      if (!(code >= 32)) return false
      if (code !== 92) continue
      at = escapeEnd(text, at)
      if (at === -1) return false
    }
    this.#at = at
    if (isKey) this.#key = start
    if (!isTooShort(this.#text, start, this.#at)) {
      this.#keep(isKey ? this.#keys : this.#values, start, true)
    }
    this.#at++
    return true
  }
}

/** The last character of an escape, or -1 when it is none. */
function escapeEnd(text: string, at: number): number {
  const escaped = text.charCodeAt(at + 1)
  if (escaped !== 117) return simpleEscapes.has(escaped) ? at + 1 : -1
  for (let next = at + 2; next < at + 6; next++) {
    const code = text.charCodeAt(next)
    if (!(code < 128) || (flagsOf[code]! & hex) === 0) return -1
  }
  return at + 5
}

/** Where a string ends that begins here. */
export function stringEnd(text: string, start: number): number {
  let at = start
  for (; text.charCodeAt(at) !== 34; at++) if (text.charCodeAt(at) === 92) at++
  return at
}
