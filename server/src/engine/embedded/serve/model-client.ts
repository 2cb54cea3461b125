// The main thread's end of a model's thread: starts it, sends it calls, and tells every caller when it dies.
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { StreamPart } from '../../../core/stream-part.ts'
import { EngineError } from '../../engine.ts'
import { refuseFarTooLong } from '../prompt/prompt-too-long.ts'
import type { PromptRoom } from '../prompt/prompt-too-long.ts'
import { creditMax, PartQueue } from './part-queue.ts'
import type { FromWorker, ToWorker, WorkerCall, WorkerOptions } from './worker-messages.ts'

/** A thread that is ended within a step takes the process along, so an open model gets the time to finish one. */
const closeMsMax = { opening: 2000, open: 30_000 }

type Question = { type: 'count'; call: WorkerCall } | { type: 'load'; adapterFolder: string }

export class ModelClient {
  readonly #worker: Worker
  readonly #ready = Promise.withResolvers<PromptRoom>()
  readonly #exited = Promise.withResolvers<void>()
  readonly #died = Promise.withResolvers<void>()
  readonly #calls = new Map<number, PartQueue>()
  readonly #questions = new Map<number, PromiseWithResolvers<number>>()
  #ids = 0
  #isOpen = false
  #dead = false

  constructor(options: WorkerOptions) {
    this.#worker = new Worker(new URL('./model-thread.ts', import.meta.url), {
      workerData: options,
    })
    this.#worker.on('message', (message: FromWorker) => this.#receive(message))
    this.#worker.on('error', (cause) => this.#die(this.#stopped(cause)))
    this.#worker.on('exit', () => {
      this.#exited.resolve()
      this.#die(this.#stopped())
    })
    // Whoever calls hears of a failed start; nobody else has to.
    this.#ready.promise.catch(() => {})
  }

  /** A dead client stays dead; its owner makes a new one. */
  get died(): Promise<void> {
    return this.#died.promise
  }

  async ready(): Promise<void> {
    await this.#ready.promise
  }

  async *call(call: WorkerCall, signal: AbortSignal): AsyncGenerator<StreamPart, void> {
    const id = this.#ids++
    const queue = new PartQueue((parts) => this.#send({ type: 'credit', id, parts }))
    this.#calls.set(id, queue)
    const stop = () => queue.stop()
    signal.addEventListener('abort', stop)
    try {
      refuseFarTooLong(await this.#ready.promise, call.request)
      if (signal.aborted) return
      this.#send({ type: 'call', id, call, credit: creditMax })
      yield* queue.read()
    } finally {
      signal.removeEventListener('abort', stop)
      this.#calls.delete(id)
      // Costs nothing if the answer is complete, and stops it within a token if it is not.
      this.#send({ type: 'cancel', id })
    }
  }

  async count(call: WorkerCall, signal: AbortSignal): Promise<number> {
    return this.#ask({ type: 'count', call }, signal, (room) =>
      refuseFarTooLong(room, call.request),
    )
  }

  /** Reads an adapter before its first call. */
  async load(adapterFolder: string, signal: AbortSignal): Promise<void> {
    await this.#ask({ type: 'load', adapterFolder }, signal)
  }

  async #ask(
    question: Question,
    signal: AbortSignal,
    check: (room: PromptRoom) => void = () => {},
  ): Promise<number> {
    const id = this.#ids++
    const answered = Promise.withResolvers<number>()
    // Nobody waits for it while the model is still opening, and it may be given up by then.
    answered.promise.catch(() => {})
    const stop = () => answered.reject(signal.reason)
    this.#questions.set(id, answered)
    signal.addEventListener('abort', stop)
    try {
      signal.throwIfAborted()
      check(await this.#ready.promise)
      this.#send({ ...question, id })
      return await answered.promise
    } finally {
      signal.removeEventListener('abort', stop)
      this.#questions.delete(id)
    }
  }

  async close(): Promise<void> {
    this.#die(new EngineError('broken', 'The model is shutting down.'))
    this.#worker.postMessage({ type: 'close' } satisfies ToWorker)
    // It frees what it holds and ends.
    const msMax = this.#isOpen ? closeMsMax.open : closeMsMax.opening
    await Promise.race([this.#exited.promise, wait(msMax, undefined, { ref: false })])
    await this.#worker.terminate()
  }

  #send(message: ToWorker): void {
    if (!this.#dead) this.#worker.postMessage(message)
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#isOpen = true
        return this.#ready.resolve(message)
      case 'unusable':
        return this.#die(new EngineError('broken', `The model cannot be used: ${message.message}`))
      case 'parts':
        return this.#calls.get(message.id)?.push(message.parts)
      case 'counted':
        return this.#questions.get(message.id)?.resolve(message.tokens)
      case 'loaded':
        return this.#questions.get(message.id)?.resolve(0)
      case 'failed': {
        const error = new EngineError(message.failure, message.message, message.reason)
        this.#calls.get(message.id)?.fail(error)
        this.#questions.get(message.id)?.reject(error)
      }
    }
  }

  /** Before it was ready, what it computes with may be missing on this system. */
  #stopped(cause?: unknown): EngineError {
    const message = this.#isOpen
      ? 'The model stopped unexpectedly.'
      : 'The embedded engine could not be started on this system; the server log says why.'
    return new EngineError('broken', message, { cause })
  }

  #die(error: EngineError): void {
    if (this.#dead) return
    this.#dead = true
    this.#died.resolve()
    this.#ready.reject(error)
    for (const queue of this.#calls.values()) queue.fail(error)
    for (const question of this.#questions.values()) question.reject(error)
  }
}
