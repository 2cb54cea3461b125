// Lets work that takes long go one piece per turn of the event loop, so that timers and other sockets get their
// share between two pieces however many wait.
export class LoopTurns {
  readonly #waiting: (() => void)[] = []
  #scheduled = false

  /** Resolves alone in its turn: what follows right after the await has the turn to itself. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#waiting.shift()?.()
      this.#schedule()
    })
  }
}
