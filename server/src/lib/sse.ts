// Server-sent events: reading them from any split of bytes, with a bound on one record, and writing them.

export type SseRecord = { event: string | null; data: string }

export class SseTooLarge extends Error {}

/** Feed bytes in, take whole records out. Comments and unknown fields are skipped. */
export class SseReader {
  readonly #recordBytesMax: number
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #rest = ''
  #event: string | null = null
  #data: string[] = []
  #size = 0

  constructor(recordBytesMax: number) {
    this.#recordBytesMax = recordBytesMax
  }

  *feed(bytes: Uint8Array): Generator<SseRecord> {
    this.#rest += this.#decoder.decode(bytes, { stream: true })
    let start = 0
    for (;;) {
      const end = this.#lineEnd(start)
      if (end === null) break
      const record = this.#line(this.#rest.slice(start, end.at))
      start = end.next
      if (record) yield record
    }
    this.#rest = this.#rest.slice(start)
    if (this.#size + this.#rest.length > this.#recordBytesMax) throw new SseTooLarge()
  }

  /** Where the next line ends; a lone CR at the very end may be half of a CRLF, so it waits. */
  #lineEnd(start: number): { at: number; next: number } | null {
    for (let i = start; i < this.#rest.length; i++) {
      const code = this.#rest.charCodeAt(i)
      if (code === 10) return { at: i, next: i + 1 }
      if (code === 13) {
        if (i + 1 === this.#rest.length) return null
        return { at: i, next: this.#rest.charCodeAt(i + 1) === 10 ? i + 2 : i + 1 }
      }
    }
    return null
  }

  #line(line: string): SseRecord | null {
    if (line === '') {
      const record =
        this.#data.length > 0 ? { event: this.#event, data: this.#data.join('\n') } : null
      this.#event = null
      this.#data = []
      this.#size = 0
      return record
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') {
      this.#data.push(value)
      this.#size += value.length
      if (this.#size > this.#recordBytesMax) throw new SseTooLarge()
    } else if (field === 'event') {
      this.#event = value
    }
    return null
  }
}
