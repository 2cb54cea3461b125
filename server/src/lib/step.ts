// A place where calls wait for each other until the turn of the event loop is over, and then go on one right after the other.
// What a processor has just done for one call it does for the next in about half the time, because code and tables are still
// at hand: so many calls take each step of their way together instead of each going all of its way alone.

/** More than these bring nothing, and a turn in which too much is done keeps timers and other sockets waiting. */
const groupMax = 64

export class Step {
  #waiting: (() => void)[] = []

  /** Resolves in this turn's end for everybody who came in it, in order. */
  together(): Promise<void> {
    return new Promise((resolve) => this.join(resolve))
  }

  /** For whoever has a promise already; `resolve` does nothing but resolve it. */
  join(resolve: () => void): void {
    if (this.#waiting.push(resolve) === 1) setImmediate(this.#goOn)
  }

  readonly #goOn = (): void => {
    const group = this.#waiting
    this.#waiting = group.splice(groupMax)
    if (this.#waiting.length > 0) setImmediate(this.#goOn)
    for (const resolve of group) resolve()
  }
}
