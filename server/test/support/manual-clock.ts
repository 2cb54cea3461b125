// A clock that stands still until a test moves it. Durations still run, because sockets and timers do.
import type { Clock } from '#server/lib/clock.ts'

export class ManualClock implements Clock {
  #now: Date

  constructor(start = '2026-03-01T12:00:00Z') {
    this.#now = new Date(start)
  }

  now(): Date {
    return new Date(this.#now)
  }

  monotonicMs(): number {
    return performance.now()
  }

  forward(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms)
  }
}
