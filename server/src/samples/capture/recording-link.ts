// The main thread's end of the thread that records: starts it when there is something to record, and notices when it dies
// or stays on one call for too long.
import { Worker } from 'node:worker_threads'
import { youngGenerationMb } from '../../lib/thread-memory.ts'
import type {
  FromRecordingThread,
  RecordingSettings,
  RecordingThreadData,
  ToRecordingThread,
} from './recording-messages.ts'

export type LinkOptions = {
  /** How long one call may take to be redacted. */
  deadlineMs: number
  /** What the thread may hold; one that needs more is ended. */
  memoryMb: number
  thread: URL
}

const defaults: LinkOptions = {
  deadlineMs: 5000,
  memoryMb: 1024,
  thread: new URL('./recording-thread.ts', import.meta.url),
}

/** `call` is the number of the one that was being redacted, or 0. */
export type Death = { call: number; why: 'late' | 'ended' }

export type LinkPorts = {
  settings: RecordingSettings
  /** The memory with the texts of what is sent to a thread that starts now. */
  texts(): SharedArrayBuffer
  receive(message: FromRecordingThread): void
  died(death: Death): void
}

const checksPerDeadline = 10
const endMsMax = 3000

export class RecordingLink {
  readonly #ports: LinkPorts
  readonly #options: LinkOptions
  #thread: { worker: Worker; progress: Int32Array } | null = null
  #watch: NodeJS.Timeout | null = null
  #seen = { call: 0, checks: 0 }

  constructor(ports: LinkPorts, options: Partial<LinkOptions> = {}) {
    this.#ports = ports
    this.#options = { ...defaults, ...options }
  }

  /** Starts the thread where there is none. */
  send(message: ToRecordingThread): void {
    this.#thread ??= this.#start()
    this.#thread.worker.postMessage(message)
  }

  /** Says it only to a thread that runs. */
  tell(message: ToRecordingThread): void {
    this.#thread?.worker.postMessage(message)
  }

  /** While calls are with the thread it is watched, and the process does not end by itself. */
  busy(isBusy: boolean): void {
    if (isBusy) {
      this.#thread?.worker.ref()
      this.#watch ??= setInterval(
        () => this.#check(),
        this.#options.deadlineMs / checksPerDeadline,
      ).unref()
    } else {
      this.#thread?.worker.unref()
      if (this.#watch) clearInterval(this.#watch)
      this.#watch = null
    }
  }

  /** The thread closes its connections and ends. */
  async end(): Promise<void> {
    const thread = this.#thread
    if (!thread) return
    this.busy(false)
    this.#thread = null
    const ended = new Promise((resolve) => thread.worker.once('exit', resolve))
    thread.worker.ref()
    thread.worker.postMessage({ type: 'end' } satisfies ToRecordingThread)
    const timer = setTimeout(() => void thread.worker.terminate(), endMsMax)
    await ended
    clearTimeout(timer)
  }

  #start(): { worker: Worker; progress: Int32Array } {
    const progress = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const texts = this.#ports.texts()
    const workerData: RecordingThreadData = { ...this.#ports.settings, progress, texts }
    const worker = new Worker(this.#options.thread, {
      workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.memoryMb,
        maxYoungGenerationSizeMb: youngGenerationMb,
      },
    })
    const thread = { worker, progress: new Int32Array(progress) }
    // What a thread that was given up still says is not listened to: its calls are with another one.
    worker.on('message', (message: FromRecordingThread) => {
      if (this.#thread === thread) this.#ports.receive(message)
    })
    // The exit that follows says the same, and comes also without an error.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#thread === thread) this.#drop({ call: thread.progress[0] ?? 0, why: 'ended' })
    })
    return thread
  }

  /** Counted in ticks of this thread, so that a process that was paused as a whole blames nobody. */
  #check(): void {
    const thread = this.#thread
    if (!thread) return
    const call = Atomics.load(thread.progress, 0)
    const checks = call !== 0 && call === this.#seen.call ? this.#seen.checks + 1 : 0
    this.#seen = { call, checks }
    if (checks < checksPerDeadline) return
    void thread.worker.terminate()
    this.#drop({ call, why: 'late' })
  }

  #drop(death: Death): void {
    this.#thread = null
    this.#seen = { call: 0, checks: 0 }
    this.#ports.died(death)
  }
}
