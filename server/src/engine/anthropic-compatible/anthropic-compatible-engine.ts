// Calls any server that speaks the Anthropic messages dialect.
import type { StreamPart } from '../../core/stream-part.ts'
import type { LeaveSignal } from '../../lib/call-signal.ts'
import type { Engine, EngineCall } from '../engine.ts'
import { onePartAtATime } from '../upstream/one-part-at-a-time.ts'
import { answersModels, askCount } from '../upstream/side-questions.ts'
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

  call(call: EngineCall, signal: LeaveSignal): AsyncIterable<StreamPart> {
    return onePartAtATime(this.callInGroups(call, signal))
  }

  callInGroups(call: EngineCall, signal: LeaveSignal): AsyncIterable<StreamPart[]> {
    const body = buildBody(call)
    const reader = new EventReader()
    // In a whole message the arguments of a tool are an object, of which only a stream has the text as it was written.
    const whole = call.whole && call.request.tools.length === 0
    if (!whole || !this.#upstream.canBeWhole(call.maxTokens)) {
      return this.#upstream.stream(body, reader, signal)
    }
    return this.#upstream.whole({ ...body, stream: false }, reader, signal, call.maxTokens)
  }

  countPromptTokens(call: EngineCall, signal: LeaveSignal): Promise<number | null> {
    // Only what the prompt is made of: a count takes no other field.
    const { model, messages, system, tools, tool_choice, thinking } = buildBody(call)
    const body = { model, messages, system, tools, tool_choice, thinking }
    return askCount(this.#upstream, 'messages/count_tokens', body, 'input_tokens', signal)
  }

  answers(signal: LeaveSignal): Promise<boolean | null> {
    return answersModels(this.#upstream, signal)
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }
}
