// One wallet in this process: its lease, and those who wait for room in it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Picodollars } from '../lib/money.ts'
import type { Storage } from '../storage/open-storage.ts'
import { type Hold, type HoldPorts, type HoldRequest, OpenHold } from './hold.ts'
import { FundsOutOfReach, InsufficientFunds } from './lacking-funds.ts'
import { Lease } from './lease.ts'
import { Recall } from './recall.ts'
import * as store from './wallet-store.ts'

/** How many holds of the same size a lease takes along when funds are plenty: the more, the faster they were used up. */
const spareHolds = { least: 64n, most: 4096n }
const usedUpFastMs = 1000

type Waiter = {
  request: HoldRequest
  resolve: (hold: Hold) => void
  reject: (error: unknown) => void
}

export type PlacePorts = {
  storage: Storage
  clock: Clock
  processId: string
  leaseMs: number
  holds: HoldPorts
}

export class WalletPlace {
  readonly #walletId: string
  readonly #ports: PlacePorts
  #lease: Lease | null = null
  #waiters: Waiter[] = []
  #filling = false
  #spareHolds = spareHolds.least
  #enlargedMs = Number.NEGATIVE_INFINITY
  /** With less room than this, more is fetched before anybody has to wait for it. */
  #lowWater: Picodollars = 0n

  constructor(walletId: string, ports: PlacePorts) {
    this.#walletId = walletId
    this.#ports = ports
  }

  get lease(): Lease | null {
    return this.#lease
  }

  /** Whether nobody has wanted anything of it since then. */
  quietSince(monotonicMs: number): boolean {
    if (this.#filling) return false
    return !this.#lease || (this.#lease.idle && this.#lease.lastUsedMs < monotonicMs)
  }

  /** From the lease where it has room, else from the database; may fail with InsufficientFunds or FundsOutOfReach. */
  async hold(request: HoldRequest): Promise<Hold> {
    if (this.#waiters.length > 0) return this.#holdInTurn(request)
    const hold = this.#holdInside(request)
    if (!hold) return this.#holdInTurn(request)
    if (this.#lease && this.#lease.slack < this.#lowWater) this.#topUp(this.#lease, request)
    return hold
  }

  /** As a call would that comes now, but it takes no place: its money is wanted by one that is over. */
  async enlarge(request: HoldRequest): Promise<void> {
    try {
      const hold = await this.#holdInTurn(request)
      hold.void()
    } catch {
      // Then there is what there is.
    }
  }

  renewed(lease: Lease, sentMs: number): void {
    // The database counts from when it heard us, which is later; the margin is for clocks that drift.
    lease.validUntilMs = sentMs + this.#ports.leaseMs * 0.9
  }

  /** The lease was taken back: its open holds will be paid from what is free, new ones need a new lease. */
  lost(lease: Lease): void {
    if (this.#lease === lease) this.#lease = null
  }

  async giveBackSlack(): Promise<void> {
    const lease = this.#lease
    if (!lease || lease.slack <= 0n) return
    let part: Picodollars | null = null
    await lease.changes.make(async (step) => {
      // Once: what is repeated is the same part, whatever was held or freed meanwhile.
      if (part === null) {
        part = lease.slack
        lease.gaveBack(part)
      }
      const change = { id: lease.id, step, walletId: this.#walletId }
      await store.returnLease(this.#ports.storage, change, part)
    })
  }

  #holdInTurn(request: HoldRequest): Promise<Hold> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ request, resolve, reject })
      if (!this.#filling) void this.#fill()
    })
  }

  #holdInside(request: HoldRequest): Hold | null {
    const lease = this.#lease
    const nowMs = this.#ports.clock.monotonicMs()
    if (!lease || lease.validUntilMs <= nowMs || lease.slack < request.amount) return null
    lease.lastUsedMs = nowMs
    lease.hold(request.amount)
    return new OpenHold(this.#ports.holds, lease, request)
  }

  /** Serves the waiters in order, enlarging the lease for all of them at once. */
  async #fill(): Promise<void> {
    this.#filling = true
    let recall: Recall | null = null
    try {
      while (this.#serveWaiters()) {
        const lease = (this.#lease ??= new Lease(newId(this.#ports.clock.now()), this.#walletId))
        const amounts = this.#waiters.map(({ request }) => request.amount)
        const { granted, wanted, others, lost } = await this.#enlargeFor(lease, amounts)
        if (lost || granted >= wanted) continue
        this.#serveWaiters()
        if (others > 0n) {
          const { storage, processId } = this.#ports
          recall ??= new Recall(storage, this.#walletId, processId)
          if (await recall.ask()) continue
        }
        this.#refuse(lease, others > 0n && recall ? recall.silent : null)
        recall = null
        if (granted > 0n) {
          // One that is over takes what there is; the rest would be missing elsewhere.
          await nextTurn()
          await this.giveBackSlack().catch(() => {})
        }
      }
    } catch (error) {
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error)
    } finally {
      this.#filling = false
    }
  }

  /** What other calls hold is spoken for; what nobody holds, or who does not answer, would cover a call another time. */
  #refuse(lease: Lease, silent: Recall['silent']): void {
    for (const { request, reject } of this.#waiters.splice(0)) {
      const isCovered = silent && request.amount <= lease.slack + silent.unheld + silent.amount
      reject(isCovered ? new FundsOutOfReach(silent.endsInSeconds) : new InsufficientFunds())
    }
  }

  /** True while some still wait. */
  #serveWaiters(): boolean {
    this.#waiters = this.#waiters.filter((waiter) => {
      const hold = this.#holdInside(waiter.request)
      if (hold) waiter.resolve(hold)
      return !hold
    })
    return this.#waiters.length > 0
  }

  /** In the background, because the calls of the moment have what they need. What goes wrong shows when somebody waits. */
  #topUp(lease: Lease, { amount }: HoldRequest): void {
    this.#lowWater = 0n
    this.#enlargeFor(lease, [], amount).catch(() => {})
  }

  #enlargeFor(
    lease: Lease,
    amounts: readonly Picodollars[],
    size: Picodollars = 0n,
  ): Promise<{ granted: Picodollars; wanted: Picodollars; others: Picodollars; lost: boolean }> {
    const { storage, clock, processId, leaseMs } = this.#ports
    const total = amounts.reduce((sum, amount) => sum + amount, 0n)
    const dearest = amounts.reduce((max, amount) => (amount > max ? amount : max), size)
    const wanted = total > lease.slack ? total - lease.slack : 0n
    const spare = dearest * this.#holdsToSpare()
    return lease.changes.make(async (step) => {
      const sentMs = clock.monotonicMs()
      const answer = await store.enlargeLease(
        storage,
        { id: lease.id, step, walletId: this.#walletId, processId, lifetimeMs: leaseMs },
        wanted,
        spare,
      )
      if (answer.lost) {
        this.lost(lease)
      } else {
        lease.granted(answer.granted)
        this.renewed(lease, sentMs)
        this.#lowWater = answer.granted > wanted ? (answer.granted - wanted) / 2n : 0n
      }
      return { ...answer, wanted }
    })
  }

  #holdsToSpare(): bigint {
    const nowMs = this.#ports.clock.monotonicMs()
    const fast = nowMs - this.#enlargedMs < usedUpFastMs
    const more = fast ? this.#spareHolds * 2n : spareHolds.least
    this.#enlargedMs = nowMs
    this.#spareHolds = more < spareHolds.most ? more : spareHolds.most
    return this.#spareHolds
  }
}
