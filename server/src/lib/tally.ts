// A counter with two labels that is cheap to add to: it counts in a plain map, and tells Prometheus only when asked.
import { Counter, type Registry } from 'prom-client'

export class Tally {
  readonly #counts = new Map<string, Map<string, number>>()

  constructor(options: {
    name: string
    help: string
    labelNames: readonly [string, string]
    registers: Registry[]
  }) {
    const [first, second] = options.labelNames
    const counts = this.#counts
    new Counter({
      ...options,
      collect() {
        this.reset()
        for (const [a, inner] of counts) {
          for (const [b, count] of inner) this.inc({ [first]: a, [second]: b }, count)
        }
      },
    })
  }

  add(first: string, second: string, count = 1): void {
    let inner = this.#counts.get(first)
    if (!inner) {
      inner = new Map()
      this.#counts.set(first, inner)
    }
    inner.set(second, (inner.get(second) ?? 0) + count)
  }
}
