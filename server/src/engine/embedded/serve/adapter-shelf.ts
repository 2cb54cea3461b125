// The adapters in memory: read from their folder when first asked for, and the least recently used dropped.
// A row that runs with a dropped one keeps it until it is done.
import type { Adapter } from '../llama/adapter.ts'

export class AdapterShelf {
  readonly #read: (folder: string) => Promise<Adapter>
  readonly #keptMax: number
  readonly #adapters = new Map<string, Promise<Adapter>>()

  constructor(read: (folder: string) => Promise<Adapter>, keptMax: number) {
    this.#read = read
    this.#keptMax = keptMax
  }

  async get(folder: string): Promise<Adapter> {
    const adapter = this.#adapters.get(folder) ?? this.#read(folder)
    this.#adapters.delete(folder)
    this.#adapters.set(folder, adapter)
    for (const oldest of this.#adapters.keys()) {
      if (this.#adapters.size <= this.#keptMax) break
      this.#adapters.delete(oldest)
    }
    try {
      return await adapter
    } catch (error) {
      this.#adapters.delete(folder)
      throw error
    }
  }
}
