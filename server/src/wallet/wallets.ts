// Holds, posts and voids for this process. A hold is taken in memory inside a lease, a durable slice of the
// wallet that expires if this process dies; so N calls on M processes can never hold more than the balance,
// a void costs nothing, and a crash voids everything.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Picodollars } from '../lib/money.ts'
import { within } from '../lib/within.ts'
import type { Storage } from '../storage/open-storage.ts'
import type { Charge } from './charge.ts'
import { ChargeJournal, type JournalReport } from './charge-journal.ts'
import { DeliveryGate } from './delivery-gate.ts'
import { freeHold, type Hold, type HoldPorts, type HoldRequest, OpenHold } from './hold.ts'
import { Lease } from './lease.ts'
import { ChargeSettler, type SettleReport } from './settle-charges.ts'
import * as store from './wallet-store.ts'

export class InsufficientFunds extends Error {
  constructor() {
    super('the wallet does not cover the most this call can cost')
    this.name = 'InsufficientFunds'
  }
}

/** How many holds of the same size a lease takes along when funds are plenty: the more, the faster they were used up. */
const spareHolds = { least: 64n, most: 4096n }
const usedUpFastMs = 1000
/** Other processes answer a recall within this time, or their slack stays theirs. */
const recallTries = 5
const recallWaitMs = 50
/** How long a process that ends or starts waits for a database that does not answer to take the last charges. */
const settleMsMax = 5000

type Waiter = {
  request: HoldRequest
  resolve: (hold: Hold) => void
  reject: (error: unknown) => void
}

type Place = {
  lease: Lease | null
  waiters: Waiter[]
  filling: boolean
  spareHolds: bigint
  enlargedMs: number
  /** With less room than this, more is fetched before anybody has to wait for it. */
  lowWater: Picodollars
}

export type WalletsOptions = {
  leaseMs?: number
  report: SettleReport
  /** Where charges are written down before the ledger has them; null where a kill may lose what is on its way there. */
  journal?: { folder: string; report: JournalReport } | null
}

export class Wallets {
  readonly processId: string
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #settler: ChargeSettler
  readonly #report: SettleReport
  readonly #gate: DeliveryGate
  readonly #journal: ChargeJournal | null
  readonly #ports: HoldPorts
  readonly #places = new Map<string, Place>()
  /** Leases that nothing is held in any more, until the database has them back. */
  readonly #ending = new Set<string>()
  readonly #renewal: NodeJS.Timeout
  /** Of calls that are over and cost more than was held for them. */
  readonly #growing = new Set<Promise<unknown>>()

