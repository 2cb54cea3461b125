// Calls any server that speaks the Anthropic messages dialect.
import type { KeyHeader } from '../../core/server-ways.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import type { Engine, EngineCall, EngineError } from '../engine.ts'
import { askedOtherwise } from '../upstream/asked-otherwise.ts'
import { asksWhole } from '../upstream/asks-whole.ts'
import { RefusedStops } from '../upstream/refused-stops.ts'
import { answersModels, askCount } from '../upstream/side-questions.ts'
import { Upstream } from '../upstream/upstream.ts'
import { type Body, type BodyProfile, buildBody } from './build-body.ts'
import { holdsProven, ProvenThoughts } from './proven-thought.ts'
import { EventReader } from './read-events.ts'

const version = '2023-06-01'
/** Models that take a budget think between calls of tools only where this is asked for; others do it by themselves. */
const thinkBetweenCalls = 'interleaved-thinking-2025-05-14'

export type AnthropicCompatibleOptions = {
  baseUrl: string
  apiKey: string | null
  /** What its operator wants it to be told beside. */
  headers: Record<string, string>
  keyHeader: KeyHeader
  profile: BodyProfile
  firstByteMs?: number
}

export class AnthropicCompatibleEngine implements Engine {
  readonly #upstream: Upstream
  readonly #baseUrl: string
  readonly #profile: BodyProfile
  readonly #refusedStops: RefusedStops

  constructor(options: AnthropicCompatibleOptions) {
    this.#baseUrl = options.baseUrl
    this.#profile = options.profile
    this.#refusedStops = new RefusedStops({
      takesNone: this.#profile.leavesOut.includes('stop_sequences'),
    })
    this.#upstream = new Upstream({
      baseUrl: options.baseUrl,
      path: '/messages',
      headers: {
        'anthropic-version': version,
        ...options.headers,
        ...betas(this.#profile, options.headers['anthropic-beta']),
        ...(options.apiKey === null ? {} : keyIn(options.keyHeader, options.apiKey)),
      },
      ...(options.firstByteMs === undefined ? {} : { firstByteMs: options.firstByteMs }),
    })
  }

  call(call: EngineCall, signal: AbortSignal): AsyncIterable<StreamPart[]> {
    return this.#refusedStops.asked(call, (asked) => this.#askFormed(asked, signal))
  }

  /** A schema that the server does not take is told in words: its model may follow it all the same. */
  #askFormed(call: EngineCall, signal: AbortSignal): AsyncIterable<StreamPart[]> {
    const first = this.#ask(call, { tellsSchema: false }, signal)
    if (call.request.output.kind !== 'json-schema') return first
    return askedOtherwise(first, (error) =>
      this.#refusesSchema(call, error) ? this.#ask(call, { tellsSchema: true }, signal) : null,
    )
  }

  #refusesSchema({ request }: EngineCall, { answerSchema }: EngineError): boolean {
    const isSent = !this.#profile.leavesOut.includes('output_config')
    return answerSchema && isSent && request.output.kind === 'json-schema'
  }

  #ask(
    call: EngineCall,
    { tellsSchema }: { tellsSchema: boolean },
    signal: AbortSignal,
  ): AsyncIterable<StreamPart[]> {
    const proven = this.#provenFor(call)
    const body = buildBody(call, this.#profile, { proven, tellsSchema })
    const first = this.#send(call, body, proven, signal)
    if (!holdsProven(body.messages)) return first
    // Whatever a server has against thoughts of its own, the conversation can go on with their words.
    return askedOtherwise(first, (error) => {
      if (error.failure !== 'refused') return null
      if (!tellsSchema && this.#refusesSchema(call, error)) return null
      const inWords = buildBody(call, this.#profile, { proven: null, tellsSchema })
      return this.#send(call, inWords, proven, signal)
    })
  }

  countPromptTokens(call: EngineCall, signal: AbortSignal): Promise<number | null> {
    // Only what the prompt is made of: a count takes no other field.
    const { model, messages, system, tools, tool_choice, thinking } = buildBody(
      call,
      this.#profile,
      { proven: this.#provenFor(call) },
    )
    const body = { model, messages, system, tools, tool_choice, thinking }
    return askCount(this.#upstream, 'messages/count_tokens', body, 'input_tokens', signal)
  }

  answers(signal: AbortSignal): Promise<boolean | null> {
    return answersModels(this.#upstream, signal)
  }

  get busy(): boolean {
    return this.#upstream.busy
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }

  #send(
    call: EngineCall,
    body: Body,
    proven: ProvenThoughts,
    signal: AbortSignal,
  ): AsyncIterable<StreamPart[]> {
    const reader = new EventReader(proven)
    // In a whole message the arguments of a tool are an object, of which only a stream has the text as it was written.
    const whole = asksWhole(call) && call.request.tools.length === 0
    if (!whole || !this.#upstream.canBeWhole(call.maxTokens)) {
      return this.#upstream.stream(body, reader, signal, call.maxTokens)
    }
    return this.#upstream.whole({ ...body, stream: false }, reader, signal, call.maxTokens)
  }

  #provenFor({ engineModel }: EngineCall): ProvenThoughts {
    return new ProvenThoughts(this.#baseUrl, engineModel)
  }
}

/** Those of its operator, and Hone's own. */
function betas({ thinking }: BodyProfile, others: string | undefined): Record<string, string> {
  const names = [others, thinking === 'budget' ? thinkBetweenCalls : undefined]
  const list = names.filter((name) => name !== undefined).join(',')
  return list === '' ? {} : { 'anthropic-beta': list }
}

function keyIn(header: KeyHeader, key: string): Record<string, string> {
  return { [header]: header === 'authorization' ? `Bearer ${key}` : key }
}
