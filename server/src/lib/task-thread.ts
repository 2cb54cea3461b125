// A worker thread that does one task after another: it starts with the first task, and stops when there was none for a while. The
// thread's end is serve-tasks.ts.
import { Worker } from 'node:worker_threads'
import { youngGenerationMb } from './thread-memory.ts'

/** A thread that has worked holds memory; starting another takes a fifth of a second. */
const idleMs = 10_000
const endMsMax = 3000

export type ToTaskThread<Task> = { task: Task } | 'stop'
export type FromTaskThread<Result> = { result: Result } | { failure: string }

export type TaskThreadOptions = {
  thread: URL
  /** What the thread needs to start. */
  data: unknown
  /** Begins the message of an error, such as "samples could not be indexed". */
  failed: string
  /** A thread that needs more memory ends. With a limit, V8 also lets less garbage pile up. */
  heapMb?: number
}

export class TaskThread<Task, Result> {
  readonly #options: TaskThreadOptions
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | null = null
  #last: Promise<unknown> = Promise.resolve()
  #tasks = 0
  #closed = false

  constructor(options: TaskThreadOptions) {
    this.#options = options
  }

  /** Tasks that run or wait. */
  get tasks(): number {
    return this.#tasks
  }

  /** Resolves with null when this was closed before the task was done. */
  async run(task: Task): Promise<Result | null> {
    this.#tasks += 1
    const done = this.#last.then(() => this.#runNow(task))
    this.#last = done.catch(() => {})
    try {
      return await done
    } finally {
      this.#tasks -= 1
    }
  }

  /** A task that runs is given up. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#end()
  }

  async #runNow(task: Task): Promise<Result | null> {
    if (this.#closed) return null
    if (this.#idle) clearTimeout(this.#idle)
    const { failed } = this.#options
    const worker = (this.#worker ??= this.#start())
    const { promise, resolve, reject } = Promise.withResolvers<FromTaskThread<Result>>()
    const ended = (cause?: unknown): void =>
      reject(new Error(`${failed}: the thread ended`, { cause }))
    worker.once('message', resolve).once('error', ended).once('exit', ended)
    worker.postMessage({ task } satisfies ToTaskThread<Task>)
    try {
      const answer = await promise
      if ('failure' in answer) throw new Error(`${failed}: ${answer.failure}`)
      return answer.result
    } catch (error) {
      if (!this.#closed) throw error
      return null
    } finally {
      worker.off('message', resolve).off('error', ended).off('exit', ended)
      if (this.#idle) clearTimeout(this.#idle)
      this.#idle = setTimeout(() => void this.#end(), idleMs).unref()
    }
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    if (this.#idle) clearTimeout(this.#idle)
    if (!worker) return
    const ended = new Promise((resolve) => worker.once('exit', resolve))
    worker.postMessage('stop' satisfies ToTaskThread<Task>)
    const timer = setTimeout(() => void worker.terminate(), endMsMax)
    await ended
    clearTimeout(timer)
  }

  #start(): Worker {
    const { thread, data, heapMb } = this.#options
    const worker = new Worker(thread, {
      workerData: data,
      resourceLimits: {
        maxYoungGenerationSizeMb: youngGenerationMb,
        ...(heapMb === undefined ? {} : { maxOldGenerationSizeMb: heapMb }),
      },
    })
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = null
    }
    worker.on('error', forget).on('exit', forget)
    worker.unref()
    return worker
  }
}
