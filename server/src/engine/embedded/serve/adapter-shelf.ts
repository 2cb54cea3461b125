// The adapters in memory: read from their folder when first asked for. Above the limit, the least recently used is dropped that no call
// runs with; where all run, there are more.
import type { Adapter } from '../llama/adapter.ts'

export class AdapterShelf {
  readonly #read: (folder: string) => Promise<Adapter>
  readonly #keptMax: number
  readonly #inUse: (adapter: Adapter) => boolean
  /** Null while it is read. */
  readonly #adapters = new Map<string, { read: Promise<Adapter>; adapter: Adapter | null }>()

  constructor(
    read: (folder: string) => Promise<Adapter>,
    keptMax: number,
    inUse: (adapter: Adapter) => boolean,
  ) {
    this.#read = read
    this.#keptMax = keptMax
    this.#inUse = inUse
  }

  async get(folder: string): Promise<Adapter> {
    const kept = this.#adapters.get(folder) ?? { read: this.#read(folder), adapter: null }
    this.#adapters.delete(folder)
    this.#adapters.set(folder, kept)
    this.#dropUnused(folder)
    try {
      return (kept.adapter = await kept.read)
    } catch (error) {
      this.#adapters.delete(folder)
      throw error
    }
  }

  /** One that a call runs with is kept, because the next call would read it again and could not be computed together with the first. */
  #dropUnused(wanted: string): void {
    for (const [folder, { adapter }] of this.#adapters) {
      if (this.#adapters.size <= this.#keptMax) return
      if (folder !== wanted && adapter && !this.#inUse(adapter)) this.#adapters.delete(folder)
    }
  }
}
