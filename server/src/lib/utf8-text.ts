// Turns bytes into text as they come, cut anywhere, and notices bytes that are not UTF-8. A mark of byte order at
// the start is dropped.
import { isAscii, isUtf8 } from 'node:buffer'

const byteOrderMark = 0xfeff
const none = Buffer.alloc(0)

export class Utf8Text {
  readonly #pieces: string[] = []
  /** The beginning of a character whose rest is in the next chunk. */
  #begun = none

  /** False when the bytes are no UTF-8. */
  push(chunk: Buffer): boolean {
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    const whole = wholeCharacters(bytes)
    this.#begun = whole === bytes.length ? none : Buffer.from(bytes.subarray(whole))
    return this.#decode(whole === bytes.length ? bytes : bytes.subarray(0, whole))
  }

  /** Null when the last character is cut. */
  end(): string | null {
    if (this.#begun.length > 0) return null
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('')
    this.#pieces.length = 0
    return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
  }

  #decode(bytes: Buffer): boolean {
    if (isAscii(bytes)) this.#pieces.push(bytes.toString('latin1'))
    else if (isUtf8(bytes)) this.#pieces.push(bytes.toString('utf8'))
    else return false
    return true
  }
}

/** How many bytes remain when a character that is cut at the end is left out. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
