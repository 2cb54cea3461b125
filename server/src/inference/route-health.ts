// Which routes of a model are fit to be tried, and in which order. A route that fails several times in a row rests for a
// while that doubles; one call at a time then finds out whether it is back.
import type { EngineFailure } from '../engine/engine.ts'

const failuresToRest = 3
const restMsMin = 1_000
const restMsMax = 60_000

type Health = { failures: number; restUntilMs: number; restMs: number; probing: boolean }

export class RouteHealth {
  readonly #routes = new Map<string, Health>()

  /** Whether a call may be sent there now. A route whose rest is over lets one call through until it has answered. */
  fit(route: string, nowMs: number): boolean {
    const health = this.#routes.get(route)
    if (!health || health.failures < failuresToRest) return true
    if (nowMs < health.restUntilMs || health.probing) return false
    health.probing = true
    return true
  }

  succeeded(route: string): void {
    this.#routes.delete(route)
  }

  /** The caller's own mistakes say nothing about the route. */
  failed(route: string, failure: EngineFailure, nowMs: number): void {
    if (failure === 'refused') return this.#letGo(route)
    const health = this.#routes.get(route) ?? {
      failures: 0,
      restUntilMs: 0,
      restMs: restMsMin,
      probing: false,
    }
    health.failures += 1
    health.probing = false
    if (health.failures >= failuresToRest) {
      health.restUntilMs = nowMs + health.restMs
      health.restMs = Math.min(health.restMs * 2, restMsMax)
    }
    this.#routes.set(route, health)
  }

  /** A client that left before anything was known. */
  unknown(route: string): void {
    this.#letGo(route)
  }

  #letGo(route: string): void {
    const health = this.#routes.get(route)
    if (health) health.probing = false
  }
}
