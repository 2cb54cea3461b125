// What the failures of one call's routes say: of each route, and of when to come back where none has answered.
import type { EngineError } from '../engine/engine.ts'
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
  #doubted: string[] = []
  /** Whether there is a route that heals by itself. */
  canHeal = false

  constructor(ports: Ports) {
    this.#ports = ports
  }

  get retryAfterSeconds(): number {
    return this.#waitSeconds === Infinity ? retryAfterSecondsDefault : this.#waitSeconds
  }

  /** The route rests because of what happened to other calls. */
  rests(route: string): void {
    const { health } = this.#ports
    this.#mayBeBackIn(health.saidToWaitSeconds(route, this.#ports.monotonicMs()))
  }

  failed(route: string, error: EngineError): void {
    if (!error.answerOnly) {
      const nowMs = this.#ports.monotonicMs()
      this.#ports.health.failed(route, error.failure, nowMs, error.retryAfterSeconds)
    }
    this.#failures += 1
    if (error.mayBeRequest) this.#doubted.push(route)
    if (error.failure !== 'not-set-up') this.#mayBeBackIn(error.retryAfterSeconds)
  }

  /** None has answered. A request over which every server fell says nothing of what they do with others. */
  over(): void {
    const isRequest = this.#doubted.length > 1 && this.#doubted.length === this.#failures
    if (isRequest) for (const route of this.#doubted) this.#ports.health.excused(route)
  }

  #mayBeBackIn(seconds: number | null | undefined): void {
    this.canHeal = true
    this.#waitSeconds = Math.min(this.#waitSeconds, seconds ?? retryAfterSecondsDefault)
  }
}
