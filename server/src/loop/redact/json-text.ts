// Reads a text that is a JSON object, list or string, and tells where its strings and long numbers stand, without
// building what it says: a text can be made so that building it takes far longer than reading it.

/** A string, without its quotes, or a long number. `key` is the index of the key it goes by, or -1. */
export type JsonPiece = {
  start: number
  end: number
  isString: boolean
  key: number
  isKey: boolean
}

/** Shorter numbers are nothing. */
const numberMin = 8

/** Null when the text is no JSON, or only a number or word. */
export function readJsonText(text: string): JsonPiece[] | null {
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

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

class JsonTextReader {
  readonly #text: string
  #at = 0
  readonly #pieces: JsonPiece[] = []

  constructor(text: string) {
    this.#text = text
  }

  read(): JsonPiece[] | null {
    // What is open: for each depth the key in force, and whether it is an object.
    const keys: number[] = []
    const objects: boolean[] = []
    let key = -1
    let isEmpty = false
    for (;;) {
      const code = this.#next()
      const inObject = objects.at(-1) === true
      if (isEmpty && code === (inObject ? 125 : 93)) {
        this.#at++
        key = keys.pop()!
        objects.pop()
      } else {
        if (inObject) {
          if (!this.#readString(-1, true) || this.#next() !== 58) return null
          key = this.#pieces.length - 1
          this.#at++
        }
        const value = this.#next()
        if (value === 123 || value === 91) {
          keys.push(key)
          objects.push(value === 123)
          isEmpty = true
          this.#at++
          continue
        }
        if (!this.#readScalar(value, key)) return null
      }
      isEmpty = false
      // Behind a value: close what ends here, then go on with the next.
      let after = this.#next()
      while (objects.length > 0 && after === (objects.at(-1) ? 125 : 93)) {
        this.#at++
        key = keys.pop()!
        objects.pop()
        after = this.#next()
      }
      if (objects.length === 0) return this.#at === this.#text.length ? this.#pieces : null
      if (after !== 44) return null
      this.#at++
      if (objects.at(-1) === false) key = keys.at(-1)!
    }
  }

  /** Skips blanks; NaN at the end. */
  #next(): number {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at++
    return this.#text.charCodeAt(this.#at)
  }

  #readScalar(code: number, key: number): boolean {
    if (code === 34) return this.#readString(key, false)
    for (const word of ['true', 'false', 'null']) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return true
    }
    number.lastIndex = this.#at
    const match = number.exec(this.#text)
    if (!match) return false
    if (match[0].length >= numberMin) {
      const end = this.#at + match[0].length
      this.#pieces.push({ start: this.#at, end, isString: false, key, isKey: false })
    }
    this.#at += match[0].length
    return true
  }

  #readString(key: number, isKey: boolean): boolean {
    if (this.#text.charCodeAt(this.#at) !== 34) return false
    this.#at++
    const start = this.#at
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === 34) break
      if (Number.isNaN(code) || code < 32) return false
      if (code === 92 && !this.#skipEscape()) return false
      this.#at++
    }
    this.#pieces.push({ start, end: this.#at++, isString: true, key, isKey })
    return true
  }

  #skipEscape(): boolean {
    const escaped = this.#text[++this.#at]
    if (escaped !== 'u') return escaped !== undefined && '"\\/bfnrt'.includes(escaped)
    for (let i = 0; i < 4; i++) {
      if (!/[0-9a-fA-F]/.test(this.#text[++this.#at] ?? '')) return false
    }
    return true
  }
}
