// Turns the text between tool-call marks into stream parts while it is written. The grammar has already made
// sure that the text is a known tool's name and its arguments, so only their borders are looked for.
import { randomBytes } from 'node:crypto'
import type { StreamPart } from '../../../core/stream-part.ts'

const header = /^\n?\{"name": ("(?:[^"\\]|\\.)*"), "arguments": /

export class ToolCallWriter {
  readonly #index: number
  /** Text not handed out: the header until it is whole, then what may be the end of the call. */
  #pending = ''
  #started = false

  constructor(index: number) {
    this.#index = index
  }

  push(text: string): StreamPart[] {
    this.#pending += text
    const parts: StreamPart[] = []
    if (!this.#started) {
      const match = header.exec(this.#pending)
      if (!match) return parts
      this.#started = true
      this.#pending = this.#pending.slice(match[0].length)
      const name = JSON.parse(match[1]!) as string
      const id = `call_${randomBytes(12).toString('hex')}`
      parts.push({ type: 'tool-call-start', index: this.#index, id, name })
    }
    // The last brace closes the call itself, not its arguments, and only the next piece shows which is last.
    const certain = this.#pending.replace(/\}\n?$/, '')
    if (certain !== '') {
      parts.push({ type: 'tool-call-delta', index: this.#index, json: certain })
      this.#pending = this.#pending.slice(certain.length)
    }
    return parts
  }

  /** Ends the call where it stands; one whose name was never finished leaves no trace. */
  end(): StreamPart[] {
    return this.#started ? [{ type: 'tool-call-end', index: this.#index }] : []
  }
}
