// Remembers what the database said about credentials until anything about accounts changes anywhere. While
// changes cannot be heard nothing is remembered. Misses are never remembered, and concurrent questions
// about one credential are asked once. Questions about credentials that were never any good wait for each other, so that
// a flood of made-up ones takes few connections; one that was good before is asked about at once.
import { NoTurn, Turns } from '../lib/turns.ts'
import { within } from '../lib/within.ts'
import type { Changes } from '../storage/changes.ts'
import type { Storage } from '../storage/open-storage.ts'
import { StorageBusy, StorageUnavailable } from '../storage/storage-unavailable.ts'

const entriesMax = 10_000
const strangers = { atOnce: 4, waitingMax: 1000, waitMs: 3000 }
/** A turn that came late leaves less time for the answer: a database that stalls costs nobody both waits in full. */
const beyondAnswerMs = 500

export class Remembered<Value> {
  readonly #changes: Changes
  readonly #values = new Map<string, Value>()
  readonly #asking = new Map<string, Promise<Value | null>>()
  /** Those that had a value at some time. */
  readonly #familiar = new Set<string>()
  readonly #turns = new Turns(strangers)
  readonly #strangerMsMax: number
  #epoch = 0

  constructor({ changes, queryMs }: Pick<Storage, 'changes' | 'queryMs'>) {
    this.#changes = changes
    this.#strangerMsMax = queryMs + beyondAnswerMs
    changes.on('accounts_changed', () => this.forget())
  }

  /** Called before the answer to whoever made a change, so that their next request sees it. */
  forget(): void {
    this.#epoch += 1
    this.#values.clear()
    this.#asking.clear()
  }

  /** The remembered value without any wait, for the hot path. */
  peek(key: string): Value | undefined {
    return this.#changes.connected ? this.#values.get(key) : undefined
  }

  async get(key: string, ask: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.peek(key)
    if (known !== undefined) return known
    const asked = this.#asking.get(key)
    if (asked) return asked
    const epoch = this.#epoch
    const asking = this.#ask(key, ask).then((value) => {
      if (value === null) this.#familiar.delete(key)
      else this.#befriend(key)
      if (value !== null && epoch === this.#epoch && this.#changes.connected) {
        if (this.#values.size >= entriesMax) this.#values.clear()
        this.#values.set(key, value)
      }
      return value
    })
    this.#asking.set(key, asking)
    const done = (): void => {
      if (this.#asking.get(key) === asking) this.#asking.delete(key)
    }
    asking.then(done, done)
    return asking
  }

  async #ask(key: string, ask: () => Promise<Value | null>): Promise<Value | null> {
    if (this.#familiar.has(key)) return ask()
    const answer = this.#turns.run(ask)
    try {
      if (await within(this.#strangerMsMax, answer)) return await answer
      throw new StorageUnavailable(new Error('no answer about a credential in time'))
    } catch (error) {
      throw error instanceof NoTurn ? new StorageBusy(error) : error
    }
  }

  #befriend(key: string): void {
    if (this.#familiar.size >= entriesMax) this.#familiar.clear()
    this.#familiar.add(key)
  }
}
