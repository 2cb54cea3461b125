// Lets a few do something at once, and fewer of one workspace; the others wait a little for their turn, in order, and only a
// crowd is turned away.

export type WorkspaceTurnLimits = {
  atOnce: number
  ofWorkspaceAtOnce: number
  /** How many may wait; one more is turned away at once. */
  waitingMax: number
  waitingOfWorkspaceMax: number
  waitMs: number
}

type Waiting = { workspaceId: string; begin(): void }

export class WorkspaceTurns {
  readonly #limits: WorkspaceTurnLimits
  readonly #turnedAway: () => Error
  #running = 0
  readonly #runningOf = new Map<string, number>()
  #waiting: Waiting[] = []

  constructor(limits: WorkspaceTurnLimits, turnedAway: () => Error) {
    this.#limits = limits
    this.#turnedAway = turnedAway
  }

  async run<T>(workspaceId: string, act: () => Promise<T>): Promise<T> {
    await this.#turn(workspaceId)
    try {
      return await act()
    } finally {
      this.#end(workspaceId)
      this.#next()
    }
  }

  async #turn(workspaceId: string): Promise<void> {
    if (this.#fits(workspaceId)) return this.#begin(workspaceId)
    const { waitingMax, waitingOfWorkspaceMax, waitMs } = this.#limits
    const ofWorkspace = this.#waiting.filter((waiting) => waiting.workspaceId === workspaceId)
    if (ofWorkspace.length >= waitingOfWorkspaceMax || this.#waiting.length >= waitingMax) {
      throw this.#turnedAway()
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { workspaceId, begin: resolve }
    this.#waiting.push(waiting)
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reject(this.#turnedAway())
    }, waitMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #fits(workspaceId: string): boolean {
    const { atOnce, ofWorkspaceAtOnce } = this.#limits
    return this.#running < atOnce && (this.#runningOf.get(workspaceId) ?? 0) < ofWorkspaceAtOnce
  }

  #begin(workspaceId: string): void {
    this.#running += 1
    this.#runningOf.set(workspaceId, (this.#runningOf.get(workspaceId) ?? 0) + 1)
  }

  #end(workspaceId: string): void {
    this.#running -= 1
    const left = (this.#runningOf.get(workspaceId) ?? 0) - 1
    if (left > 0) this.#runningOf.set(workspaceId, left)
    else this.#runningOf.delete(workspaceId)
  }

  #next(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ workspaceId }) => this.#fits(workspaceId))
      const [first] = at < 0 ? [] : this.#waiting.splice(at, 1)
      if (!first) return
      this.#begin(first.workspaceId)
      first.begin()
    }
  }
}
