// Bounds what a workspace can read without paying. A call that is aborted costs nothing (spec 1, what the service does,
// rule 7), so reading a stream to its last word and hanging up would be free answers. A few such calls are a network's
// or a person's doing; many, and more than those that were paid, are not: more of them, or dearer ones, so that cheap calls do
// not make up for dear ones. Processes on one database tell each other what they counted every few seconds, so that a
// workspace has one allowance and not one on each.
import { Refusal } from '../core/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/open-storage.ts'
import { exchangeHangUps, type HangUps, noHangUps } from './hang-up-store.ts'

/** Windows begin at the same times in every process. */
const windowMs = 10 * 60_000
const freeAborts = 100
const shareMax = 0.5
const retryAfterSecondsMax = 60
const exchangeMs = 5_000

export type AbortGuardOptions = {
  processId: string
  /** True where no other process can be on the database, so that the count here is the whole count. */
  alone: boolean
}

type Tally = {
  windowStartMs: number
  here: HangUps
  /** What all other processes had counted when last heard. */
  elsewhere: HangUps
  /** Something was counted since the last exchange. */
  untold: boolean
}

export class AbortGuard {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #options: AbortGuardOptions
  readonly #tallies = new Map<string, Tally>()
  readonly #timer: NodeJS.Timeout

  constructor(storage: Storage, clock: Clock, options: AbortGuardOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#options = options
    this.#timer = setInterval(() => {
      // What could not be told now is told with what is counted next.
      this.exchange().catch(() => {})
    }, exchangeMs)
    this.#timer.unref()
  }

  /** Throws a Refusal while most of the workspace's calls are hung up on. */
  check(workspaceId: string): void {
    const { here, elsewhere } = this.#tally(workspaceId)
    const all = (what: keyof HangUps): number => here[what] + elsewhere[what]
    if (all('aborted') <= freeAborts) return
    const isMost = (part: number, rest: number): boolean => part > shareMax * (part + rest)
    if (!isMost(all('aborted'), all('completed')) && !isMost(all('unpaid'), all('paid'))) return
    const left = Math.ceil((this.#windowStartMs() + windowMs - this.#clock.now().getTime()) / 1000)
    throw new Refusal(
      'rate_limit_exceeded',
      `Clients of this workspace disconnected before the end of more than half of its recent calls, by number or by price; wait ${left} s, and read answers to the end.`,
      { retryAfterSeconds: Math.min(left, retryAfterSecondsMax) },
    )
  }

  /** Only calls of which the client had read something count, and what that is worth. Prices in pico-dollars. */
  aborted(workspaceId: string, price: number): void {
    const { here } = this.#toCount(workspaceId)
    here.aborted += 1
    here.unpaid += price
  }

  completed(workspaceId: string, price: number): void {
    const { here } = this.#toCount(workspaceId)
    here.completed += 1
    here.paid += price
  }

  /** Tells the other processes what was counted here, hears what they counted, and forgets what is over. Called by a timer. */
  async exchange(): Promise<void> {
    const windowStartMs = this.#windowStartMs()
    const told = new Map<string, HangUps>()
    for (const [id, tally] of this.#tallies) {
      if (tally.windowStartMs !== windowStartMs) this.#tallies.delete(id)
      else if (tally.untold) told.set(id, tally.here)
      tally.untold = false
    }
    if (this.#options.alone || this.#tallies.size === 0) return
    const elsewhere = await exchangeHangUps(this.#storage, {
      processId: this.#options.processId,
      windowStart: new Date(windowStartMs),
      told,
      workspaceIds: [...this.#tallies.keys()],
    })
    for (const [id, heard] of elsewhere) {
      const tally = this.#tallies.get(id)
      if (tally?.windowStartMs === windowStartMs) tally.elsewhere = heard
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #toCount(workspaceId: string): Tally {
    const tally = this.#tally(workspaceId)
    tally.untold = true
    return tally
  }

  #tally(workspaceId: string): Tally {
    const windowStartMs = this.#windowStartMs()
    const known = this.#tallies.get(workspaceId)
    if (known?.windowStartMs === windowStartMs) return known
    const tally = {
      windowStartMs,
      here: { ...noHangUps },
      elsewhere: noHangUps,
      untold: false,
    }
    this.#tallies.set(workspaceId, tally)
    return tally
  }

  #windowStartMs(): number {
    return Math.floor(this.#clock.now().getTime() / windowMs) * windowMs
  }
}
