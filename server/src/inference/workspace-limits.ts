// Ceilings of a workspace, shared by all processes: requests and tokens in each minute, and calls at once.
// A process takes its share of a minute in portions of a hundredth, and returns what its calls were estimated at and did not
// use, so that the database is asked rarely and the sum of all processes stays within a few hundredths each of the ceiling.
import { Refusal } from '../core/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { grouped } from '../lib/grouped.ts'
import type { Storage } from '../storage/open-storage.ts'
import type { CallPlaces } from './call-places.ts'
import { returnToMinute, takeOfMinute } from './limit-store.ts'
import { noRetry } from './no-retry.ts'

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
  /** Whether it brought anything. */
  taking: Promise<boolean> | null
  returning: Promise<void> | null
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
  #forgottenMs = 0

  constructor(storage: Storage, clock: Clock, places: CallPlaces, ceilings: () => Ceilings) {
    this.#storage = storage
    this.#clock = clock
    this.#places = places
    this.#ceilings = ceilings
  }

  /** Asks the database only where this process has no room left. Fails with a Refusal when a ceiling is reached. */
  async admit(workspaceId: string, tokenEstimate: number): Promise<Admission> {
    const ceilings = this.#ceilings()
    if (!(await this.#places.take(workspaceId, ceilings.concurrentCalls))) {
      const headers = this.#headers(this.#meter(workspaceId, ceilings), ceilings)
      throw this.#limited(`${grouped(ceilings.concurrentCalls)} calls at once`, 1, headers)
    }
    try {
      // One call alone must be able to pass, however large its estimate is.
      const tokens = Math.min(tokenEstimate, ceilings.tokensPerMinute)
      const meter = await this.#takeRoom(workspaceId, tokens, tokenEstimate, ceilings)
      return this.#admission(workspaceId, meter, tokens, ceilings)
    } catch (error) {
      this.#places.leave(workspaceId)
      throw error
    }
  }

  /** Waits for what is on its way back to the other processes. */
  async drained(): Promise<void> {
    for (const { returning } of this.#meters.values()) await returning
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
        if (this.#meters.get(workspaceId) !== meter) return
        meter.tokens += tokens - tokensUsed
        this.#returnSurplus(workspaceId, meter)
      },
    }
  }

  /** Takes room for one request of so many tokens, in the same turn as it is found. */
  async #takeRoom(
    workspaceId: string,
    tokens: number,
    tokenEstimate: number,
    ceilings: Ceilings,
  ): Promise<Meter> {
    let waited = false
    for (;;) {
      const meter = this.#meter(workspaceId, ceilings)
      if (takeFrom(meter, tokens)) return meter
      meter.taking ??= this.#take(workspaceId, meter, tokens, ceilings).finally(() => {
        meter.taking = null
      })
      const brought = await meter.taking
      const short = meter.requests < 1 || meter.tokens < tokens
      if (!short || brought || meter !== this.#meter(workspaceId, ceilings)) continue
      if (meter.returning && !waited) {
        waited = true
        await meter.returning
        continue
      }
      // What was taken for this call in vain may be enough for one elsewhere.
      this.#returnSurplus(workspaceId, meter)
      const what = meter.requests < 1 ? 'requests' : 'tokens'
      if (what === 'tokens' && tokenEstimate > ceilings.tokensPerMinute) {
        throw this.#tooLarge(tokenEstimate, meter, ceilings)
      }
      const ceiling = what === 'requests' ? ceilings.requestsPerMinute : ceilings.tokensPerMinute
      throw this.#limited(
        `${grouped(ceiling)} ${what} a minute`,
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
      returning: null,
    }
    this.#forgetPast(minuteMs)
    this.#meters.set(workspaceId, meter)
    return meter
  }

  /** Once a minute: whoever does not call any more is not remembered. */
  #forgetPast(minuteMs: number): void {
    if (this.#forgottenMs === minuteMs) return
    this.#forgottenMs = minuteMs
    for (const [id, meter] of this.#meters) {
      if (meter.minuteMs < minuteMs && !meter.taking && !meter.returning) this.#meters.delete(id)
    }
  }

  async #take(
    workspaceId: string,
    meter: Meter,
    tokens: number,
    ceilings: Ceilings,
  ): Promise<boolean> {
    const wanted = {
      requests: meter.requests >= 1 ? 0 : portionOf(ceilings.requestsPerMinute),
      tokens:
        meter.tokens >= tokens
          ? 0
          : Math.max(tokens - meter.tokens, portionOf(ceilings.tokensPerMinute)),
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
    return taken.requests + taken.tokens > 0
  }

  /**
   * All but a portion of what lies idle here, where others may want it; if that fails it is lost to this minute, which is the
   * safe side.
   */
  #returnSurplus(workspaceId: string, meter: Meter): void {
    if (this.#places.alone) return
    const portion = portionOf(meter.ceilings.tokensPerMinute)
    if (meter.returning || meter.tokens <= 2 * portion) return
    const surplus = Math.floor(meter.tokens) - portion
    meter.tokens -= surplus
    meter.takenTokens -= surplus
    meter.returning = returnToMinute(this.#storage, workspaceId, new Date(meter.minuteMs), surplus)
      .catch(() => {})
      .finally(() => {
        meter.returning = null
      })
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

  /** Waiting helps such a call only if nobody else calls meanwhile, so that it is told what does help. */
  #tooLarge(tokenEstimate: number, meter: Meter, ceilings: Ceilings): Refusal {
    return new Refusal(
      'rate_limit_exceeded',
      `This call may take ${grouped(tokenEstimate)} tokens, more than the limit of ${grouped(ceilings.tokensPerMinute)} tokens a minute of this workspace; lower max_tokens or shorten the prompt.`,
      {
        retryAfterSeconds: this.#secondsLeft(meter),
        headers: { ...this.#headers(meter, ceilings), ...noRetry },
      },
    )
  }

  #limited(ceiling: string, retryAfterSeconds: number, headers: Record<string, string>): Refusal {
    return new Refusal(
      'rate_limit_exceeded',
      `This workspace has reached its limit of ${ceiling}; wait ${retryAfterSeconds} s and try again.`,
      { retryAfterSeconds, headers },
    )
  }
}

/** Room for one request of so many tokens, where it is there. */
function takeFrom(meter: Meter, tokens: number): boolean {
  if (meter.requests < 1 || meter.tokens < tokens) return false
  meter.requests -= 1
  meter.tokens -= tokens
  return true
}

/** What is taken of a minute at once. */
function portionOf(ceiling: number): number {
  return Math.ceil(ceiling / 100)
}

function sameCeilings(a: Ceilings, b: Ceilings): boolean {
  return a.requestsPerMinute === b.requestsPerMinute && a.tokensPerMinute === b.tokensPerMinute
}
