// What a running Hone has open, and the order in which it is closed: the way in first, then at the same time all that has something
// to tell the database last, so that one that does not answer is waited for once, then the rest in reverse.
import { within } from './lib/within.ts'

type Close = () => Promise<void> | void

/** A task may be in the middle of something that takes long elsewhere; it is repeated after the next start. */
const togetherMsMax = 10_000

export class OpenParts {
  /** One part that cannot be closed, because the database is gone, must not keep the others open. */
  reportUnclosed: (error: unknown) => void = () => {}
  readonly #wayIn: Close[] = []
  readonly #together: Close[] = []
  readonly #reversed: Close[] = []
  #closing: Promise<void> | null = null

  addWayIn(close: Close): void {
    this.#wayIn.push(close)
  }

  addTogether(close: Close): void {
    this.#together.push(close)
  }

  add(close: Close): void {
    this.#reversed.unshift(close)
  }

  /** Once, however often it is asked for. */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll())
  }

  async #closeAll(): Promise<void> {
    await this.#eachOf(this.#wayIn)
    await within(togetherMsMax, Promise.all(this.#together.map((close) => this.#closed(close))))
    await this.#eachOf(this.#reversed)
  }

  async #eachOf(parts: Close[]): Promise<void> {
    for (const close of parts) await this.#closed(close)
  }

  async #closed(close: Close): Promise<void> {
    try {
      await close()
    } catch (error) {
      this.reportUnclosed(error)
    }
  }
}
