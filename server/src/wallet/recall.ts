// Asks processes for what they have leased of a wallet and do not need, and tells those that answer from those that
// do not: what a process holds that died is not spent, it only cannot be reached before its lease runs out.
import { setTimeout as delay } from 'node:timers/promises'
import type { Storage } from '../storage/open-storage.ts'
import * as store from './wallet-store.ts'

const waitMs = 50
/** Whoever has something to spare gives it within so many tries. */
const tries = 5
/** Before a process that says nothing is taken for one that cannot. */
const triesIfSilent = 60

export class Recall {
  readonly #storage: Storage
  readonly #walletId: string
  readonly #processId: string | null
  #asked: readonly store.LeaseSeen[] = []
  #tries = 0
  /** What processes have leased that did not answer. */
  silent: store.SilentLeases | null = null

  /** On behalf of a process, whose own lease is left out; null asks all of them. */
  constructor(storage: Storage, walletId: string, processId: string | null) {
    this.#storage = storage
    this.#walletId = walletId
    this.#processId = processId
  }

  /** Waits a little for answers; false once nothing more is to be hoped for. */
  async ask(): Promise<boolean> {
    if (this.#tries === 0) {
      this.#asked = await store.readLeasesElsewhere(this.#storage, this.#walletId, this.#processId)
    }
    if (this.#tries >= tries) {
      const [storage, asked] = [this.#storage, this.#asked]
      const silent = await store.readSilent(storage, this.#walletId, this.#processId, asked)
      this.silent = silent.amount > 0n ? silent : null
      if (!this.silent || this.#tries >= triesIfSilent) return false
    }
    this.#tries += 1
    await store.recallLeases(this.#storage, this.#walletId)
    await delay(waitMs)
    return true
  }
}
