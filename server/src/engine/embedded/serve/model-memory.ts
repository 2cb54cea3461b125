// The models of all embedded engines of this process, within one memory budget. A call leases its model. Where the budget is used up, the
// least recently used models are closed for those that are waited for.
import { type LoadedModel, planOpening } from './plan-opening.ts'

export type Closable = {
  /** Settles once it answers no more calls. */
  readonly died: Promise<void>
  close(): Promise<void>
}

export type Wanted<Model> = {
  /** The engine that it belongs to. Two engines do not share a model, though it may be of the same folder. */
  owner: object
  folder: string
  /** What it takes in memory. */
  bytes: () => Promise<number>
  open: () => Model
}

export type Lease<Model> = { model: Model; release: () => void }

type Loaded<Model> = LoadedModel & { owner: object; folder: string; model: Model }

type Waiting<Model> = {
  wanted: Wanted<Model>
  /** Null until they are known. */
  bytes: number | null
  grant: (lease: Lease<Model>) => void
  fail: (error: unknown) => void
}

export class ModelMemory<Model extends Closable> {
  readonly #budget: number
  /** The least recently used first. */
  readonly #loaded = new Set<Loaded<Model>>()
  readonly #closed = new WeakMap<Loaded<Model>, Promise<void>>()
  /** They take no calls, because the first in the queue needs their memory. */
  #draining: ReadonlySet<Loaded<Model>> = new Set()
  #queue: Waiting<Model>[] = []

  constructor(budgetBytes: number) {
    this.#budget = budgetBytes
  }

  /** Waits until the model takes calls. Fails if the signal is aborted, the owner is closed or the model cannot be opened. */
  async lease(wanted: Wanted<Model>, signal: AbortSignal): Promise<Lease<Model>> {
    signal.throwIfAborted()
    const loaded = this.#find(wanted)
    if (loaded && !this.#draining.has(loaded)) return this.#leaseOf(loaded)
    const { promise, resolve, reject } = Promise.withResolvers<Lease<Model>>()
    const waiting: Waiting<Model> = { wanted, bytes: null, grant: resolve, fail: reject }
    // Before its bytes are looked up, so that calls are served in the order in which they came.
    this.#queue.push(waiting)
    const leave = (): void => this.#leave(waiting, signal.reason)
    signal.addEventListener('abort', leave)
    wanted.bytes().then(
      (bytes) => {
        waiting.bytes = bytes
        this.#serveQueue()
      },
      (error: unknown) => this.#leave(waiting, error),
    )
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #leave(waiting: Waiting<Model>, reason: unknown): void {
    this.#queue = this.#queue.filter((other) => other !== waiting)
    waiting.fail(reason)
    this.#serveQueue()
  }

  /** A model that is open, without using it. */
  find(owner: object, folder: string): Model | undefined {
    return this.#find({ owner, folder })?.model
  }

  /** Closes the models of an engine, and fails its calls that wait. */
  async closeAllOf(owner: object, reason: Error): Promise<void> {
    const isOwn = ({ wanted }: Waiting<Model>): boolean => wanted.owner === owner
    const failed = this.#queue.filter(isOwn)
    this.#queue = this.#queue.filter((waiting) => !isOwn(waiting))
    for (const { fail } of failed) fail(reason)
    const own = [...this.#loaded].filter((loaded) => loaded.owner === owner)
    const closed = own.map((loaded) => this.#close(loaded))
    this.#serveQueue()
    await Promise.all(closed)
  }

  #find({ owner, folder }: { owner: object; folder: string }): Loaded<Model> | undefined {
    for (const loaded of this.#loaded) {
      if (loaded.folder === folder && loaded.owner === owner && !loaded.closing) return loaded
    }
    return undefined
  }

  #leaseOf(loaded: Loaded<Model>): Lease<Model> {
    this.#loaded.delete(loaded)
    this.#loaded.add(loaded)
    loaded.calls++
    const release = (): void => {
      loaded.calls--
      if (loaded.calls === 0) this.#serveQueue()
    }
    return { model: loaded.model, release }
  }

  /** Begins anew whenever something has changed, so that no model is kept from calls for one that left the queue. */
  #serveQueue(): void {
    this.#draining = new Set()
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const loaded = this.#find(first.wanted)
      if (loaded) this.#grantAll(loaded)
      else if (first.bytes === null || !this.#makeSpace(first.bytes)) break
      else this.#openFor(first, first.bytes)
    }
    for (const loaded of [...this.#loaded]) {
      if (!loaded.closing && !this.#draining.has(loaded)) this.#grantAll(loaded)
    }
  }

  #makeSpace(bytes: number): boolean {
    const { fits, close, drain } = planOpening([...this.#loaded], bytes, this.#budget)
    this.#draining = new Set(drain)
    for (const loaded of close) void this.#close(loaded)
    return fits
  }

  /** All that wait for a model start with it, also from behind others: it is opened once for all of them. */
  #grantAll(loaded: Loaded<Model>): void {
    const isServed = ({ wanted }: Waiting<Model>): boolean =>
      wanted.owner === loaded.owner && wanted.folder === loaded.folder
    const served = this.#queue.filter(isServed)
    this.#queue = this.#queue.filter((waiting) => !isServed(waiting))
    for (const { grant } of served) grant(this.#leaseOf(loaded))
  }

  #openFor(first: Waiting<Model>, bytes: number): void {
    const { owner, folder, open } = first.wanted
    try {
      const model = open()
      const loaded = { owner, folder, model, bytes, calls: 0, closing: false }
      this.#loaded.add(loaded)
      void model.died.then(() => this.#close(loaded))
    } catch (error) {
      this.#queue.shift()
      first.fail(error)
    }
  }

  /** Its memory counts as taken until it is closed. */
  #close(loaded: Loaded<Model>): Promise<void> {
    let closed = this.#closed.get(loaded)
    if (!closed) {
      loaded.closing = true
      closed = loaded.model.close().finally(() => {
        this.#loaded.delete(loaded)
        this.#serveQueue()
      })
      this.#closed.set(loaded, closed)
    }
    return closed
  }
}
