// Parts on their way from a model's thread to one reader. The reader's pace comes back as credit, so that a
// reader who stops reading stops the writing too.
import type { StreamPart } from '../../../core/stream-part.ts'

/** Parts that may be under way to one reader. */
export const creditMax = 64

export class PartQueue {
  readonly #giveCredit: (parts: number) => void
  #parts: StreamPart[] = []
  #end: 'open' | 'done' | Error = 'open'
  #taken = 0
  #wake: () => void = () => {}

  constructor(giveCredit: (parts: number) => void) {
    this.#giveCredit = giveCredit
  }

  push(parts: StreamPart[]): void {
    this.#parts.push(...parts)
    if (parts.at(-1)?.type === 'finish') this.#end = 'done'
    this.#wake()
  }

  fail(error: Error): void {
    if (this.#end === 'open') this.#end = error
    this.#wake()
  }

  /** Ends the reading at once and without an error, as when the reader itself has gone. */
  stop(): void {
    this.#parts = []
    this.#end = 'done'
    this.#wake()
  }

  async *read(): AsyncGenerator<StreamPart, void> {
    for (;;) {
      const part = this.#parts.shift()
      if (part) {
        yield part
        this.#settle()
      } else if (this.#end === 'done') return
      else if (this.#end !== 'open') throw this.#end
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** Credit goes back in lots, as each message costs something. */
  #settle(): void {
    if (++this.#taken < creditMax / 2) return
    if (this.#end === 'open') this.#giveCredit(this.#taken)
    this.#taken = 0
  }
}
