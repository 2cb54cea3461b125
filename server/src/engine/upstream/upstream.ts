// One model server over HTTP: sends a request, yields the events of its answer, and turns every way it can fail into an
// EngineError. Its address, key and raw error texts stay here; callers get our own sentences.
import { errors, Pool } from 'undici'
import { SseReader, type SseRecord, SseTooLarge } from '../../lib/sse.ts'
import { EngineError } from '../engine.ts'

const recordBytesMax = 1024 * 1024
const answerBytesMax = 64 * 1024 * 1024
const connectMs = 5_000
const firstByteMs = 120_000
const silenceMs = 300_000

export type UpstreamOptions = {
  baseUrl: string
  path: string
  headers: Record<string, string>
  /** Until the head of the answer; then a silence of five minutes ends it. */
  firstByteMs?: number
}

export class Upstream {
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: Record<string, string>

  constructor(options: UpstreamOptions) {
    const url = new URL(options.baseUrl)
    this.#pool = new Pool(url.origin, {
      connections: 256,
      connect: { timeout: connectMs },
      headersTimeout: options.firstByteMs ?? firstByteMs,
      bodyTimeout: silenceMs,
    })
    this.#path = url.pathname.replace(/\/$/, '') + options.path
    this.#headers = {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...options.headers,
    }
  }

  async *stream(body: object, signal: AbortSignal): AsyncGenerator<SseRecord> {
    try {
      const answer = await this.#pool.request({
        method: 'POST',
        path: this.#path,
        headers: this.#headers,
        body: JSON.stringify(body),
        signal,
      })
      if (answer.statusCode !== 200) {
        answer.body.on('error', () => {})
        answer.body.destroy()
        throw failureOfStatus(answer.statusCode)
      }
      const sse = new SseReader(recordBytesMax)
      let bytes = 0
      for await (const piece of answer.body as AsyncIterable<Buffer>) {
        bytes += piece.length
        if (bytes > answerBytesMax) throw new SseTooLarge()
        yield* sse.feed(piece)
      }
    } catch (error) {
      if (error instanceof EngineError) throw error
      signal.throwIfAborted()
      throw failureOfError(error)
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}

function failureOfStatus(status: number): EngineError {
  if (status === 429 || status === 503 || status === 529) {
    return new EngineError('overloaded', 'The model server is overloaded.')
  }
  if (status === 400 || status === 413 || status === 422) {
    return new EngineError('refused', 'The model server refused the request as it is.')
  }
  return new EngineError('broken', `The model server answered with status ${status}.`)
}

const timeouts = [errors.HeadersTimeoutError, errors.BodyTimeoutError, errors.ConnectTimeoutError]

function failureOfError(error: unknown): EngineError {
  if (timeouts.some((kind) => error instanceof kind)) {
    return new EngineError('timeout', 'The model server did not answer in time.', { cause: error })
  }
  if (error instanceof SseTooLarge) {
    return new EngineError('broken', 'The model server sent more than an answer can be.')
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code)) {
    return new EngineError('unreachable', 'The model server cannot be reached.', { cause: error })
  }
  return new EngineError('broken', 'The connection to the model server broke.', { cause: error })
}
