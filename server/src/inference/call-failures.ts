// What the failures of one call's routes say: of each route, and to the caller where none has answered.
import { Refusal } from '../core/refusal.ts'
import type { EngineError } from '../engine/engine.ts'
import { noRetry } from './no-retry.ts'
import type { RouteHealth } from './route-health.ts'

type Ports = { health: RouteHealth; monotonicMs(): number }

/** Where no server said when to come back. */
const retryAfterSecondsDefault = 5

export class CallFailures {
  readonly #ports: Ports
  /** Until the first of the routes may be back. */
  #waitSeconds = Infinity
  #failures = 0
  /** Routes whose servers fell over the request, which may be its fault or theirs. */
  readonly #doubted: string[] = []
  /** Whether there is a route that heals by itself. */
  #canHeal = false
  #last: EngineError | null = null
  /** The first that failed in the middle of its answer. */
  #brokeOff: EngineError | null = null

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** The route rests because of what happened to other calls. */
  rests(route: string): void {
    const { health } = this.#ports
    this.#mayBeBackIn(health.saidToWaitSeconds(route, this.#ports.monotonicMs()))
  }

  failed(route: string, error: EngineError, begun: boolean): void {
    this.#last = error
    if (begun) this.#brokeOff ??= error
    if (!error.answerOnly) {
      const nowMs = this.#ports.monotonicMs()
      this.#ports.health.failed(route, error.failure, nowMs, error.retryAfterSeconds)
    }
    this.#failures += 1
    if (error.mayBeRequest) this.#doubted.push(route)
    if (error.failure !== 'not-set-up') this.#mayBeBackIn(error.retryAfterSeconds)
  }

  /** None has answered, and this is why. A request over which every server fell says nothing of what they do with others. */
  over(modelId: string): Error {
    const isRequest = this.#doubted.length > 1 && this.#doubted.length === this.#failures
    if (isRequest) for (const route of this.#doubted) this.#ports.health.excused(route)
    if (this.#brokeOff) return this.#brokeOff
    const wait = this.#waitSeconds === Infinity ? retryAfterSecondsDefault : this.#waitSeconds
    return new Refusal(
      'no_healthy_route',
      `No route to ${modelId} is healthy${this.#last ? `: ${this.#last.message}` : '.'}`,
      {
        retryAfterSeconds: wait,
        cause: this.#last,
        ...(this.#canHeal ? {} : { headers: noRetry }),
      },
    )
  }

  #mayBeBackIn(seconds: number | null | undefined): void {
    this.#canHeal = true
    this.#waitSeconds = Math.min(this.#waitSeconds, seconds ?? retryAfterSecondsDefault)
  }
}
