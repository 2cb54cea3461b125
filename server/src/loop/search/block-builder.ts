// The main thread's end of the thread that sorts, which is started when there is something to sort and ended afterwards.
import { Worker } from 'node:worker_threads'
import type { Blocks } from './block.ts'
import type { ToThread } from './block-thread.ts'

export class BlockBuilder {
  #worker: Worker | null = null
  /** Why the thread ended by itself. The texts it had are gone with it, so no other can go on in its place. */
  #ended: Error | null = null

  /** Adds texts to the segment that is being built; their order is the order of its documents. */
  add(texts: readonly string[]): void {
    this.#started().postMessage(texts satisfies ToThread)
  }

  async build(): Promise<Blocks> {
    const worker = this.#started()
    if (this.#ended) throw this.#ended
    const { promise, resolve, reject } = Promise.withResolvers<Blocks>()
    const ended = (): void => reject(this.#ended ?? new Error('the search index was closed'))
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
    this.#ended = null
    await worker?.terminate()
  }

  #started(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./block-thread.ts', import.meta.url))
    const end = (cause?: unknown): void => {
      if (this.#worker !== worker) return
      this.#ended ??= new Error('the thread that builds the search index ended', { cause })
    }
    worker.on('error', end).on('exit', () => end())
    worker.unref()
    this.#worker = worker
    return worker
  }
}
