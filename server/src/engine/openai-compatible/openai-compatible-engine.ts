// Calls any server that speaks the OpenAI chat-completions dialect: vLLM, SGLang, llama.cpp, Ollama, a vendor.
import type { StreamPart } from '../../core/stream-part.ts'
import type { Engine, EngineCall } from '../engine.ts'
import { Upstream } from '../upstream/upstream.ts'
import { buildBody, type BodyProfile } from './build-body.ts'
import { ChunkReader } from './read-chunks.ts'

export type OpenAiCompatibleOptions = {
  baseUrl: string
  apiKey: string | null
  profile: BodyProfile
  firstByteMs?: number
}

export class OpenAiCompatibleEngine implements Engine {
  readonly #upstream: Upstream
  readonly #profile: BodyProfile

  constructor(options: OpenAiCompatibleOptions) {
    this.#profile = options.profile
    this.#upstream = new Upstream({
      baseUrl: options.baseUrl,
      path: '/chat/completions',
      headers: options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` },
      ...(options.firstByteMs === undefined ? {} : { firstByteMs: options.firstByteMs }),
    })
  }

  async *call(call: EngineCall, signal: AbortSignal): AsyncGenerator<StreamPart> {
    const chunks = new ChunkReader()
    for await (const record of this.#upstream.stream(buildBody(call, this.#profile), signal)) {
      if (record.data === '[DONE]') break
      yield* chunks.read(record.data)
    }
    yield* chunks.finish()
  }

  countPromptTokens(): Promise<number | null> {
    return Promise.resolve(null)
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }
}
