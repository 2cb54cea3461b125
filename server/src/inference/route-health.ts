// Which routes of a model are fit to be tried. A route that fails several times in a row rests for a while that doubles.
// Whether it is back is found out in the background before the rest is over, else by one call at a time after it.
import type { EngineFailure } from '../engine/engine.ts'

const failuresToRest = 3
const restMsMin = 1_000
const restMsMax = 60_000
/** A route that is looked after in the background costs callers nothing, so it may be tried more often. */
const probedRestMsMax = 15_000

type Health = {
  failures: number
  restUntilMs: number
  restMs: number
  probing: boolean
  /** When the server said to come back; 0 where it did not say. */
  backAtMs: number
  /** What was last said about it, in a sentence. */
  why: string | null
}

/** What a failure says beyond its kind. */
export type FailureTold = { retryAfterSeconds?: number | undefined; why?: string }

export type Admission = 'fit' | 'on-trial' | 'rests'

export class RouteHealth {
  readonly #routes = new Map<string, Health>()
  #ofOne: RouteHealth | null = null

  /** Routes as far as one workspace is concerned, whose requests may be what they fail over. Only its calls find out more. */
  get ofOne(): RouteHealth {
    return (this.#ofOne ??= new RouteHealth())
  }

  get hasFailures(): boolean {
    return this.#routes.size > 0
  }

  /** Whether a call may be sent there now. A route whose rest is over is on trial: it lets one call through until it has answered. */
  admit(route: string, nowMs: number): Admission {
    if (this.rests(route, nowMs)) return 'rests'
    const health = this.#routes.get(route)
    if (!health || health.failures < failuresToRest) return 'fit'
    health.probing = true
    return 'on-trial'
  }

  /** Whether a call would be kept from it now; asking changes nothing. */
  rests(route: string, nowMs: number): boolean {
    const health = this.#routes.get(route)
    if (!health || health.failures < failuresToRest) return false
    return nowMs < health.restUntilMs || health.probing
  }

  succeeded(route: string): void {
    this.#routes.delete(route)
  }

  /** The first words of an answer are there, and others need not wait for its last: one more failure and it rests again. */
  begins(route: string): void {
    const health = this.#routes.get(route)
    if (!health || health.failures < failuresToRest) return
    health.probing = false
    health.failures = failuresToRest - 1
  }

  /** The caller's own mistakes say nothing about the route, and the operator's are no reason to wait. */
  failed(route: string, failure: EngineFailure, nowMs: number, told: FailureTold = {}): void {
    if (failure === 'refused' || failure === 'not-set-up') return
    const health = this.#routes.get(route) ?? {
      failures: 0,
      restUntilMs: 0,
      restMs: restMsMin,
      probing: false,
      backAtMs: 0,
      why: null,
    }
    const { retryAfterSeconds, why = null } = told
    health.backAtMs = retryAfterSeconds === undefined ? 0 : nowMs + retryAfterSeconds * 1000
    health.why = why
    health.failures += 1
    health.probing = false
    if (health.failures >= failuresToRest) {
      health.restUntilMs = nowMs + health.restMs
      health.restMs = Math.min(health.restMs * 2, restMsMax)
    }
    this.#routes.set(route, health)
  }

  /** The last failure was the request's own after all. */
  excused(route: string): void {
    const health = this.#routes.get(route)
    if (!health) return
    if (health.failures >= failuresToRest) {
      health.restMs = Math.max(health.restMs / 2, restMsMin)
      health.restUntilMs = 0
    }
    health.failures -= 1
  }

  /** What is left of the time that the server last said to wait; null where it said nothing, or that time is over. */
  saidToWaitSeconds(route: string, nowMs: number): number | null {
    const backAtMs = this.#routes.get(route)?.backAtMs ?? 0
    return backAtMs > nowMs ? Math.ceil((backAtMs - nowMs) / 1000) : null
  }

  /** What is left of its rest; 0 where it does not rest, and where one call is finding out whether it is back. */
  restSecondsLeft(route: string, nowMs: number): number {
    const health = this.#routes.get(route)
    if (!health || health.failures < failuresToRest) return 0
    return Math.max(0, Math.ceil((health.restUntilMs - nowMs) / 1000))
  }

  why(route: string): string | null {
    return this.#routes.get(route)?.why ?? null
  }

  /** Routes whose rest is over by then. Each is kept from callers until `probed` says what was found. */
  takeResting(byMs: number): string[] {
    const due = [...this.#routes].filter(
      ([, health]) =>
        health.failures >= failuresToRest && !health.probing && health.restUntilMs <= byMs,
    )
    for (const [, health] of due) health.probing = true
    return due.map(([route]) => route)
  }

  /** Null means that nothing could be found out, and a call has to. */
  probed(route: string, answers: boolean | null, nowMs: number): void {
    const health = this.#routes.get(route)
    if (!health) return
    health.probing = false
    if (answers === null) return
    if (answers) {
      // It is there, which does not yet mean that it answers calls: one more failure and it rests again.
      health.failures = failuresToRest - 1
      return
    }
    health.restUntilMs = nowMs + Math.min(health.restMs, probedRestMsMax)
    health.restMs = Math.min(health.restMs * 2, restMsMax)
  }

  /** The call that the route was on trial with is over. Where it told nothing, the next may. */
  trialOver(route: string): void {
    const health = this.#routes.get(route)
    if (health) health.probing = false
  }
}
