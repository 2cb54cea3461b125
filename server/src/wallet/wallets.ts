// Holds, posts and voids for this process. A hold is taken in memory inside a lease, a durable slice of the
// wallet that expires if this process dies; so N calls on M processes can never hold more than the balance,
// a void costs nothing, and a crash voids everything.
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Picodollars } from '../lib/money.ts'
import type { Storage } from '../storage/open-storage.ts'
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

/** How many holds of the same size a lease takes along when funds are plenty. */
const spareHolds = 64n
/** Other processes answer a recall within this time, or their slack stays theirs. */
const recallTries = 5
const recallWaitMs = 50
/** How long a process that ends waits for a database that does not answer to take its last charges. */
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
}

export type WalletsOptions = { leaseMs?: number; report: SettleReport }

export class Wallets {
  readonly processId: string
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #settler: ChargeSettler
  readonly #report: SettleReport
  readonly #gate: DeliveryGate
  readonly #ports: HoldPorts
  readonly #places = new Map<string, Place>()
  readonly #renewal: NodeJS.Timeout

  constructor(storage: Storage, clock: Clock, options: WalletsOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#leaseMs = options.leaseMs ?? 30_000
    this.processId = newId(clock.now())
    this.#gate = new DeliveryGate(() => this.#settler.pending)
    this.#report = options.report
    this.#settler = new ChargeSettler(storage, clock, this.#gate, options.report)
    this.#ports = {
      gate: this.#gate,
      settler: this.#settler,
      holdMore: (lease, request, cost) => this.#holdMore(lease, request, cost),
    }
    this.#renewal = setInterval(() => {
      this.renew().catch(() => {})
    }, this.#leaseMs / 3)
    this.#renewal.unref()
    storage.changes.on('wallet_recall', (walletId) => {
      if (walletId !== null) this.#giveBackSlack(walletId).catch(() => {})
    })
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
      if (hold) return hold
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

  get chargesPending(): number {
    return this.#settler.pending
  }

  /** Resolves when what was posted so far is in the ledger, or was given up. */
  chargesWritten(): Promise<void> {
    return this.#settler.written()
  }

  /** Keeps the leases in use, gives back those that are not. Called by a timer. */
  async renew(): Promise<void> {
    const quietMs = this.#clock.monotonicMs() - this.#leaseMs / 3
    const keep: Lease[] = []
    for (const [walletId, place] of this.#places) {
      if (!place.lease) continue
      if (place.lease.idle && place.lease.lastUsedMs < quietMs && !place.filling) {
        await this.#giveBackAll(walletId, place)
      } else {
        keep.push(place.lease)
      }
    }
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
    await this.#settler.drained(settleMsMax)
    for (const [walletId, place] of this.#places) {
      if (place.lease) await this.#giveBackAll(walletId, place)
    }
  }

  #place(walletId: string): Place {
    let place = this.#places.get(walletId)
    if (!place) {
      place = { lease: null, waiters: [], filling: false }
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
    if (lease.slack < wanted) await this.#enlarge({ ...request, amount: wanted - lease.slack })
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
        const total = place.waiters.reduce((sum, { request }) => sum + request.amount, 0n)
        const slack = place.lease?.slack ?? 0n
        const wanted = total > slack ? total - slack : 0n
        const dearest = place.waiters.reduce(
          (max, { request: { amount } }) => (amount > max ? amount : max),
          0n,
        )
        const isNew = place.lease === null
        const lease = place.lease ?? new Lease(newId(this.#clock.now()), walletId)
        const sentMs = this.#clock.monotonicMs()
        const { granted, others, lost } = await store.enlargeLease(
          this.#storage,
          { id: lease.id, walletId, isNew, processId: this.processId, lifetimeMs: this.#leaseMs },
          wanted,
          dearest * spareHolds,
        )
        if (lost) {
          this.#forget(lease)
          continue
        }
        place.lease = lease
        lease.granted(granted)
        lease.validUntilMs = this.#validUntil(sentMs)
        if (granted >= wanted) continue
        this.#serveWaiters(place)
        if (others > 0n && recalls < recallTries) {
          recalls += 1
          await store.recallLeases(this.#storage, walletId)
          await new Promise((resolve) => setTimeout(resolve, recallWaitMs))
          continue
        }
        for (const waiter of place.waiters.splice(0)) waiter.reject(new InsufficientFunds())
      }
    } catch (error) {
      for (const waiter of place.waiters.splice(0)) waiter.reject(error)
    } finally {
      place.filling = false
    }
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
    const part = lease.slack
    lease.gaveBack(part)
    await store.returnLease(this.#storage, lease, part, false)
  }

  async #giveBackAll(walletId: string, place: Place): Promise<void> {
    const lease = place.lease
    if (!lease) return
    place.lease = null
    const part = lease.slack
    lease.gaveBack(part)
    await store.returnLease(this.#storage, lease, part, true)
    if (place.waiters.length === 0 && !place.filling && place.lease === null) {
      this.#places.delete(walletId)
    }
  }

  /** The lease was taken back: its open holds will be paid from what is free, new ones need a new lease. */
  #forget(lease: Lease): void {
    const place = this.#places.get(lease.walletId)
    if (place?.lease === lease) place.lease = null
  }
}
