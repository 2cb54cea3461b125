// The main thread's end of the thread that sorts, which is started when there is something to sort and ended afterwards.
import { Worker } from 'node:worker_threads'
import type { Blocks } from './block.ts'
import type { ToThread } from './block-thread.ts'

export class BlockBuilder {
  #worker: Worker | null = null

  /** Adds texts to the segment that is being built; their order is the order of its documents. */
  add(texts: readonly string[]): void {
    this.#started().postMessage(texts satisfies ToThread)
  }

  async build(): Promise<Blocks> {
    const worker = this.#started()
    const { promise, resolve, reject } = Promise.withResolvers<Blocks>()
    const ended = (): void => reject(new Error('the thread that builds the search index ended'))
    worker.once('message', resolve).once('error', reject).once('exit', ended)
    worker.postMessage(null satisfies ToThread)
    try {
      return await promise
    } finally {
      worker.off('message', resolve).off('error', reject).off('exit', ended)
    }
  }

  /** Forgets texts that were added and not built. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #started(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./block-thread.ts', import.meta.url))
    // Whoever waits for the blocks hears of it.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
    })
    worker.unref()
    this.#worker = worker
    return worker
  }
}
