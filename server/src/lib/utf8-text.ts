// Turns bytes into text as they come, cut anywhere, and notices bytes that are not UTF-8. A mark of byte order at
// the start is dropped.
import { isAscii, isUtf8 } from 'node:buffer'

const byteOrderMark = 0xfeff
const none = Buffer.alloc(0)

/** Piece by piece; a mark of byte order is left in. */
export class Utf8Decoder {
  /** The beginning of a character whose rest is in the next chunk. */
  #begun = none
  /** How many bytes the last text had: as many as it has characters exactly when it is ASCII. */
  lastBytes = 0

  /** True when the bytes so far end inside a character. */
  get unfinished(): boolean {
    return this.#begun.length > 0
  }

  /** Null when the bytes are no UTF-8. */
  decode(chunk: Buffer): string | null {
    if (this.#begun.length === 0 && isAscii(chunk)) {
      this.lastBytes = chunk.length
      return chunk.toString('latin1')
    }
    const bytes = this.#begun.length === 0 ? chunk : Buffer.concat([this.#begun, chunk])
    const whole = wholeCharacters(bytes)
    this.#begun = whole === bytes.length ? none : Buffer.from(bytes.subarray(whole))
    this.lastBytes = whole
    const text = whole === bytes.length ? bytes : bytes.subarray(0, whole)
    return isUtf8(text) ? text.toString() : null
  }
}

/** All of it at the end. */
export class Utf8Text {
  readonly #decoder = new Utf8Decoder()
  readonly #pieces: string[] = []

  /** False when the bytes are no UTF-8. */
  push(chunk: Buffer): boolean {
    const piece = this.#decoder.decode(chunk)
    if (piece !== null) this.#pieces.push(piece)
    return piece !== null
  }

  /** Null when the last character is cut. */
  end(): string | null {
    if (this.#decoder.unfinished) return null
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('')
    this.#pieces.length = 0
    return withoutMark(text)
  }
}

export function withoutMark(text: string): string {
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
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
