// A room with so many places; who comes when it is full waits for one.
export class Room {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves to the way out, which may be taken more than once and counts once. */
  async enter(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let inside = true
    return () => {
      if (!inside) return
      inside = false
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
