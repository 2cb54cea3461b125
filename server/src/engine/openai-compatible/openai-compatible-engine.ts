// Calls any server that speaks the OpenAI chat-completions dialect: vLLM, SGLang, llama.cpp, Ollama, a vendor.
// Its address, key and raw error texts stay here; callers get our own sentences.
import { errors, Pool } from 'undici'
import type { StreamPart } from '../../core/stream-part.ts'
import { SseReader } from '../../lib/sse.ts'
import { type Engine, type EngineCall, EngineError } from '../engine.ts'
import { buildBody } from './build-body.ts'
import { ChunkReader } from './read-chunks.ts'

const recordBytesMax = 1024 * 1024
const connectMs = 5_000
const firstByteMs = 120_000
const silenceMs = 300_000

export type OpenAiCompatibleOptions = {
  baseUrl: string
  apiKey: string | null
  firstByteMs?: number
}

export class OpenAiCompatibleEngine implements Engine {
  readonly #pool: Pool
  readonly #path: string
  readonly #apiKey: string | null

  constructor(options: OpenAiCompatibleOptions) {
    const url = new URL(options.baseUrl)
    this.#pool = new Pool(url.origin, {
      connections: 256,
      connect: { timeout: connectMs },
      headersTimeout: options.firstByteMs ?? firstByteMs,
      bodyTimeout: silenceMs,
    })
    this.#path = `${url.pathname.replace(/\/$/, '')}/chat/completions`
    this.#apiKey = options.apiKey
  }

  async *call(call: EngineCall, signal: AbortSignal): AsyncGenerator<StreamPart> {
    try {
      const { statusCode, body } = await this.#pool.request({
        method: 'POST',
        path: this.#path,
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(this.#apiKey === null ? {} : { authorization: `Bearer ${this.#apiKey}` }),
        },
        body: JSON.stringify(buildBody(call)),
        signal,
      })
      if (statusCode !== 200) {
        body.on('error', () => {})
        body.destroy()
        throw failureOfStatus(statusCode)
      }
      const sse = new SseReader(recordBytesMax)
      const chunks = new ChunkReader()
      for await (const bytes of body as AsyncIterable<Buffer>) {
        for (const record of sse.feed(bytes)) {
          if (record.data === '[DONE]') {
            yield* chunks.finish()
            return
          }
          yield* chunks.read(record.data)
        }
      }
      yield* chunks.finish()
    } catch (error) {
      if (error instanceof EngineError) throw error
      signal.throwIfAborted()
      throw failureOfError(error)
    }
  }

  countPromptTokens(): Promise<number | null> {
    return Promise.resolve(null)
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

function failureOfError(error: unknown): EngineError {
  const timeouts = [errors.HeadersTimeoutError, errors.BodyTimeoutError, errors.ConnectTimeoutError]
  if (timeouts.some((kind) => error instanceof kind)) {
    return new EngineError('timeout', 'The model server did not answer in time.', { cause: error })
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code)) {
    return new EngineError('unreachable', 'The model server cannot be reached.', { cause: error })
  }
  return new EngineError('broken', 'The connection to the model server broke.', { cause: error })
}
