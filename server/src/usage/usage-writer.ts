// Writes usage records in groups, behind the calls they are about. They are for looking at: a crash may lose the last
// moment of them, a database that is away costs the oldest, and money depends on none.
import type { Storage } from '../storage/open-storage.ts'
import type { UsageRecord } from './usage-record.ts'
import { insertUsage } from './usage-store.ts'

const waitMs = 200
const groupMax = 1_000
const keptMax = 50_000

export class UsageWriter {
  readonly #storage: Storage
  #waiting: UsageRecord[] = []
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(storage: Storage) {
    this.#storage = storage
  }

  record(record: UsageRecord): void {
    // Many at once, because taking the first of a long list moves all the others.
    if (this.#waiting.length >= keptMax) this.#waiting.splice(0, groupMax)
    this.#waiting.push(record)
    this.#timer ??= setTimeout(() => void this.flush(), waitMs).unref()
  }

  /** Resolves when everything recorded so far was written, or could not be. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Taken out at once: what is dropped to make room must not be what is on its way.
      const group = this.#waiting.splice(0, groupMax)
      try {
        await insertUsage(this.#storage, group)
      } catch {
        this.#waiting.unshift(...group)
        this.#timer ??= setTimeout(() => void this.flush(), 5 * waitMs).unref()
        return
      }
    }
  }
}
