// Writes charges into the journal at once and into the ledger in groups: whoever arrives during a write joins the next, which waits a
// moment for company, because a group costs the database little more than a single charge. A write whose outcome is unknown is
// repeated until it is known, which is safe because a request id is charged at most once; so is one that the database refuses for
// a reason that is not in the charge.
import { crashPoint } from '../lib/crash-point.ts'
import type { Clock } from '../lib/clock.ts'
import type { Picodollars } from '../lib/money.ts'
import { within } from '../lib/within.ts'
import { type Storage } from '../storage/open-storage.ts'
import { mayPassLater } from '../storage/refused-value.ts'
import { StorageUnavailable } from '../storage/storage-unavailable.ts'
import type { Charge, PriceCard } from './charge.ts'
import type { ChargeJournal, Page } from './charge-journal.ts'
import { postCharges, storePriceCards } from './charge-store.ts'
import type { DeliveryGate } from './delivery-gate.ts'

const groupMax = 1000
const retryMsMin = 50
const retryMsMax = 1000
/**
 * Nobody waits for a charge that is in the journal, so those gather for longer, and where many do for longer still: in a group of a
 * thousand, one costs the database half.
 */
const companyMs = { journalled: 50, many: 200, other: 3 }
const many = 100
const companyMax = 1000
/** A reader who would see the newest charges does not wait longer for a database that takes none. */
const writtenMsMax = 1000

export type SettleReport = {
  /** A delivered answer that could not be charged: the operator's loss, never the customer's. */
  unpaid(charge: Charge, why: string): void
  /** The same, for the part of an answer's cost that went beyond its hold and the funds at hand. */
  underpaid(requestId: string, amount: Picodollars): void
  /** The database answers and takes no charges, which wait until it does. */
  refused(error: unknown): void
  /** Charges that only the journal has, when this process ends. */
  left(charges: number): void
}

type Waiting = {
  charge: Charge
  done: (written: boolean) => void
  /** Where in the journal it is, as far as it is. */
  page: Page | null
  /** In a page that an ended process left, which stays until the ledger has it. */
  onLeftPage: boolean
  landed: boolean
}

export class ChargeSettler {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #gate: DeliveryGate
  readonly #report: SettleReport
  readonly #journal: ChargeJournal | null
  #waiting: Waiting[] = []
  #underWay = 0
  #unsafe = 0
  #haveCompany: (() => void) | null = null
  #writing: Promise<void> | null = null
  #patient = true
  #latest: Promise<boolean> = Promise.resolve(true)
  /** Ids of price cards that the database has. */
  readonly #knownCards = new Set<string>()

  constructor(
    storage: Storage,
    clock: Clock,
    gate: DeliveryGate,
    report: SettleReport,
    journal: ChargeJournal | null,
  ) {
    this.#storage = storage
    this.#clock = clock
    this.#gate = gate
    this.#report = report
    this.#journal = journal
  }

  /** Resolves once the charge is in the ledger, or false when it was given up and reported. */
  settle(charge: Charge): Promise<boolean> {
    return this.#settle(charge, false)
  }

  /** The same for one that an ended process wrote down. It is not written down again, or each start would add to what the next finds. */
  settleLeft(charge: Charge): Promise<boolean> {
    return this.#settle(charge, true)
  }

  #settle(charge: Charge, onLeftPage: boolean): Promise<boolean> {
    this.#latest = new Promise((done) => {
      const waiting: Waiting = { charge, done, page: null, onLeftPage, landed: false }
      this.#waiting.push(waiting)
      if (!onLeftPage) {
        this.#unsafe += 1
        this.#journal?.append(charge, (page) => this.#writtenDown(waiting, page))
      }
      this.#writing ??= this.#writeAll()
      if (this.#isCompany()) this.hurry()
    })
    return this.#latest
  }

  /** Resolves when no charge that came so far is under way any more, as they are settled in order; or when that takes too long. */
  async written(): Promise<void> {
    if (this.pending === 0) return
    this.hurry()
    await within(writtenMsMax, this.#latest)
  }

  /** Somebody waits for the next group. */
  hurry(): void {
    this.#haveCompany?.()
  }

  /** Charges that are not known to be in the ledger yet. */
  get pending(): number {
    return this.#waiting.length + this.#underWay
  }

  /** Of those the ones that are not in the journal either. */
  get unsafe(): number {
    return this.#unsafe
  }

  /**
   * Waits for the charges under way. Those that the database does not take in time are left to the next start, or are given up and
   * reported where no journal has them; the answer is false then.
   */
  async drained(patienceMs: number): Promise<boolean> {
    const impatience = setTimeout(() => (this.#patient = false), patienceMs)
    this.hurry()
    while (this.#writing) await this.#writing
    clearTimeout(impatience)
    return this.#patient
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        if (!this.#isCompany()) await this.#company()
        const group = this.#waiting.splice(0, groupMax)
        this.#underWay = group.length
        const unpaid = await this.#writeGroup(group.map(({ charge }) => charge))
        this.#underWay = 0
        if (unpaid)
          for (const waiting of group) this.#land(waiting, !unpaid.has(waiting.charge.requestId))
        else this.#leave(group)
        this.#gate.chargesWritten()
      }
    } finally {
      this.#writing = null
    }
  }

  #writtenDown(waiting: Waiting, page: Page): void {
    if (waiting.landed) return this.#journal?.settled(page)
    waiting.page = page
    this.#unsafe -= 1
  }

  #land(waiting: Waiting, written: boolean): void {
    waiting.landed = true
    if (waiting.page) this.#journal?.settled(waiting.page)
    else if (!waiting.onLeftPage) this.#unsafe -= 1
    waiting.done(written)
  }

  /** The database takes nothing any more, and this process ends. */
  #leave(group: readonly Waiting[]): void {
    const lost = group
      .filter(({ page, onLeftPage }) => page === null && !onLeftPage)
      .map(({ charge }) => charge)
    this.#giveUp(lost, 'the database did not take it in time')
    if (lost.length < group.length) this.#report.left(group.length - lost.length)
    for (const { done } of group) done(false)
  }

  #isCompany(): boolean {
    if (this.#gate.someoneWaits) return true
    if (this.#journal) return this.#waiting.length >= companyMax
    return this.#waiting.length * 4 >= this.#gate.unwrittenMax * 3
  }

  async #company(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#haveCompany = resolve
      if (!this.#journal) return setTimeout(resolve, companyMs.other)
      setTimeout(() => {
        if (this.#waiting.length < many) resolve()
        else setTimeout(resolve, companyMs.many - companyMs.journalled)
      }, companyMs.journalled)
    })
    this.#haveCompany = null
  }

  /** Request ids of those that were given up; null when nothing is known of the group and this process cannot wait. */
  async #writeGroup(charges: readonly Charge[]): Promise<Set<string> | null> {
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
        if (!this.#patient) return null
        if (mayPassLater(error)) {
          const isFirst = retryMs === retryMsMin
          if (isFirst && !(error instanceof StorageUnavailable)) this.#report.refused(error)
          await new Promise((resolve) => setTimeout(resolve, retryMs))
          continue
        }
        if (charges.length === 1) {
          return this.#giveUp(charges, error instanceof Error ? error.message : String(error))
        }
        // One charge the database refuses must not take the others down with it.
        const unpaid = new Set<string>()
        for (const one of charges) {
          const given = await this.#writeGroup([one])
          if (!given) return null
          for (const id of given) unpaid.add(id)
        }
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
