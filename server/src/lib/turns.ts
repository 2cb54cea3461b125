// Lets a few do something at once; the others wait for their turn, in order and not for ever.

export type TurnLimits = {
  atOnce: number
  /** How many may wait; one more is turned away at once. */
  waitingMax: number
  waitMs: number
}

export class NoTurn extends Error {
  constructor() {
    super('too many wait for their turn')
    this.name = 'NoTurn'
  }
}

export class Turns {
  readonly #limits: TurnLimits
  #running = 0
  readonly #waiting = new Set<() => void>()

  constructor(limits: TurnLimits) {
    this.#limits = limits
  }

  /** Fails with NoTurn when there is none. */
  async run<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#limits.atOnce) this.#running += 1
    else await this.#turn()
    try {
      return await act()
    } finally {
      this.#passOn()
    }
  }

  #turn(): Promise<void> {
    const { waitingMax, waitMs } = this.#limits
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= waitingMax) return reject(new NoTurn())
      const go = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(go)
        reject(new NoTurn())
      }, waitMs)
      this.#waiting.add(go)
    })
  }

  #passOn(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#running -= 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
