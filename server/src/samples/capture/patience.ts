// How long a database that is away is waited for: some tries with growing pauses, and none once Hone is being stopped.
import { StorageUnavailable } from '../../storage/storage-unavailable.ts'

/** One that is away for longer costs samples, not memory. */
const triesMax = 10
const retryMs = 500

export class Patience {
  readonly #ended = Promise.withResolvers<void>()
  #isOver = false
  #wasAway = false

  /** What is waited for is tried once more; after a failure then, nothing is tried again. */
  end(): void {
    this.#isOver = true
    this.#ended.resolve()
  }

  async trying<T>(act: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      if (this.#wasAway) throw new StorageUnavailable(new Error('it was away when Hone stopped'))
      const isLast = this.#isOver || tries === triesMax
      try {
        return await act()
      } catch (error) {
        if (!(error instanceof StorageUnavailable)) throw error
        if (isLast) {
          this.#wasAway = this.#isOver
          throw error
        }
        await this.#pause(retryMs * tries)
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    await Promise.race([promise, this.#ended.promise])
    clearTimeout(timer)
  }
}
