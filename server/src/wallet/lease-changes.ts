// Changes of one lease in the database, one at a time and numbered. One whose answer was lost may have been made or not: it is
// made again, under its number, before anything else is changed.
import { StorageUnavailable } from '../storage/storage-unavailable.ts'

export class LeaseChanges {
  #step = 0
  #unknown: (() => Promise<unknown>) | null = null
  #last: Promise<unknown> = Promise.resolve()

  /** The change may be made more than once, always with the same step, and is over when it has heard of its outcome. */
  make<Outcome>(change: (step: number) => Promise<Outcome>): Promise<Outcome> {
    return this.#inTurn(async () => {
      await this.#repeat()
      const step = ++this.#step
      return this.#attempt(() => change(step))
    })
  }

  repeatUnknown(): Promise<void> {
    return this.#inTurn(() => this.#repeat())
  }

  #inTurn<Outcome>(act: () => Promise<Outcome>): Promise<Outcome> {
    const acted = this.#last.then(act)
    this.#last = acted.catch(() => {})
    return acted
  }

  async #repeat(): Promise<void> {
    if (this.#unknown) await this.#attempt(this.#unknown)
  }

  async #attempt<Outcome>(change: () => Promise<Outcome>): Promise<Outcome> {
    this.#unknown = change
    try {
      const outcome = await change()
      this.#unknown = null
      return outcome
    } catch (error) {
      // Anything else is an answer: the database refused, and nothing was changed.
      if (!(error instanceof StorageUnavailable)) this.#unknown = null
      throw error
    }
  }
}
