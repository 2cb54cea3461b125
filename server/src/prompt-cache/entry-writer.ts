// Writes entries in the background, in groups: a write starts at once when none is under way, and whoever arrives
// meanwhile joins the next. However busy the cache is, it takes one connection of the pool.
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/open-storage.ts'
import { type Entry, writeEntries } from './prompt-cache-store.ts'

/** Each entry is a few hundred bytes of parameters. */
const groupMax = 500
/** With a database that stalls, more than this many calls' entries are not worth the memory. */
const waitingMax = 10_000

type Waiting = { entries: Entry[]; resolve: () => void; reject: (why: unknown) => void }

export class EntryWriter {
  readonly #storage: Storage
  readonly #clock: Clock
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** Resolves once the entries can be found by every process; rejects when they were not written. */
  write(entries: Entry[]): Promise<void> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new Error('too many prompt cache entries wait to be written'))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  /** Waits for the writes under way. */
  async drained(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, groupMax)
      const entries = withoutRepeats(group.flatMap((waiting) => waiting.entries))
      try {
        await writeEntries(this.#storage, entries, this.#clock.now())
        for (const { resolve } of group) resolve()
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#writing = null
  }
}

/** One statement can touch a row once only; what two calls wrote at a time is put together as the table would. */
export function withoutRepeats(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>()
  for (const entry of entries) {
    const key = `${entry.workspaceId} ${entry.hash.toString('hex')} ${entry.model}`
    const earlier = byKey.get(key)
    byKey.set(key, earlier ? together(earlier, entry) : entry)
  }
  return [...byKey.values()]
}

function together(earlier: Entry, later: Entry): Entry {
  return {
    ...later,
    ttl: earlier.ttl === '1h' ? '1h' : later.ttl,
    tokens: later.tokens ?? earlier.tokens,
    expiresAt: earlier.expiresAt > later.expiresAt ? earlier.expiresAt : later.expiresAt,
  }
}
