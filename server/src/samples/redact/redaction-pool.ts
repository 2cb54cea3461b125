// Redacts in a thread of its own, each value within a deadline. A value that takes too long is given up together with
// its thread; the caller then does not store it.
import { Worker } from 'node:worker_threads'
import { redactJson } from './redact-json.ts'
import type { RedactionJob, RedactionResult } from './redaction-thread.ts'
import { valueSize } from './value-size.ts'

/** The deadline passed before the value was redacted. */
export class RedactionTimeout extends Error {}
/** The value could not be redacted: the thread broke, the queue was full, or the pool was closed. */
export class RedactionFailed extends Error {}

export type PoolOptions = {
  deadlineMs: number
  /** Values that may wait for the thread. */
  queueMax: number
  /** Values of fewer characters are redacted at once, in the thread of the caller, in well below a millisecond. */
  inlineCharactersMax: number
  /** What the thread may hold; one that needs more is ended and replaced. */
  memoryMb: number
}

const defaults: PoolOptions = {
  deadlineMs: 5000,
  queueMax: 256,
  inlineCharactersMax: 8 * 1024,
  memoryMb: 512,
}

type Job = {
  id: number
  value: unknown
  timer: NodeJS.Timeout
  resolve(value: unknown): void
  reject(error: Error): void
}

export class RedactionPool {
  readonly #options: PoolOptions
  readonly #waiting: Job[] = []
  #running: Job | null = null
  #worker: Worker | null = null
  #ids = 0
  #closed = false

  constructor(options: Partial<PoolOptions> = {}) {
    this.#options = { ...defaults, ...options }
  }

  /** The value with markers in place of what is sensitive. */
  async redact<Value>(value: Value, options: { deadlineMs?: number } = {}): Promise<Value> {
    const { inlineCharactersMax, queueMax, deadlineMs } = { ...this.#options, ...options }
    if (this.#closed) throw new RedactionFailed('Redaction has ended.')
    if (valueSize(value, inlineCharactersMax) <= inlineCharactersMax) return redactJson(value).value
    if (this.#waiting.length >= queueMax) {
      throw new RedactionFailed('Too many values wait to be redacted.')
    }
    return new Promise<Value>((resolve, reject) => {
      const id = ++this.#ids
      const timer = setTimeout(() => this.#giveUp(id), deadlineMs)
      this.#waiting.push({ id, value, timer, resolve: resolve, reject })
      this.#next()
    })
  }

  /** Values that are not done by now are not redacted at all. */
  async close(): Promise<void> {
    this.#closed = true
    const ended = new RedactionFailed('Redaction has ended.')
    for (const job of this.#waiting.splice(0)) settle(job, ended)
    await this.#dropWorker(ended)
  }

  #next(): void {
    if (this.#running !== null) return
    const job = this.#waiting.shift()
    if (job === undefined) {
      // An idle thread keeps nobody from ending.
      this.#worker?.unref()
      return
    }
    this.#running = job
    const worker = (this.#worker ??= this.#startWorker())
    worker.ref()
    try {
      worker.postMessage({ id: job.id, value: job.value } satisfies RedactionJob)
    } catch {
      // Too deep, or no JSON value at all.
      this.#finish(job.id, new RedactionFailed('The value cannot be redacted.'))
    }
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./redaction-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.memoryMb },
    })
    worker.on('message', (result: RedactionResult) => {
      const failed = 'failed' in result
      this.#finish(
        result.id,
        failed ? new RedactionFailed('The value cannot be redacted.') : null,
        failed ? null : result.value,
      )
    })
    // The exit that follows says the same, and comes also without an error.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = null
      if (this.#running) this.#finish(this.#running.id, new RedactionFailed('The thread ended.'))
    })
    return worker
  }

  #finish(id: number, error: Error | null, value?: unknown): void {
    const job = this.#running
    if (job?.id !== id) return
    this.#running = null
    settle(job, error, value)
    this.#next()
  }

  #giveUp(id: number): void {
    const late = new RedactionTimeout('Redaction took too long.')
    if (this.#running?.id === id) {
      void this.#dropWorker(late)
      return
    }
    const index = this.#waiting.findIndex((job) => job.id === id)
    if (index !== -1) settle(this.#waiting.splice(index, 1)[0]!, late)
  }

  async #dropWorker(why: Error): Promise<void> {
    const worker = this.#worker
    const job = this.#running
    this.#worker = null
    this.#running = null
    if (job) settle(job, why)
    const ended = worker?.terminate()
    if (!this.#closed) this.#next()
    await ended
  }
}

function settle(job: Job, error: Error | null, value?: unknown): void {
  clearTimeout(job.timer)
  if (error) job.reject(error)
  else job.resolve(value)
}
