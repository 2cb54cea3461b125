// Bounds what a workspace can read without paying. A call that is aborted costs nothing (spec 1, what the service does,
// rule 7), so reading a stream to its last word and hanging up would be free answers. A few such calls are a network's
// or a person's doing; many, and more than those that were paid, are not.
import { Refusal } from '../core/refusal.ts'
import type { Clock } from '../lib/clock.ts'

const windowMs = 10 * 60_000
const freeAborts = 100
const shareMax = 0.5
const retryAfterSeconds = 60

type Tally = { sinceMs: number; aborted: number; completed: number }

export class AbortGuard {
  readonly #clock: Clock
  readonly #tallies = new Map<string, Tally>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws a Refusal while most of the workspace's calls are hung up on. */
  check(workspaceId: string): void {
    const { aborted, completed } = this.#tally(workspaceId)
    if (aborted <= freeAborts || aborted <= shareMax * (aborted + completed)) return
    throw new Refusal(
      'rate_limit_exceeded',
      `More than half of this workspace's calls were disconnected before their end; wait ${retryAfterSeconds} s, and read answers to the end.`,
      { retryAfterSeconds },
    )
  }

  /** Only calls of which the client had read something count. */
  aborted(workspaceId: string): void {
    this.#tally(workspaceId).aborted += 1
  }

  completed(workspaceId: string): void {
    this.#tally(workspaceId).completed += 1
  }

  #tally(workspaceId: string): Tally {
    const nowMs = this.#clock.now().getTime()
    const known = this.#tallies.get(workspaceId)
    if (known && nowMs - known.sinceMs < windowMs) return known
    const tally = { sinceMs: nowMs, aborted: 0, completed: 0 }
    this.#tallies.set(workspaceId, tally)
    return tally
  }
}
