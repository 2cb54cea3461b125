// Writes a stream of events to one client: headers only when there is something to say, a keep-alive after
// every silence, and never more in memory than the socket takes.
import type { ServerResponse } from 'node:http'
import { keepAliveSeconds } from '#contract/limits.ts'
import type { StallWatch } from './stall-watch.ts'
import { endResponse, isBehind, writeResponse } from './write-response.ts'

export class EventStream {
  readonly #response: ServerResponse
  readonly #headers: () => string[]
  readonly #stalls: StallWatch
  readonly #timer: NodeJS.Timeout

  /** The headers, names and values in turn, are asked for once, at the moment the stream begins. */
  constructor(
    response: ServerResponse,
    keepAlive: string,
    headers: () => string[],
    stalls: StallWatch,
  ) {
    this.#response = response
    this.#headers = headers
    this.#stalls = stalls
    // Before the first event a failure can still be a plain error; the first keep-alive ends that.
    this.#timer = setInterval(() => {
      // A client that does not take what it has been sent is not kept waiting by us.
      if (!response.writableNeedDrain) void this.write(keepAlive)
    }, keepAliveSeconds * 1000)
  }

  get begun(): boolean {
    return this.#response.headersSent
  }

  /** Resolves when the client has taken enough to be given more. */
  async write(records: string): Promise<void> {
    if (records === '' || this.#response.destroyed) return
    this.#begin()
    this.#timer.refresh()
    // It may have room for more, and yet take nothing any more.
    if (isBehind(this.#response)) this.#stalls.watch(this.#response)
    const waiting = writeResponse(this.#response, records, this.#stalls)
    // Nearly always there is nothing to wait for, and then not a turn is spent on it.
    if (waiting) await waiting
  }

  /** True once the last record was handed to the operating system whole. */
  async end(records: string): Promise<boolean> {
    this.stop()
    if (this.#response.destroyed) return false
    this.#begin()
    return endResponse(this.#response, records, this.#stalls)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #begin(): void {
    if (this.#response.headersSent) return
    this.#response.writeHead(200, [
      ...this.#headers(),
      'content-type',
      'text/event-stream; charset=utf-8',
      'cache-control',
      'no-cache',
      'x-accel-buffering',
      'no',
    ])
  }
}
