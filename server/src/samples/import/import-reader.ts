// The main thread's end of the thread that reads imports: starts it with the first import, replaces it when it dies or
// falls silent, and tells every import that was under way.
import { Worker } from 'node:worker_threads'
import type { ImportSettings } from '#contract/import.ts'
import { importRetrySeconds } from '#contract/limits.ts'
import { Refusal } from '../../core/refusal.ts'
import type {
  FromImportThread,
  ImportFormat,
  RowOrder,
  Slice,
  ToImportThread,
} from './import-messages.ts'

/** Bytes are sent on in pieces of about this size, however small they come. */
const pieceBytes = 64 * 1024
/** Slices that are prepared ahead of what is being stored. */
const slicesAhead = 4
const checkMs = 1000
/** No slice and no body keeps the thread busy for so long on a machine that works. */
const silenceMsMax = 30_000
const heapMaxMb = 2048

export type ImportReaderOptions = { silenceMs?: number; thread?: URL }

export type ImportJob = {
  /** A refusal when no more should be sent. */
  push(bytes: Buffer): Refusal | null
  /** Resolves when the whole body is read. */
  end(): Promise<{ rows: number; settings: ImportSettings | null }>
  /** Each slice in turn; the next comes only when enough of the earlier ones were told to be done. */
  slices(order: RowOrder): AsyncGenerator<Slice, void>
  /** `memory` is what the slice was in, where nobody needs it any more. */
  sliceDone(memory: ArrayBuffer | null): void
  /** Always called at the end; whatever is under way is given up. */
  close(): void
}

export class ImportReader {
  readonly #silenceMs: number
  readonly #thread: URL
  readonly #jobs = new Map<number, Job>()
  #worker: Worker | null = null
  #ids = 0
  #silentMs = 0
  #check: NodeJS.Timeout | null = null

  constructor(options: ImportReaderOptions = {}) {
    this.#silenceMs = options.silenceMs ?? silenceMsMax
    this.#thread = options.thread ?? new URL('./import-thread.ts', import.meta.url)
  }

  open(format: ImportFormat, sourceRequired: boolean): ImportJob {
    const id = this.#ids++
    const worker = (this.#worker ??= this.#start())
    const job = new Job(id, {
      send: (message, transfer) => worker.postMessage(message, transfer ?? []),
      close: () => {
        this.#jobs.delete(id)
        if (this.#jobs.size === 0) this.#rest()
      },
    })
    this.#jobs.set(id, job)
    worker.ref()
    this.#check ??= setInterval(() => this.#checkSilence(), checkMs)
    worker.postMessage({ type: 'open', job: id, format, sourceRequired } satisfies ToImportThread)
    return job
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#fail(new Error('Hone is being stopped'))
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#thread, {
      resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
    })
    worker.on('message', (message: FromImportThread) => {
      this.#silentMs = 0
      if (message.type !== 'pong') this.#jobs.get(message.job)?.receive(message)
    })
    const dead = (cause: unknown): void => {
      if (this.#worker === worker) this.#fail(cause)
    }
    worker.on('error', dead)
    worker.on('exit', () => dead(new Error('the thread that reads imports ended')))
    return worker
  }

  /** Counted in ticks of this thread, so that a process that was paused as a whole blames nobody. */
  #checkSilence(): void {
    this.#silentMs += checkMs
    this.#worker?.postMessage({ type: 'ping' } satisfies ToImportThread)
    if (this.#silentMs < this.#silenceMs) return
    const worker = this.#worker
    this.#fail(new Error('the thread that reads imports fell silent'))
    void worker?.terminate()
  }

  #fail(cause: unknown): void {
    this.#worker = null
    this.#silentMs = 0
    for (const job of this.#jobs.values()) job.fail(unavailable(cause))
  }

  /** Nothing under way must keep the process from ending. */
  #rest(): void {
    if (this.#check) clearInterval(this.#check)
    this.#check = null
    this.#silentMs = 0
    this.#worker?.unref()
  }
}

type JobPorts = {
  send(message: ToImportThread, transfer?: ArrayBuffer[]): void
  close(): void
}

class Job implements ImportJob {
  readonly #id: number
  readonly #ports: JobPorts
  #pieces: Buffer[] = []
  #piecesBytes = 0
  #failure: Refusal | null = null
  readonly #ready = Promise.withResolvers<{ rows: number; settings: ImportSettings | null }>()
  readonly #slices: Slice[] = []
  #done = false
  #wake: () => void = () => {}
  #closed = false

  constructor(id: number, ports: JobPorts) {
    this.#id = id
    this.#ports = ports
    this.#ready.promise.catch(() => {})
  }

  push(bytes: Buffer): Refusal | null {
    if (this.#failure) return this.#failure
    this.#pieces.push(bytes)
    this.#piecesBytes += bytes.length
    if (this.#piecesBytes >= pieceBytes) this.#sendPieces()
    return null
  }

  end(): Promise<{ rows: number; settings: ImportSettings | null }> {
    this.#sendPieces()
    this.#send({ type: 'end', job: this.#id })
    return this.#ready.promise
  }

  async *slices(order: RowOrder): AsyncGenerator<Slice, void> {
    this.#send({ type: 'go', job: this.#id, order, slices: slicesAhead })
    for (;;) {
      const slice = this.#slices.shift()
      if (slice) yield slice
      else if (this.#failure) throw this.#failure
      else if (this.#done) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  sliceDone(memory: ArrayBuffer | null): void {
    this.#send({ type: 'more', job: this.#id, memory }, memory ? [memory] : [])
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#send({ type: 'drop', job: this.#id })
    this.#ports.close()
  }

  receive(message: Exclude<FromImportThread, { type: 'pong' }>): void {
    switch (message.type) {
      case 'refused':
        return this.fail(new Refusal(message.code, message.message))
      case 'ready':
        return this.#ready.resolve(message)
      case 'slice':
        this.#slices.push(message.slice)
        return this.#wake()
      case 'done':
        this.#done = true
        return this.#wake()
    }
  }

  fail(why: Refusal): void {
    this.#failure ??= why
    this.#ready.reject(this.#failure)
    this.#wake()
  }

  #sendPieces(): void {
    if (this.#piecesBytes === 0) return
    const bytes = Buffer.allocUnsafeSlow(this.#piecesBytes)
    let at = 0
    for (const piece of this.#pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    this.#pieces = []
    this.#piecesBytes = 0
    this.#send({ type: 'bytes', job: this.#id, bytes }, [bytes.buffer])
  }

  #send(message: ToImportThread, transfer?: ArrayBuffer[]): void {
    if (!this.#failure) this.#ports.send(message, transfer)
  }
}

function unavailable(cause: unknown): Refusal {
  return new Refusal('UNAVAILABLE', 'The import could not be read; try again in a moment.', {
    retryAfterSeconds: importRetrySeconds,
    cause,
  })
}
