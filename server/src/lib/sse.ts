// Server-sent events, read from any split of bytes, with a bound on one record.
import { Utf8Decoder, withoutMark } from './utf8-text.ts'

export class SseTooLarge extends Error {}
/** Its bytes are not UTF-8. */
export class SseNotText extends Error {}

const lineFeed = 10
const carriageReturn = 13

/**
 * Feed bytes in, take the data of whole records out. Comments and all other fields are skipped. Each byte is looked at once, however
 * long a line is and however it is cut.
 */
export class SseReader {
  readonly #recordBytesMax: number
  readonly #decoder = new Utf8Decoder()
  #started = false
  /** The unfinished line, in the pieces it came in. */
  #rest = ''
  #restBytes = 0
  /** The last line ended in a carriage return at the very end, so a line feed that follows belongs to it. */
  #afterReturn = false
  #data: string | null = null
  /** Bytes of the lines of this record so far. */
  #size = 0

  constructor(recordBytesMax: number) {
    this.#recordBytesMax = recordBytesMax
  }

  /** Hands over the records that these bytes complete; those before an error are handed over too. */
  feed(bytes: Buffer, take: (data: string) => void): void {
    let text = this.#decoder.decode(bytes)
    if (text === null) throw new SseNotText()
    if (text === '') return
    const plain = text.length === this.#decoder.lastBytes
    if (!this.#started) {
      this.#started = true
      text = withoutMark(text)
    }
    let start = 0
    if (this.#afterReturn && text !== '') {
      this.#afterReturn = false
      if (text.charCodeAt(0) === lineFeed) start = 1
    }
    // Most streams have no carriage return at all, and then one search for each line is enough.
    const returns = text.includes('\r')
    for (;;) {
      const end = returns ? lineEnd(text, start) : text.indexOf('\n', start)
      if (end === -1) break
      const data = this.#endLine(text.slice(start, end), plain)
      start = end + 1
      if (text.charCodeAt(end) === carriageReturn) {
        if (start === text.length) this.#afterReturn = true
        else if (text.charCodeAt(start) === lineFeed) start += 1
      }
      if (data !== null) take(data)
    }
    if (start < text.length) this.#keep(start === 0 ? text : text.slice(start), plain)
  }

  #keep(piece: string, plain: boolean): void {
    this.#rest += piece
    this.#restBytes += plain ? piece.length : Buffer.byteLength(piece)
    if (this.#size + this.#restBytes > this.#recordBytesMax) throw new SseTooLarge()
  }

  #endLine(piece: string, plain: boolean): string | null {
    const line = this.#rest === '' ? piece : this.#rest + piece
    const bytes = this.#restBytes + (plain ? piece.length : Buffer.byteLength(piece))
    this.#rest = ''
    this.#restBytes = 0
    if (line === '') return this.#endRecord()
    this.#size += bytes
    if (this.#size > this.#recordBytesMax) throw new SseTooLarge()
    if (line.startsWith('data: ')) this.#addData(line.slice(6))
    else this.#readLine(line)
    return null
  }

  #readLine(line: string): void {
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') this.#addData(value)
  }

  #addData(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`
  }

  #endRecord(): string | null {
    const data = this.#data
    this.#data = null
    this.#size = 0
    return data
  }
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === lineFeed || code === carriageReturn) return at
  }
  return -1
}