  constructor(storage: Storage, clock: Clock, options: WalletsOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#leaseMs = options.leaseMs ?? 30_000
    this.processId = newId(clock.now())
    const { journal = null } = options
    this.#journal = journal && this.#openJournal(journal)
    this.#report = options.report
    // The two know each other; the gate looks at nothing before a call begins.
    const charges = { unsafe: () => this.#settler.unsafe, pending: () => this.#settler.pending }
    this.#gate = new DeliveryGate(charges)
    this.#settler = new ChargeSettler(storage, clock, this.#gate, options.report, this.#journal)
    this.#ports = {
      gate: this.#gate,
      settler: this.#settler,
      holdMore: (lease, request, cost) => this.#grow(this.#holdMore(lease, request, cost)),
    }
    this.#renewal = setInterval(() => {
      this.#journal?.touch()
      this.renew().catch(() => {})
    }, this.#leaseMs / 3)
    this.#renewal.unref()
    storage.changes.on('wallet_recall', (walletId) => {
      if (walletId !== null) this.#giveBackSlack(walletId).catch(() => {})
    })
  }

  /** Without one, answers wait for the ledger. */
  #openJournal({
    folder,
    report,
  }: {
    folder: string
    report: JournalReport
  }): ChargeJournal | null {
    try {
      return new ChargeJournal(folder, this.processId, report, () => this.#gate.chargesSafe())
    } catch (error) {
      report.failed(error)
      return null
    }
  }

  /** At once from the lease where it has room; else a promise that may fail with InsufficientFunds. */
  hold(request: HoldRequest): Hold | Promise<Hold> {
    // A free call needs no funds, and no trip to find that out.
    if (request.amount === 0n) return freeHold
    const turn = this.#gate.mayBegin()
    if (turn) return turn.then(() => this.hold(request))
    const place = this.#place(request.walletId)
    if (place.waiters.length === 0) {
      const hold = this.#holdInside(place.lease, request)
      if (hold) {
        if (place.lease && place.lease.slack < place.lowWater)
          this.#topUp(place, place.lease, request)
        return hold
      }
    }
    return this.#holdInTurn(request)
  }

  #holdInTurn(request: HoldRequest): Promise<Hold> {
    const place = this.#place(request.walletId)
    return new Promise((resolve, reject) => {
      place.waiters.push({ request, resolve, reject })
      if (!place.filling) void this.#fill(request.walletId, place)
    })
  }

  held(walletId: string): Picodollars {
    return this.#places.get(walletId)?.lease?.held ?? 0n
  }

  /** Those of the charges whose wallets this database has. */
  async ownCharges(charges: readonly Charge[]): Promise<Charge[]> {
    const ids = new Set(charges.map(({ walletId }) => walletId))
    const own = await store.presentWallets(this.#storage, [...ids])
    return charges.filter(({ walletId }) => own.has(walletId))
  }

  /**
   * Charges that a process wrote down which may have ended before the ledger had them. False when the database does not take them
   * in time; they are tried again then for as long as this process runs.
   */
  async chargeLeft(charges: readonly Charge[], patienceMs = settleMsMax): Promise<boolean> {
    const settled = Promise.all(charges.map((charge) => this.#settler.settle(charge)))
    return within(patienceMs, settled)
  }

  get chargesPending(): number {
    return this.#settler.pending
  }

  /** Resolves when what was posted so far is in the ledger, or was given up. */
  async chargesWritten(): Promise<void> {
    await this.#grown()
    await this.#settler.written()
  }

  async #grow<Held>(growth: Promise<Held>): Promise<Held> {
    this.#growing.add(growth)
    try {
      return await growth
    } finally {
      this.#growing.delete(growth)
    }
  }

  /** Resolves when the charges are posted that cost more than was held, or when their funds are too long in coming. */
  async #grown(): Promise<void> {
    if (this.#growing.size === 0) return
    await within(settleMsMax, Promise.allSettled(this.#growing))
    await nextTurn()
  }

  /** Keeps the leases in use, gives back those that are not. Called by a timer. */
  async renew(): Promise<void> {
    const quietMs = this.#clock.monotonicMs() - this.#leaseMs / 3
    const keep: Lease[] = []
    for (const [walletId, { lease, filling }] of this.#places) {
      if (!lease) continue
      if (lease.idle && lease.lastUsedMs < quietMs && !filling) {
        this.#places.delete(walletId)
        this.#ending.add(lease.id)
      } else {
        keep.push(lease)
      }
    }
    await this.#endLeases()
    for (const lease of keep) await lease.changes.repeatUnknown()
    if (keep.length === 0) return
    const sentMs = this.#clock.monotonicMs()
    const ours = await store.renewLeases(this.#storage, keep, this.#leaseMs)
    for (const lease of keep) {
      if (ours.has(lease.id)) lease.validUntilMs = this.#validUntil(sentMs)
      else this.#forget(lease)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal)
    await this.#grown()
    const answers = await this.#settler.drained(settleMsMax)
    for (const { lease } of this.#places.values()) if (lease) this.#ending.add(lease.id)
    this.#places.clear()
    this.#journal?.close()
    // A database that took no charge in all that time takes no leases either; they run out by themselves.
    if (answers) await this.#endLeases()
  }

  async #endLeases(): Promise<void> {
    const ids = [...this.#ending]
    if (ids.length === 0) return
    await store.endLeases(this.#storage, ids)
    for (const id of ids) this.#ending.delete(id)
  }

  #place(walletId: string): Place {
    let place = this.#places.get(walletId)
    if (!place) {
      place = {
        lease: null,
        waiters: [],
        filling: false,
        spareHolds: spareHolds.least,
        enlargedMs: Number.NEGATIVE_INFINITY,
        lowWater: 0n,
      }
      this.#places.set(walletId, place)
    }
    return place
  }

  #validUntil(sentMs: number): number {
    // The database counts from when it heard us, which is later; the margin is for clocks that drift.
    return sentMs + this.#leaseMs * 0.9
  }

  #holdInside(lease: Lease | null, request: HoldRequest): Hold | null {
    const nowMs = this.#clock.monotonicMs()
    if (!lease || lease.validUntilMs <= nowMs || lease.slack < request.amount) return null
    lease.lastUsedMs = nowMs
    lease.hold(request.amount)
    return new OpenHold(this.#ports, lease, request)
  }

  /**
   * Templates and images can have more tokens than anybody foresaw before the call. What the wallet has free pays for them;
   * the rest is the operator's loss, because no wallet may go below zero.
   */
  async #holdMore(lease: Lease, request: HoldRequest, cost: Picodollars): Promise<Picodollars> {
    const wanted = cost - request.amount
    if (lease.slack < wanted) await this.#enlarge({ ...request, amount: wanted })
    const more = wanted < lease.slack ? wanted : lease.slack
    lease.hold(more)
    if (more < wanted) this.#report.underpaid(request.requestId, wanted - more)
    return more
  }

  /** As a call would that comes now, but it takes no place: its money is wanted by one that is over. */
  async #enlarge(request: HoldRequest): Promise<void> {
    try {
      const hold = await this.#holdInTurn(request)
      hold.void()
    } catch {
      // Then there is what there is.
    }
  }

  /** Serves the waiters in order, enlarging the lease for all of them at once. */
  async #fill(walletId: string, place: Place): Promise<void> {
    place.filling = true
    let recalls = 0
    try {
      while (this.#serveWaiters(place)) {
        const lease = (place.lease ??= new Lease(newId(this.#clock.now()), walletId))
        const amounts = place.waiters.map(({ request }) => request.amount)
        const { granted, wanted, others, lost } = await this.#enlargeFor(place, lease, amounts)
        if (lost || granted >= wanted) continue
        this.#serveWaiters(place)
        if (others > 0n && recalls < recallTries) {
          recalls += 1
          await store.recallLeases(this.#storage, walletId)
          await new Promise((resolve) => setTimeout(resolve, recallWaitMs))
          continue
        }
        const refused = place.waiters.splice(0)
        for (const waiter of refused) waiter.reject(new InsufficientFunds())
        if (granted > 0n) {
          // One that is over takes what there is; the rest would be missing elsewhere.
          await nextTurn()
          await this.#giveBackSlack(walletId).catch(() => {})
        }
      }
    } catch (error) {
      for (const waiter of place.waiters.splice(0)) waiter.reject(error)
    } finally {
      place.filling = false
    }
  }

  /** In the background, because the calls of the moment have what they need. What goes wrong shows when somebody waits. */
  #topUp(place: Place, lease: Lease, { amount }: HoldRequest): void {
    place.lowWater = 0n
    this.#enlargeFor(place, lease, [], amount).catch(() => {})
  }

  #enlargeFor(
    place: Place,
    lease: Lease,
    amounts: readonly Picodollars[],
    size: Picodollars = 0n,
  ): Promise<{ granted: Picodollars; wanted: Picodollars; others: Picodollars; lost: boolean }> {
    const total = amounts.reduce((sum, amount) => sum + amount, 0n)
    const dearest = amounts.reduce((max, amount) => (amount > max ? amount : max), size)
    const wanted = total > lease.slack ? total - lease.slack : 0n
    const spare = dearest * this.#spareHolds(place)
    return lease.changes.make(async (step) => {
      const sentMs = this.#clock.monotonicMs()
      const answer = await store.enlargeLease(
        this.#storage,
        {
          id: lease.id,
          step,
          walletId: lease.walletId,
          processId: this.processId,
          lifetimeMs: this.#leaseMs,
        },
        wanted,
        spare,
      )
      if (answer.lost) {
        this.#forget(lease)
      } else {
        lease.granted(answer.granted)
        lease.validUntilMs = this.#validUntil(sentMs)
        place.lowWater = answer.granted > wanted ? (answer.granted - wanted) / 2n : 0n
      }
      return { ...answer, wanted }
    })
  }

  #spareHolds(place: Place): bigint {
    const nowMs = this.#clock.monotonicMs()
    const fast = nowMs - place.enlargedMs < usedUpFastMs
    const more = fast ? place.spareHolds * 2n : spareHolds.least
    place.enlargedMs = nowMs
    place.spareHolds = more < spareHolds.most ? more : spareHolds.most
    return place.spareHolds
  }

  /** True while some still wait. */
  #serveWaiters(place: Place): boolean {
    place.waiters = place.waiters.filter((waiter) => {
      const hold = this.#holdInside(place.lease, waiter.request)
      if (hold) waiter.resolve(hold)
      return !hold
    })
    return place.waiters.length > 0
  }

  async #giveBackSlack(walletId: string): Promise<void> {
    const lease = this.#places.get(walletId)?.lease
    if (!lease || lease.slack <= 0n) return
    let part: Picodollars | null = null
    await lease.changes.make(async (step) => {
      // Once: what is repeated is the same part, whatever was held or freed meanwhile.
      if (part === null) {
        part = lease.slack
        lease.gaveBack(part)
      }
      await store.returnLease(this.#storage, { id: lease.id, step, walletId }, part)
    })
  }

  /** The lease was taken back: its open holds will be paid from what is free, new ones need a new lease. */
  #forget(lease: Lease): void {
    const place = this.#places.get(lease.walletId)
    if (place?.lease === lease) place.lease = null
  }
}
