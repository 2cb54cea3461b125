// Calls any server that speaks the OpenAI chat-completions dialect: vLLM, SGLang, llama.cpp, Ollama, a vendor.
import type { StreamPart } from '../../core/stream-part.ts'
import type { Engine, EngineCall, EngineError } from '../engine.ts'
import { askedOtherwise, remembered } from '../upstream/asked-otherwise.ts'
import { asksWhole } from '../upstream/asks-whole.ts'
import { RefusedStops } from '../upstream/refused-stops.ts'
import { answersModels, askCount } from '../upstream/side-questions.ts'
import { Upstream } from '../upstream/upstream.ts'
import { askedSteering } from './asked-steering.ts'
import { buildBody, type BodyProfile } from './build-body.ts'
import { CallProofs } from './call-proofs.ts'
import { hasInstructions, instructionsInTurns } from './instructions-in-turns.ts'
import { ChunkReader } from './read-chunks.ts'

export type OpenAiCompatibleOptions = {
  baseUrl: string
  apiKey: string | null
  /** What its operator wants it to be told beside. */
  headers: Record<string, string>
  profile: Omit<BodyProfile, 'proofs'>
  firstByteMs?: number
}

export class OpenAiCompatibleEngine implements Engine {
  readonly #upstream: Upstream
  readonly #profile: BodyProfile
  /** Models whose server refused instructions amid a conversation, and took the same as words of a turn. */
  readonly #takeNoInstructions = new Set<string>()
  readonly #refusedStops: RefusedStops

  constructor(options: OpenAiCompatibleOptions) {
    this.#refusedStops = new RefusedStops({ takesNone: options.profile.leavesOut.includes('stop') })
    this.#profile = { ...options.profile, proofs: new CallProofs(options.baseUrl) }
    this.#upstream = new Upstream({
      baseUrl: options.baseUrl,
      path: '/chat/completions',
      headers: {
        ...options.headers,
        ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
      },
      ...(options.firstByteMs === undefined ? {} : { firstByteMs: options.firstByteMs }),
    })
  }

  call(call: EngineCall, signal: AbortSignal): AsyncIterable<StreamPart[]> {
    return this.#refusedStops.asked(call, (stopped) =>
      askedSteering(stopped, (asked) => this.#askInstructing(asked, signal)),
    )
  }

  #askInstructing(call: EngineCall, signal: AbortSignal): AsyncIterable<StreamPart[]> {
    if (!hasInstructions(call.request)) return this.#ask(call, signal)
    const inTurns = { ...call, request: instructionsInTurns(call.request) }
    if (this.#takeNoInstructions.has(call.engineModel)) return this.#ask(inTurns, signal)
    return askedOtherwise(this.#ask(call, signal), (error) => {
      if (!mayBeForInstructions(error)) return null
      const again = this.#ask(inTurns, signal)
      // A server that fell over a request may have done so for any reason.
      if (error.failure !== 'refused') return again
      return remembered(this.#takeNoInstructions, call.engineModel, again)
    })
  }

  #ask(call: EngineCall, signal: AbortSignal): AsyncIterable<StreamPart[]> {
    const manner = { live: !call.whole, thinks: call.effort !== null }
    const reader = new ChunkReader(call.request.messages, this.#profile.proofs, manner)
    const { server } = this.#upstream
    const canBeWhole = asksWhole(call) && this.#upstream.canBeWhole(call.maxTokens)
    if (canBeWhole || this.#profile.wholeOnly) {
      const body = buildBody(call, this.#profile, { stream: false, server })
      return this.#upstream.whole(body, reader, signal, call.maxTokens)
    }
    const body = buildBody(call, this.#profile, { server })
    return this.#upstream.stream(body, reader, signal, call.maxTokens)
  }

  async countPromptTokens(call: EngineCall, signal: AbortSignal): Promise<number | null> {
    if (!this.#profile.tokenizes) return null
    const body = buildBody(call, this.#profile)
    const { model, messages, tools, chat_template_kwargs } = body
    const { continue_final_message, add_generation_prompt } = body
    const prompt = { messages, tools, chat_template_kwargs }
    const asked = { model, ...prompt, continue_final_message, add_generation_prompt }
    return askCount(this.#upstream, '../tokenize', asked, 'count', signal)
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
}

/** Some servers refuse a conversation that their template cannot write, and others fall over it. */
function mayBeForInstructions({ failure, mayBeRequest, tooLong }: EngineError): boolean {
  return (failure === 'refused' && tooLong === undefined) || mayBeRequest
}
