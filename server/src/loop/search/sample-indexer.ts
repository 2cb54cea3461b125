// The main thread's end of the thread that indexes samples, which is started when there is something to index and ended when
// there has been nothing for a while.
import { Worker } from 'node:worker_threads'
import { youngGenerationMb } from '../../lib/thread-memory.ts'
import type { FromIndexThread, IndexThreadData, ToIndexThread } from './index-thread.ts'

/** A thread that has sorted holds memory; starting another takes a fifth of a second. */
const idleMs = 10_000
const endMsMax = 3000

export class SampleIndexer {
  readonly #data: IndexThreadData
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | null = null
  #closed = false

  constructor(databaseUrl: string) {
    this.#data = { databaseUrl }
  }

  /** Resolves when nothing is left to be indexed, or this was closed. One at a time. */
  async run(): Promise<void> {
    if (this.#closed) return
    if (this.#idle) clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#start())
    const { promise, resolve, reject } = Promise.withResolvers<FromIndexThread>()
    const ended = (cause?: unknown): void =>
      reject(new Error('the thread that indexes samples ended', { cause }))
    worker.once('message', resolve).once('error', ended).once('exit', ended)
    worker.postMessage('index' satisfies ToIndexThread)
    try {
      const { failure } = await promise
      if (failure !== null) throw new Error(`samples could not be indexed: ${failure}`)
    } catch (error) {
      if (!this.#closed) throw error
    } finally {
      worker.off('message', resolve).off('error', ended).off('exit', ended)
      if (this.#idle) clearTimeout(this.#idle)
      this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
    }
  }

  /** What is under way is given up; it is done again by whoever comes next. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    if (this.#idle) clearTimeout(this.#idle)
    if (!worker) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage('stop' satisfies ToIndexThread)
    const timer = setTimeout(() => void worker.terminate(), endMsMax)
    await ended
    clearTimeout(timer)
  }

  #start(): Worker {
    const worker = new Worker(new URL('./index-thread.ts', import.meta.url), {
      workerData: this.#data,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    })
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = null
    }
    worker.on('error', forget).on('exit', forget)
    worker.unref()
    return worker
  }
}
