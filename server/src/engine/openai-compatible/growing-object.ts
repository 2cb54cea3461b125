// JSON text that comes in fragments, and whether it is an object to its end. Each character is looked at once, however the
// text is cut and however often somebody asks; and only when somebody asks.
import { isObject } from '../../lib/json-object.ts'

const quote = 0x22
const backslash = 0x5c

export class GrowingObject {
  #text = ''
  /** What came since somebody asked. */
  #unread = ''
  #depth = 0
  #inString = false
  #escaped = false
  /** Null until its brackets are closed; then whether it is an object. */
  #isWhole: boolean | null = null

  get text(): string {
    return this.#text
  }

  add(fragment: string): void {
    this.#text += fragment
    this.#unread += fragment
  }

  get isWhole(): boolean {
    const fragment = this.#unread
    this.#unread = ''
    if (this.#isWhole === null) this.#read(fragment)
    else if (fragment.trim() !== '') this.#isWhole = false
    return this.#isWhole ?? false
  }

  #read(fragment: string): void {
    for (let at = 0; at < fragment.length; at++) {
      const code = fragment.charCodeAt(at)
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (code === backslash) this.#escaped = true
        else if (code === quote) this.#inString = false
      } else if (code === quote) this.#inString = true
      else if (isOpening(code)) this.#depth += 1
      else if (isClosing(code) && --this.#depth <= 0) {
        this.#isWhole = this.#parses()
        return
      }
    }
  }

  #parses(): boolean {
    try {
      return isObject(JSON.parse(this.#text))
    } catch {
      return false
    }
  }
}

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d
}
