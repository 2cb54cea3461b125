// Writes charges into the ledger in groups: whoever arrives during a write joins the next, which waits a moment for three quarters
// of all calls in flight, because a group costs the database little more than a single charge. A write whose outcome is unknown is repeated until it is known, which is
// safe because a request id is charged at most once.
import { crashPoint } from '../lib/crash-point.ts'
import type { Clock } from '../lib/clock.ts'
import type { Picodollars } from '../lib/money.ts'
import { type Storage } from '../storage/open-storage.ts'
import { StorageUnavailable } from '../storage/storage-unavailable.ts'
import type { Charge, PriceCard } from './charge.ts'
import { postCharges, storePriceCards } from './charge-store.ts'
import type { DeliveryGate } from './delivery-gate.ts'

const groupMax = 500
const retryMsMin = 50
const retryMsMax = 1000
const companyMsMax = 3

export type SettleReport = {
  /** A delivered answer that could not be charged: the operator's loss, never the customer's. */
  unpaid(charge: Charge, why: string): void
  /** The same, for the part of an answer's cost that went beyond its hold and the funds at hand. */
  underpaid(requestId: string, amount: Picodollars): void
}

type Waiting = { charge: Charge; done: (written: boolean) => void }

export class ChargeSettler {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #gate: DeliveryGate
  readonly #report: SettleReport
  #waiting: Waiting[] = []
  #underWay = 0
  #haveCompany: (() => void) | null = null
  #writing: Promise<void> | null = null
  #patient = true
  #latest: Promise<boolean> = Promise.resolve(true)
  /** Ids of price cards that the database has. */
  readonly #knownCards = new Set<string>()

  constructor(storage: Storage, clock: Clock, gate: DeliveryGate, report: SettleReport) {
    this.#storage = storage
    this.#clock = clock
    this.#gate = gate
    this.#report = report
  }

  /** Resolves once the charge is in the ledger, or false when it was given up and reported. */
  settle(charge: Charge): Promise<boolean> {
    this.#latest = new Promise((done) => {
      this.#waiting.push({ charge, done })
      this.#writing ??= this.#writeAll()
      if (this.#isCompany()) this.hurry()
    })
    return this.#latest
  }

  /** Resolves when no charge that came so far is under way any more: they are settled in the order they come. */
  async written(): Promise<void> {
    this.hurry()
    await this.#latest
  }

  /** Somebody waits for the next group. */
  hurry(): void {
    this.#haveCompany?.()
  }

  /** Charges that are not known to be in the ledger yet. */
  get pending(): number {
    return this.#waiting.length + this.#underWay
  }

  /** Waits for the charges under way; those that the database does not take in time are given up and reported. */
  async drained(patienceMs: number): Promise<void> {
    const impatience = setTimeout(() => (this.#patient = false), patienceMs)
    while (this.#writing) await this.#writing
    clearTimeout(impatience)
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        if (!this.#isCompany()) await this.#company()
        const group = this.#waiting.splice(0, groupMax)
        this.#underWay = group.length
        const unpaid = await this.#writeGroup(group.map(({ charge }) => charge))
        this.#underWay = 0
        for (const { charge, done } of group) done(!unpaid.has(charge.requestId))
        this.#gate.chargesWritten()
      }
    } finally {
      this.#writing = null
    }
  }

  #isCompany(): boolean {
    return this.#gate.someoneWaits || this.#waiting.length * 4 >= this.#gate.unwrittenMax * 3
  }

  async #company(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#haveCompany = resolve
      setTimeout(resolve, companyMsMax)
    })
    this.#haveCompany = null
  }

  /** Request ids of those that were given up. */
  async #writeGroup(charges: readonly Charge[]): Promise<Set<string>> {
    for (let retryMs = retryMsMin; ; retryMs = Math.min(2 * retryMs, retryMsMax)) {
      try {
        await this.#storeNewCards(charges)
        crashPoint('before-commit')
        const unpaid = await postCharges(this.#storage, charges, this.#clock.now())
        crashPoint('after-commit')
        return this.#giveUp(
          charges.filter(({ requestId }) => unpaid.has(requestId)),
          'its funds were gone',
        )
      } catch (error) {
        if (error instanceof StorageUnavailable && this.#patient) {
          await new Promise((resolve) => setTimeout(resolve, retryMs))
          continue
        }
        if (charges.length === 1 || !this.#patient) {
          return this.#giveUp(charges, error instanceof Error ? error.message : String(error))
        }
        // One charge the database refuses must not take the others down with it.
        const unpaid = new Set<string>()
        for (const one of charges) for (const id of await this.#writeGroup([one])) unpaid.add(id)
        return unpaid
      }
    }
  }

  #giveUp(charges: readonly Charge[], why: string): Set<string> {
    for (const charge of charges) this.#report.unpaid(charge, why)
    return new Set(charges.map(({ requestId }) => requestId))
  }

  async #storeNewCards(charges: readonly Charge[]): Promise<void> {
    const cards = new Map<string, PriceCard>()
    for (const { call } of charges) {
      if (!this.#knownCards.has(call.card.id)) cards.set(call.card.id, call.card)
    }
    if (cards.size === 0) return
    await storePriceCards(this.#storage, [...cards.values()])
    for (const id of cards.keys()) this.#knownCards.add(id)
  }
}
