// The slice of one wallet that this process may hold inside. Counts only; the durable side is the store's.
import type { Picodollars } from '../lib/money.ts'
import { LeaseChanges } from './lease-changes.ts'

export class Lease {
  readonly id: string
  readonly walletId: string
  readonly changes = new LeaseChanges()
  /** As the database has it, once every posting under way has landed. */
  #amount: Picodollars = 0n
  /** Open holds, and charges on their way into the ledger. */
  #used: Picodollars = 0n
  #held: Picodollars = 0n
  /** Monotonic time until which the database will not have taken it back. */
  validUntilMs = Number.NEGATIVE_INFINITY
  lastUsedMs = Number.NEGATIVE_INFINITY

  constructor(id: string, walletId: string) {
    this.id = id
    this.walletId = walletId
  }

  get slack(): Picodollars {
    return this.#amount - this.#used
  }

  get held(): Picodollars {
    return this.#held
  }

  get idle(): boolean {
    return this.#used === 0n
  }

  granted(amount: Picodollars): void {
    this.#amount += amount
  }

  gaveBack(amount: Picodollars): void {
    this.#amount -= amount
  }

  hold(amount: Picodollars): void {
    this.#used += amount
    this.#held += amount
  }

  release(amount: Picodollars): void {
    this.#used -= amount
    this.#held -= amount
  }

  /** A hold becomes a charge: what it did not need is free again, the charge stays used until it lands. */
  charge(held: Picodollars, cost: Picodollars): void {
    this.#used -= held - cost
    this.#held -= held
  }

  chargeLanded(cost: Picodollars): void {
    this.#used -= cost
    this.#amount -= cost
  }
}
