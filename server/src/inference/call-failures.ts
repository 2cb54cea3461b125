// What the failures of one call's routes say: of each route, and to the caller where none has answered.
import { Refusal } from '../core/refusal.ts'
import type { EngineError } from '../engine/engine.ts'
import { noRetry } from './no-retry.ts'
import type { RouteHealth } from './route-health.ts'

type Ports = { health: RouteHealth; monotonicMs(): number }

/** Where no server said when to come back, and no route rests. */
const retryAfterSecondsDefault = 5

/** Whose call it is, and whether its model has one route only. */
type Asked = { workspaceId: string; alone: boolean }

export class CallFailures {
  readonly #ports: Ports
  readonly #asked: Asked
  /** Routes that heal by themselves, with how long their servers said to wait. */
  readonly #healing: { route: string; toldSeconds: number | null }[] = []
  #failures = 0
  /** Routes whose servers fell over the request, which may be its fault or theirs. */
  readonly #doubted: string[] = []
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
    const toldSeconds = told ?? health.ofOne.saidToWaitSeconds(this.#ownKey(route), nowMs)
    this.#healing.push({ route, toldSeconds })
    this.#restsBecause ??= this.restsForOwn(route)
      ? health.ofOne.why(this.#ownKey(route))
      : health.why(route)
  }

  failed(route: string, error: EngineError, begun: boolean): void {
    this.#last = error
    if (begun) this.#brokeOff ??= error
    // What a server breaks off may be too much for it, as what it falls over at once may be.
    const mayBeRequest = error.mayBeRequest || (begun && !error.answerOnly)
    if (!error.answerOnly) {
      const nowMs = this.#ports.monotonicMs()
      const { health } = this.#ports
      // Where no other server can tell whose fault it is, nobody pays for the requests of others.
      const isOwn = mayBeRequest && this.#asked.alone
      const [of, key] = isOwn ? [health.ofOne, this.#ownKey(route)] : [health, route]
      const { retryAfterSeconds, message: why } = error
      of.failed(key, error.failure, nowMs, { retryAfterSeconds, why })
    }
    this.#failures += 1
    if (mayBeRequest) this.#doubted.push(route)
    if (error.failure === 'not-set-up') return
    this.#healing.push({ route, toldSeconds: error.retryAfterSeconds ?? null })
  }

  /** None has answered, and this is why. A request over which every server fell says nothing of what they do with others. */
  over(modelId: string): Error {
    const isRequest = this.#doubted.length > 1 && this.#doubted.length === this.#failures
    if (isRequest) for (const route of this.#doubted) this.#ports.health.excused(route)
    if (this.#brokeOff) return this.#brokeOff
    const why = this.#last?.message ?? this.#restsBecause
    return new Refusal(
      'no_healthy_route',
      `No route to ${modelId} is healthy${why === null ? '.' : `: ${why}`}`,
      {
        retryAfterSeconds: this.#waitSeconds(),
        cause: this.#last,
        ...(this.#healing.length > 0 ? {} : { headers: noRetry }),
      },
    )
  }

  /** The route as far as this workspace is concerned. */
  #ownKey(route: string): string {
    return `${route} for ${this.#asked.workspaceId}`
  }

  /** Until the first of the routes may be back: none takes a call before its rest is over, whatever its server said. */
  #waitSeconds(): number {
    const { health } = this.#ports
    const nowMs = this.#ports.monotonicMs()
    const waits = this.#healing.map(({ route, toldSeconds }) => {
      const restSeconds = Math.max(
        health.restSecondsLeft(route, nowMs),
        health.ofOne.restSecondsLeft(this.#ownKey(route), nowMs),
      )
      return Math.max(toldSeconds ?? 0, restSeconds) || retryAfterSecondsDefault
    })
    return waits.length === 0 ? retryAfterSecondsDefault : Math.min(...waits)
  }
}
