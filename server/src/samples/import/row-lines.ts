// The rows of JSON lines: kept as bytes while they come, cut anywhere, and parsed one at a time when it is their turn.
import { isUtf8 } from 'node:buffer'
import * as limits from '#contract/limits.ts'
import { jsonLimits } from '../../core/json-limits.ts'
import { grouped } from '../../lib/grouped.ts'
import { JsonGuard } from '../../lib/json-guard.ts'
import { withoutMark } from '../../lib/utf8-text.ts'

/** A row that could be read, with its content in the one spelling that its identity is made from. */
export type ReadRow = { row: unknown; content: string } | { refused: string }

export type RowSource = { count: number; read(index: number): ReadRow }

const newline = 0x0a
const tooLarge = Symbol('too large')

export class RowLines implements RowSource {
  readonly #lines: (Buffer | typeof tooLarge | null)[] = []
  /** The line that has not ended yet. */
  #begun: Buffer[] = []
  #begunBytes = 0

  get count(): number {
    return this.#lines.length
  }

  /** False when there are more rows than a call may bring. */
  push(bytes: Buffer): boolean {
    for (let at = this.#skipBlank(bytes, 0); at < bytes.length; at = this.#skipBlank(bytes, at)) {
      const end = bytes.indexOf(newline, at)
      this.#add(end === -1 ? bytes.subarray(at) : bytes.subarray(at, end))
      if (end === -1) break
      this.#endLine()
      at = end + 1
      if (this.count > limits.importRowsMax) return false
    }
    return true
  }

  /** Where the next line begins to say something: a body of blanks must not take longer than one of rows. */
  #skipBlank(bytes: Buffer, from: number): number {
    if (this.#begunBytes > 0) return from
    let at = from
    while (isBlank(bytes[at])) at += 1
    return at
  }

  end(): boolean {
    this.#endLine()
    return this.count <= limits.importRowsMax
  }

  /** Each once: what was read is not kept. */
  read(index: number): ReadRow {
    const line = this.#lines[index]
    this.#lines[index] = null
    if (line === tooLarge) return { refused: rowTooLarge }
    return line ? parseLine(line) : { refused: notJson }
  }

  #add(part: Buffer): void {
    if (part.length === 0) return
    this.#begunBytes += part.length
    if (this.#begunBytes > limits.sampleBytesMax) this.#begun = []
    else this.#begun.push(part)
  }

  #endLine(): void {
    const [first, ...rest] = this.#begun
    const bytes = this.#begunBytes
    this.#begun = []
    this.#begunBytes = 0
    if (bytes > limits.sampleBytesMax) this.#lines.push(tooLarge)
    else if (first) {
      this.#lines.push(rest.length === 0 ? first : Buffer.concat([first, ...rest]))
    }
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09
}

export const rowTooLarge = `The row is larger than ${grouped(limits.sampleBytesMax)} bytes.`
const notJson = 'The row is not valid JSON.'

function parseLine(line: Buffer): ReadRow {
  const fault = new JsonGuard(jsonLimits).push(line)
  if (fault !== null && fault !== 'malformed') {
    return { refused: 'The row holds more values, or is nested deeper, than a request may.' }
  }
  if (fault !== null || !isUtf8(line)) return { refused: notJson }
  try {
    const row: unknown = JSON.parse(withoutMark(line.toString()))
    return { row, content: JSON.stringify(row) }
  } catch {
    return { refused: notJson }
  }
}

/** The rows of a list that is parsed already. */
export function rowsOfList(list: unknown[]): RowSource {
  return {
    count: list.length,
    read(index) {
      const row = list[index]
      list[index] = null
      const content = JSON.stringify(row)
      if (content.length > limits.sampleBytesMax) return { refused: rowTooLarge }
      return { row, content }
    },
  }
}
