// What the failures of one call's routes say: of each route, and to the caller where none has answered.
import { Refusal } from '../core/refusal.ts'
import type { EngineError } from '../engine/engine.ts'
import { noRetry } from './no-retry.ts'
import type { RouteHealth } from './route-health.ts'

type Ports = { health: RouteHealth; monotonicMs(): number }

/** Where no server said when to come back. */
const retryAfterSecondsDefault = 5

/** Whose call it is, and whether its model has one route only. */
type Asked = { workspaceId: string; alone: boolean }

export class CallFailures {
  readonly #ports: Ports
  readonly #asked: Asked
  /** Until the first of the routes may be back. */
  #waitSeconds = Infinity
  #failures = 0
  /** Routes whose servers fell over the request, which may be its fault or theirs. */
  readonly #doubted: string[] = []
  /** Whether there is a route that heals by itself. */
  #canHeal = false
  #last: EngineError | null = null
  /** Why a route rests, in a sentence. */
  #restsBecause: string | null = null
  /** The first that failed in the middle of its answer. */
  #brokeOff: EngineError | null = null

  constructor(ports: Ports, asked: Asked) {
    this.#ports = ports
    this.#asked = asked
  }

  /** Whether requests of this workspace are kept from the route because of those before them. */
  restsForOwn(route: string): boolean {
    const { ofOne } = this.#ports.health
    return ofOne.hasFailures && ofOne.rests(this.#ownKey(route), this.#ports.monotonicMs())
  }

  succeeded(route: string): void {
    const { health } = this.#ports
    health.succeeded(route)
    if (health.ofOne.hasFailures) health.ofOne.succeeded(this.#ownKey(route))
  }

  /** The route rests because of what happened to other calls. */
  rests(route: string): void {
    const { health } = this.#ports
    const nowMs = this.#ports.monotonicMs()
    const told = health.saidToWaitSeconds(route, nowMs)
    this.#mayBeBackIn(told ?? health.ofOne.saidToWaitSeconds(this.#ownKey(route), nowMs))
    this.#restsBecause ??= this.restsForOwn(route)
      ? health.ofOne.why(this.#ownKey(route))
      : health.why(route)
  }

  failed(route: string, error: EngineError, begun: boolean): void {
    this.#last = error
    if (begun) this.#brokeOff ??= error
    if (!error.answerOnly) {
      const nowMs = this.#ports.monotonicMs()
      const { health } = this.#ports
      // Where no other server can tell whose fault it is, nobody pays for the requests of others.
      const isOwn = error.mayBeRequest && this.#asked.alone
      const [of, key] = isOwn ? [health.ofOne, this.#ownKey(route)] : [health, route]
      const { retryAfterSeconds, message: why } = error
      of.failed(key, error.failure, nowMs, { retryAfterSeconds, why })
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
    const why = this.#last?.message ?? this.#restsBecause
    return new Refusal(
      'no_healthy_route',
      `No route to ${modelId} is healthy${why === null ? '.' : `: ${why}`}`,
      {
        retryAfterSeconds: wait,
        cause: this.#last,
        ...(this.#canHeal ? {} : { headers: noRetry }),
      },
    )
  }

  /** The route as far as this workspace is concerned. */
  #ownKey(route: string): string {
    return `${route} for ${this.#asked.workspaceId}`
  }

  #mayBeBackIn(seconds: number | null | undefined): void {
    this.#canHeal = true
    this.#waitSeconds = Math.min(this.#waitSeconds, seconds ?? retryAfterSecondsDefault)
  }
}
