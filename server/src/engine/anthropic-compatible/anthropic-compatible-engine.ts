// Calls any server that speaks the Anthropic messages dialect.
import type { StreamPart } from '../../core/stream-part.ts'
import type { Engine, EngineCall } from '../engine.ts'
import { Upstream } from '../upstream/upstream.ts'
import { buildBody } from './build-body.ts'
import { EventReader } from './read-events.ts'

const version = '2023-06-01'

export type AnthropicCompatibleOptions = {
  baseUrl: string
  apiKey: string | null
  firstByteMs?: number
}

export class AnthropicCompatibleEngine implements Engine {
  readonly #upstream: Upstream

  constructor(options: AnthropicCompatibleOptions) {
    this.#upstream = new Upstream({
      baseUrl: options.baseUrl,
      path: '/messages',
      headers: {
        'anthropic-version': version,
        ...(options.apiKey === null ? {} : { 'x-api-key': options.apiKey }),
      },
      ...(options.firstByteMs === undefined ? {} : { firstByteMs: options.firstByteMs }),
    })
  }

  async *call(call: EngineCall, signal: AbortSignal): AsyncGenerator<StreamPart> {
    const events = new EventReader()
    for await (const record of this.#upstream.stream(buildBody(call), signal)) {
      yield* events.read(record.data)
      if (events.done) return
    }
    events.end()
  }

  countPromptTokens(): Promise<number | null> {
    return Promise.resolve(null)
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }
}
