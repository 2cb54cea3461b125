// One model server over HTTP: sends a request and hands out its answer. Address and key stay here.
import { type Dispatcher, Pool } from 'undici'
import type { StreamPart } from '../../core/stream-part.ts'
import { type AnswerReader, Exchange, type Sender } from './exchange.ts'
import { keptConnector } from './kept-connections.ts'
import { type KnownServer, knownServer } from './known-server.ts'
import { readBounded, type SideAnswer } from './side-questions.ts'

const connectMs = 5_000
const firstByteMsDefault = 120_000
const silenceMs = 300_000
/** The slowest server that is waited for when an answer comes whole. */
const wholeMsPerToken = 125

const askMs = 3_000

export type UpstreamOptions = {
  baseUrl: string
  path: string
  headers: Record<string, string>
  /** Until the head of the answer, and from there to its first words; then a silence of five minutes ends it. */
  firstByteMs?: number
}

export class Upstream {
  readonly #pool: Pool
  /** For what was lost with a kept connection: each call here has one of its own. */
  readonly #unkept: Pool
  readonly #path: string
  /** Some vendors want their version behind every path. */
  readonly #search: string
  readonly #base: URL
  readonly #headers: Record<string, string>
  readonly #firstByteMs: number
  #server: KnownServer | null = null

  constructor(options: UpstreamOptions) {
    const url = new URL(options.baseUrl)
    this.#firstByteMs = options.firstByteMs ?? firstByteMsDefault
    const connections = {
      // How many calls there are at once is not for a connection to decide: one that waited for it here would be timed by nobody.
      connections: null,
      connect: keptConnector(connectMs),
      headersTimeout: this.#firstByteMs,
      // Until the first words too, where the head of the answer comes before them.
      bodyTimeout: Math.max(silenceMs, this.#firstByteMs),
    }
    this.#pool = new Pool(url.origin, connections)
    this.#unkept = new Pool(url.origin, { ...connections, pipelining: 0 })
    const base = url.pathname.replace(/\/+$/, '')
    this.#search = url.search
    this.#path = base + options.path + url.search
    this.#base = new URL(`${base}/`, url)
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      // Left out, a server may send its answer in any coding.
      'accept-encoding': 'identity',
      ...options.headers,
    }
  }

  /**
   * Whether an answer of so many tokens may be asked for whole. It then has no first byte before its last, so that only
   * an answer which is over in little more than a first byte's time can be: a server that hangs is noticed soon enough. The
   * known ones do not notice that whoever wanted a whole answer has left, and generate it all the same; a stream they end.
   */
  canBeWhole(maxTokens: number): boolean {
    return this.#server === null && maxTokens * wholeMsPerToken <= this.#firstByteMs
  }

  /** As its last answer told; null for most, and before the first. */
  get server(): KnownServer | null {
    return this.#server
  }

  stream(
    body: object,
    reader: AnswerReader,
    signal: AbortSignal,
    maxTokens: number,
  ): AsyncIterableIterator<StreamPart[]> {
    return this.#send(body, reader, signal, maxTokens, null)
  }

  /** For answers that `canBeWhole`, or cannot be had otherwise. */
  whole(
    body: object,
    reader: AnswerReader,
    signal: AbortSignal,
    maxTokens: number,
  ): AsyncIterableIterator<StreamPart[]> {
    const wholeMs = this.#firstByteMs + maxTokens * wholeMsPerToken
    return this.#send(body, reader, signal, maxTokens, wholeMs)
  }

  #send(
    body: object,
    reader: AnswerReader,
    signal: AbortSignal,
    maxTokens: number,
    wholeMs: number | null,
  ): AsyncIterableIterator<StreamPart[]> {
    signal.throwIfAborted()
    const request: Dispatcher.DispatchOptions = {
      method: 'POST',
      path: this.#path,
      headers: this.#headers,
      body: JSON.stringify(body),
      ...(wholeMs === null ? {} : { headersTimeout: wholeMs }),
    }
    const patience = { firstMs: wholeMs ?? this.#firstByteMs, silenceMs, maxTokens }
    return new Exchange(reader, signal, wholeMs !== null, request, this.#sender, patience)
  }

  readonly #sender: Sender = {
    send: (request, exchange) => void this.#pool.dispatch(request, exchange),
    sendAgain: (request, exchange) => void this.#unkept.dispatch(request, exchange),
    answered: (head) => (this.#server = knownServer(head)),
  }

  /** A question beside the calls, by its address below the server's; null when nothing came back. */
  async ask(path: string, signal: AbortSignal, body?: object): Promise<SideAnswer | null> {
    try {
      const answer = await this.#pool.request({
        method: body ? 'POST' : 'GET',
        path: new URL(path, this.#base).pathname + this.#search,
        headers: this.#headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(askMs)]),
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: answer.statusCode, json: await readBounded(answer.body) }
    } catch {
      return null
    }
  }

  get busy(): boolean {
    return isBusy(this.#pool) || isBusy(this.#unkept)
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#unkept.destroy()])
  }
}

function isBusy({ stats }: Pool): boolean {
  return stats.size > 0
}
