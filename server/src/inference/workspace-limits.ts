// Ceilings of a workspace, shared by all processes: requests and tokens in each minute, and calls at once.
// A process takes its share of a minute in portions of a hundredth, so that the database is asked rarely and the sum of
// all processes stays within a hundredth each of the ceiling.
import { Refusal } from '../core/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/open-storage.ts'
import type { CallPlaces } from './call-places.ts'
import { takeOfMinute } from './limit-store.ts'

export type Ceilings = {
  requestsPerMinute: number
  tokensPerMinute: number
  concurrentCalls: number
}

/** `Retry-After` beyond this is ignored by some clients. */
const retryAfterSecondsMax = 60

type Meter = {
  minuteMs: number
  ceilings: Ceilings
  /** Taken from the shared minute and not yet used here. */
  requests: number
  tokens: number
  /** What all processes had taken when last heard. */
  takenRequests: number
  takenTokens: number
  taking: Promise<void> | null
}

export type Admission = {
  headers: Record<string, string>
  /** Corrects the estimate and frees the place. */
  done(tokensUsed: number): void
}

export class WorkspaceLimits {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #places: CallPlaces
  readonly #ceilings: () => Ceilings
  readonly #meters = new Map<string, Meter>()

  constructor(storage: Storage, clock: Clock, places: CallPlaces, ceilings: () => Ceilings) {
    this.#storage = storage
    this.#clock = clock
    this.#places = places
    this.#ceilings = ceilings
  }

  /** Throws a Refusal when a ceiling is reached. */
  async admit(workspaceId: string, tokenEstimate: number): Promise<Admission> {
    const ceilings = this.#ceilings()
    const taken = this.#places.take(workspaceId, ceilings.concurrentCalls)
    if (taken !== true && !(await taken)) {
      const headers = this.#headers(this.#meter(workspaceId, ceilings), ceilings)
      throw this.#limited(`${ceilings.concurrentCalls} calls at once`, 1, headers)
    }
    try {
      // One call alone must be able to pass, however large its estimate is.
      const tokens = Math.min(tokenEstimate, ceilings.tokensPerMinute)
      const meter = await this.#takeRoom(workspaceId, tokens, ceilings)
      return this.#admission(workspaceId, meter, tokens, ceilings)
    } catch (error) {
      this.#places.leave(workspaceId)
      throw error
    }
  }

  #admission(workspaceId: string, meter: Meter, tokens: number, ceilings: Ceilings): Admission {
    let open = true
    return {
      headers: this.#headers(meter, ceilings),
      done: (tokensUsed) => {
        if (!open) return
        open = false
        this.#places.leave(workspaceId)
        // Back into this minute's portion, or as a debt on it; another minute has its own count.
        if (this.#meters.get(workspaceId) === meter) meter.tokens += tokens - tokensUsed
      },
    }
  }

  /** Takes room for one request of so many tokens, in the same turn as it is found. */
  async #takeRoom(workspaceId: string, tokens: number, ceilings: Ceilings): Promise<Meter> {
    for (;;) {
      const meter = this.#meter(workspaceId, ceilings)
      if (meter.requests >= 1 && meter.tokens >= tokens) {
        meter.requests -= 1
        meter.tokens -= tokens
        return meter
      }
      const before = meter.takenRequests + meter.takenTokens
      meter.taking ??= this.#take(workspaceId, meter, tokens, ceilings).finally(() => {
        meter.taking = null
      })
      await meter.taking
      const short = meter.requests < 1 || meter.tokens < tokens
      const gotNothing = meter.takenRequests + meter.takenTokens === before
      if (!short || !gotNothing || meter !== this.#meter(workspaceId, ceilings)) continue
      const what = meter.requests < 1 ? 'requests' : 'tokens'
      const ceiling = what === 'requests' ? ceilings.requestsPerMinute : ceilings.tokensPerMinute
      throw this.#limited(
        `${ceiling} ${what} a minute`,
        this.#secondsLeft(meter),
        this.#headers(meter, ceilings),
      )
    }
  }

  /** A changed ceiling holds from the next call on, so portions taken under the old one are let go. */
  #meter(workspaceId: string, ceilings: Ceilings): Meter {
    const minuteMs = Math.floor(this.#clock.now().getTime() / 60_000) * 60_000
    const known = this.#meters.get(workspaceId)
    if (known?.minuteMs === minuteMs && sameCeilings(known.ceilings, ceilings)) return known
    const meter = {
      minuteMs,
      ceilings,
      requests: 0,
      tokens: 0,
      takenRequests: 0,
      takenTokens: 0,
      taking: null,
    }
    this.#meters.set(workspaceId, meter)
    return meter
  }

  async #take(
    workspaceId: string,
    meter: Meter,
    tokens: number,
    ceilings: Ceilings,
  ): Promise<void> {
    const wanted = {
      requests: meter.requests >= 1 ? 0 : Math.ceil(ceilings.requestsPerMinute / 100),
      tokens:
        meter.tokens >= tokens
          ? 0
          : Math.max(tokens - meter.tokens, Math.ceil(ceilings.tokensPerMinute / 100)),
    }
    const taken = await takeOfMinute(
      this.#storage,
      workspaceId,
      new Date(meter.minuteMs),
      wanted,
      ceilings,
    )
    meter.requests += taken.requests
    meter.tokens += taken.tokens
    meter.takenRequests = taken.allRequests
    meter.takenTokens = taken.allTokens
  }

  #secondsLeft(meter: Meter): number {
    const leftMs = meter.minuteMs + 60_000 - this.#clock.now().getTime()
    return Math.min(retryAfterSecondsMax, Math.max(1, Math.ceil(leftMs / 1000)))
  }

  #headers(meter: Meter, ceilings: Ceilings): Record<string, string> {
    const reset = `${this.#secondsLeft(meter)}s`
    const left = (ceiling: number, taken: number, here: number): string =>
      String(Math.max(0, Math.floor(ceiling - taken + here)))
    return {
      'x-ratelimit-limit-requests': String(ceilings.requestsPerMinute),
      'x-ratelimit-remaining-requests': left(
        ceilings.requestsPerMinute,
        meter.takenRequests,
        meter.requests,
      ),
      'x-ratelimit-reset-requests': reset,
      'x-ratelimit-limit-tokens': String(ceilings.tokensPerMinute),
      'x-ratelimit-remaining-tokens': left(
        ceilings.tokensPerMinute,
        meter.takenTokens,
        meter.tokens,
      ),
      'x-ratelimit-reset-tokens': reset,
    }
  }

  #limited(ceiling: string, retryAfterSeconds: number, headers: Record<string, string>): Refusal {
    return new Refusal(
      'rate_limit_exceeded',
      `This workspace has reached its ceiling of ${ceiling}; wait ${retryAfterSeconds} s and try again.`,
      { retryAfterSeconds, headers },
    )
  }
}

function sameCeilings(a: Ceilings, b: Ceilings): boolean {
  return a.requestsPerMinute === b.requestsPerMinute && a.tokensPerMinute === b.tokensPerMinute
}
