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
import { freeHold, type Hold, type HoldRequest } from './hold.ts'
import type { Lease } from './lease.ts'
import { ChargeSettler, type SettleReport } from './settle-charges.ts'
import { type PlacePorts, WalletPlace } from './wallet-place.ts'
import * as store from './wallet-store.ts'

/** How long a process that ends or starts waits for a database that does not answer to take the last charges. */
const settleMsMax = 5000

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
  readonly #ports: PlacePorts
  readonly #places = new Map<string, WalletPlace>()
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
      storage,
      clock,
      processId: this.processId,
      leaseMs: this.#leaseMs,
      holds: {
        gate: this.#gate,
        settler: this.#settler,
        holdMore: (lease, request, cost) => this.#grow(this.#holdMore(lease, request, cost)),
      },
    }
    this.#renewal = setInterval(() => {
      this.#journal?.touch()
      this.renew().catch(() => {})
    }, this.#leaseMs / 3)
    this.#renewal.unref()
    storage.changes.on('wallet_recall', (walletId) => {
      const place = this.#places.get(walletId ?? '')
      if (place) this.#answerRecall(place).catch(() => {})
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

  /** From the lease where it has room, else from the database; may fail with InsufficientFunds or FundsOutOfReach. */
  async hold(request: HoldRequest): Promise<Hold> {
    // A free call needs no funds, and no trip to find that out.
    if (request.amount === 0n) return freeHold
    for (let turn = this.#gate.mayBegin(); turn; turn = this.#gate.mayBegin()) await turn
    return this.#place(request.walletId).hold(request)
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
    const settled = Promise.all(charges.map((charge) => this.#settler.settleLeft(charge)))
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
    const keep: { place: WalletPlace; lease: Lease }[] = []
    for (const [walletId, place] of this.#places) {
      const { lease } = place
      if (place.quietSince(quietMs)) {
        this.#places.delete(walletId)
        if (lease) this.#ending.add(lease.id)
      } else if (lease) {
        keep.push({ place, lease })
      }
    }
    await this.#endLeases()
    await this.#renewLeases(keep)
  }

  /** Whoever asked hears from the renewal that this process is there, also where it has nothing to spare. */
  async #answerRecall(place: WalletPlace): Promise<void> {
    await place.giveBackSlack()
    if (place.lease) await this.#renewLeases([{ place, lease: place.lease }])
  }

  async #renewLeases(keep: readonly { place: WalletPlace; lease: Lease }[]): Promise<void> {
    for (const { lease } of keep) await lease.changes.repeatUnknown()
    if (keep.length === 0) return
    const sentMs = this.#clock.monotonicMs()
    const leases = keep.map(({ lease }) => lease)
    const ours = await store.renewLeases(this.#storage, leases, this.#leaseMs)
    for (const { place, lease } of keep) {
      if (ours.has(lease.id)) place.renewed(lease, sentMs)
      else place.lost(lease)
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

  #place(walletId: string): WalletPlace {
    let place = this.#places.get(walletId)
    if (!place) {
      place = new WalletPlace(walletId, this.#ports)
      this.#places.set(walletId, place)
    }
    return place
  }

  /**
   * Templates and images can have more tokens than anybody foresaw before the call. What the wallet has free pays for them;
   * the rest is the operator's loss, because no wallet may go below zero.
   */
  async #holdMore(lease: Lease, request: HoldRequest, cost: Picodollars): Promise<Picodollars> {
    const wanted = cost - request.amount
    if (lease.slack < wanted) {
      await this.#place(request.walletId).enlarge({ ...request, amount: wanted })
    }
    const more = wanted < lease.slack ? wanted : lease.slack
    lease.hold(more)
    if (more < wanted) this.#report.underpaid(request.requestId, wanted - more)
    return more
  }
}
