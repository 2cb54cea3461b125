// Waiting jobs, taken in turn from each workspace, so that one with many waiting does not keep out the others.
export class FairQueue<T extends { id: number; workspaceId: string }> {
  readonly #waiting = new Map<string, T[]>()
  readonly #sizeMax: number
  #size = 0

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#size
  }

  /** One workspace fills at most half of the queue. */
  hasRoom(workspaceId: string): boolean {
    const own = this.#waiting.get(workspaceId)?.length ?? 0
    return this.#size < this.#sizeMax && own < Math.ceil(this.#sizeMax / 2)
  }

  push(job: T): void {
    const own = this.#waiting.get(job.workspaceId) ?? []
    own.push(job)
    this.#waiting.set(job.workspaceId, own)
    this.#size++
  }

  /** Whether something waits of a workspace whose turn it may be. */
  has(mayTake: (workspaceId: string) => boolean): boolean {
    for (const workspaceId of this.#waiting.keys()) if (mayTake(workspaceId)) return true
    return false
  }

  /** The next of those workspaces whose turn it may be. */
  pop(mayTake: (workspaceId: string) => boolean): T | undefined {
    for (const [workspaceId, jobs] of this.#waiting) {
      if (!mayTake(workspaceId)) continue
      const job = jobs.shift()
      // The workspace goes to the end of the line, or away if nothing of it waits.
      this.#waiting.delete(workspaceId)
      if (jobs.length > 0) this.#waiting.set(workspaceId, jobs)
      this.#size--
      return job
    }
    return undefined
  }

  remove(id: number): T | undefined {
    for (const [workspaceId, jobs] of this.#waiting) {
      const index = jobs.findIndex((job) => job.id === id)
      if (index === -1) continue
      const [removed] = jobs.splice(index, 1)
      if (jobs.length === 0) this.#waiting.delete(workspaceId)
      this.#size--
      return removed
    }
    return undefined
  }
}
