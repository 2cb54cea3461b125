// A call that Hone makes itself, such as one of a test: it holds and charges nothing, is not recorded, and takes
// nothing of its workspace's ceilings or its allowance for aborted calls. What it cost is kept for the one who made it.
import type { Caller } from '../account/caller.ts'
import { noUsage, type Usage } from '../core/usage.ts'
import type { Picodollars } from '../lib/money.ts'
import type { Bill, Billing, CompletedCall } from './billing.ts'
import { notRecorded } from './recorder.ts'

export class CollectedBilling implements Billing, Bill {
  readonly headers = {}
  readonly recording = notRecorded
  #usage = noUsage
  #cost: Picodollars = 0n

  get usage(): Usage {
    return this.#usage
  }

  get cost(): Picodollars {
    return this.#cost
  }

  /** Apart from the workspace's own calls, so that a test does not take their slots. */
  queueOf({ workspace }: Caller): string {
    return `platform calls of ${workspace.id}`
  }

  open(): Promise<Bill> {
    return Promise.resolve(this)
  }

  mayDeliver(): undefined {
    return undefined
  }

  settle({ usage, cost }: CompletedCall): void {
    this.#usage = usage
    this.#cost = cost
  }

  void(): void {}
}
