// How many searches run at once in this process: one of a workspace, a few of all. Another waits a little for its turn,
// because a person who types searches again before the last one is answered; only a crowd is turned away.
import { searchIsRunning } from './snapshot.ts'

const runningMax = 4
const waitingPerWorkspaceMax = 4
const waitingMax = 64
const waitMs = 2000

type Waiting = { workspaceId: string; begin(): void }

export class SearchSlots {
  readonly #running = new Set<string>()
  #waiting: Waiting[] = []

  async run<T>(workspaceId: string, search: () => Promise<T>): Promise<T> {
    await this.#turn(workspaceId)
    try {
      return await search()
    } finally {
      this.#running.delete(workspaceId)
      this.#next()
    }
  }

  async #turn(workspaceId: string): Promise<void> {
    if (this.#fits(workspaceId)) return void this.#running.add(workspaceId)
    const ofWorkspace = this.#waiting.filter((waiting) => waiting.workspaceId === workspaceId)
    if (ofWorkspace.length >= waitingPerWorkspaceMax || this.#waiting.length >= waitingMax) {
      throw searchIsRunning()
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { workspaceId, begin: resolve }
    this.#waiting.push(waiting)
    const timer = setTimeout(() => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
      reject(searchIsRunning())
    }, waitMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #fits(workspaceId: string): boolean {
    return this.#running.size < runningMax && !this.#running.has(workspaceId)
  }

  #next(): void {
    for (;;) {
      const at = this.#waiting.findIndex(({ workspaceId }) => this.#fits(workspaceId))
      const [first] = at < 0 ? [] : this.#waiting.splice(at, 1)
      if (!first) return
      this.#running.add(first.workspaceId)
      first.begin()
    }
  }
}
