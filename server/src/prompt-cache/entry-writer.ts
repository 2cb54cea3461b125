// Writes entries in the background, in groups: a write starts at once when none is under way, and whoever arrives
// meanwhile joins the next. However busy the cache is, it takes one connection of the pool. Until they are stored, entries
// can be read here: they exist from the start of their response on, and not from the end of their write (spec 1, caching
// rule 14).
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/open-storage.ts'
import { type Entry, type EntryQuery, writeEntries } from './prompt-cache-store.ts'

/** Each entry is a few hundred bytes of parameters. */
const groupMax = 500
/** With a database that stalls, more than this many calls' entries are not worth the memory. */
const waitingMax = 10_000

type Waiting = { entries: Entry[]; resolve: () => void; reject: (why: unknown) => void }

export class EntryWriter {
  readonly #storage: Storage
  readonly #clock: Clock
  /** By workspace, model and prefix: what all writes of it come to, and how many they are. */
  readonly #onTheirWay = new Map<string, { entry: Entry; writes: number }>()
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
    for (const entry of entries) {
      const key = keyOf(entry)
      const known = this.#onTheirWay.get(key)
      if (!known) this.#onTheirWay.set(key, { entry, writes: 1 })
      else {
        known.entry = together(known.entry, entry)
        known.writes += 1
      }
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entries, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  /** Those of the prefixes that are still to be written and had not expired at that time, in no order. */
  pending(of: EntryQuery): Entry[] {
    if (this.#onTheirWay.size === 0) return []
    return of.hashes.flatMap((hash) => {
      const key = keyOf({ workspaceId: of.workspaceId, model: of.model, hash })
      const entry = this.#onTheirWay.get(key)?.entry
      return entry && entry.expiresAt > of.at ? [entry] : []
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
      for (const waiting of group) waiting.entries.forEach((entry) => this.#forget(entry))
    }
    this.#writing = null
  }

  #forget(entry: Entry): void {
    const key = keyOf(entry)
    const known = this.#onTheirWay.get(key)
    if (!known) return
    known.writes -= 1
    if (known.writes === 0) this.#onTheirWay.delete(key)
  }
}

function keyOf({ workspaceId, model, hash }: Pick<Entry, 'workspaceId' | 'model' | 'hash'>) {
  return `${workspaceId} ${hash.toString('hex')} ${model}`
}

/** One statement can touch a row once only; what two calls wrote at a time is put together as the table would. */
export function withoutRepeats(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>()
  for (const entry of entries) {
    const key = keyOf(entry)
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
