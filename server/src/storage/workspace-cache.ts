// What was read for each workspace, cached so that a call need not ask, and read again after any process changed it. While changes
// cannot be heard, no entry is trusted.
import type { Channel, Changes } from './changes.ts'

const workspacesMax = 10_000

export class WorkspaceCache<Value> {
  readonly #changes: Changes
  readonly #read: (workspaceId: string) => Promise<Value>
  readonly #known = new Map<string, Value>()
  readonly #asking = new Map<string, Promise<Value>>()

  /** The payload of each channel is the id of a workspace. */
  constructor(
    changes: Changes,
    channels: readonly Channel[],
    read: (workspaceId: string) => Promise<Value>,
  ) {
    this.#changes = changes
    this.#read = read
    for (const channel of channels) {
      changes.on(channel, (workspaceId) => {
        if (workspaceId === null) this.#forgetAll()
        else this.forget(workspaceId)
      })
    }
  }

  async of(workspaceId: string): Promise<Value> {
    const known = this.#known.get(workspaceId)
    if (known !== undefined && this.#changes.connected) return known
    return this.#asking.get(workspaceId) ?? this.#ask(workspaceId)
  }

  get values(): Iterable<Value> {
    return this.#known.values()
  }

  /** For a change made in this process, so that its next call sees it. */
  forget(workspaceId: string): void {
    this.#known.delete(workspaceId)
    this.#asking.delete(workspaceId)
  }

  #ask(workspaceId: string): Promise<Value> {
    const asking = this.#read(workspaceId).then((value) => {
      // What was changed while it was read is read again by the next call.
      if (this.#asking.get(workspaceId) === asking) {
        if (this.#known.size >= workspacesMax) this.#known.clear()
        this.#known.set(workspaceId, value)
      }
      return value
    })
    this.#asking.set(workspaceId, asking)
    const done = (): void => {
      if (this.#asking.get(workspaceId) === asking) this.#asking.delete(workspaceId)
    }
    asking.then(done, done)
    return asking
  }

  #forgetAll(): void {
    this.#known.clear()
    this.#asking.clear()
  }
}
