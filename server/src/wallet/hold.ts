// What one call holds of its wallet, until it is posted or voided.
import type { Picodollars } from '../lib/money.ts'
import type { ChargedCall } from './charge.ts'
import type { DeliveryGate } from './delivery-gate.ts'
import type { Lease } from './lease.ts'
import type { ChargeSettler } from './settle-charges.ts'

export type HoldRequest = {
  walletId: string
  workspaceId: string
  keyId: string | null
  /** This execution of the call; charged at most once. */
  requestId: string
  amount: Picodollars
}

export interface Hold {
  /** To be waited for before the last of the answer goes out; fails when the database takes no charges. */
  mayDeliver(): undefined | Promise<void>
  /** Charges the real cost and frees the rest. Resolves once it is in the ledger; false when nothing was charged. */
  post(cost: Picodollars, call: ChargedCall): Promise<boolean>
  /** Frees everything; nothing is charged. After a post or a void it does nothing. */
  void(): void
}

export type HoldPorts = {
  gate: DeliveryGate
  settler: ChargeSettler
  /** Holds what a cost has beyond its hold, as far as there are funds. */
  holdMore: (lease: Lease, request: HoldRequest, cost: Picodollars) => Promise<Picodollars>
}

/** Inside a lease, in memory. */
export class OpenHold implements Hold {
  readonly #ports: HoldPorts
  readonly #lease: Lease
  readonly #request: HoldRequest
  #open = true
  #delivery: 'none' | 'waiting' | 'leaving' = 'none'

  constructor(ports: HoldPorts, lease: Lease, request: HoldRequest) {
    this.#ports = ports
    this.#lease = lease
    this.#request = request
    ports.gate.began()
  }

  mayDeliver(): undefined | Promise<void> {
    if (!this.#open || this.#delivery !== 'none') return
    const { gate, settler } = this.#ports
    const turn = gate.mayDeliver()
    this.#delivery = turn ? 'waiting' : 'leaving'
    if (!turn) return
    settler.hurry()
    return turn.then(() => {
      this.#delivery = 'leaving'
      if (!this.#open) gate.left()
    })
  }

  async post(cost: Picodollars, call: ChargedCall): Promise<boolean> {
    const request = this.#request
    if (!this.#open) throw new Error(`request ${request.requestId} was posted or voided before`)
    this.#close()
    const { settler, holdMore } = this.#ports
    const lease = this.#lease
    const more = cost > request.amount ? await holdMore(lease, request, cost) : 0n
    const held = request.amount + more
    const charged = cost > held ? held : cost
    lease.charge(held, charged)
    if (charged <= 0n) {
      this.#left()
      return false
    }
    const { walletId, workspaceId, keyId, requestId } = request
    const settled = settler.settle({
      walletId,
      leaseId: lease.id,
      amount: charged,
      workspaceId,
      keyId,
      requestId,
      call,
    })
    this.#left()
    const written = await settled
    lease.chargeLanded(charged)
    return written
  }

  void(): void {
    if (!this.#open) return
    this.#close()
    this.#left()
    this.#lease.release(this.#request.amount)
  }

  #close(): void {
    this.#open = false
    this.#ports.gate.ended()
  }

  #left(): void {
    if (this.#delivery === 'leaving') this.#ports.gate.left()
  }
}

/** Nothing is held and nothing can be charged. */
export const freeHold: Hold = {
  mayDeliver: () => undefined,
  post: () => Promise.resolve(false),
  void: () => {},
}
