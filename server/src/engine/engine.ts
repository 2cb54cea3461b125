// The port every model engine implements. Engines know nothing of wallets, routes or dialects.
import type { CallRequest, Effort } from '../core/request.ts'
import type { StreamPart } from '../core/stream-part.ts'

/** A request after the catalog has settled what this model can do. */
export type EngineCall = {
  request: CallRequest
  /** The model's name at the engine, which need not be the slug that callers use. */
  engineModel: string
  /** Settled by the catalog: null means no thinking at all. */
  effort: Effort | null
  /** The model can think, so that no thinking has to be said where the engine would think by itself. */
  canThink?: boolean
  /** The model cannot be told not to think. */
  mustThink?: boolean
  /** A hint of the caller, in tokens; the effort decides where there is none. */
  thinkingBudgetTokens: number | null
  /** Settled by the catalog: fits the context window. */
  maxTokens: number
  /** Nobody reads the answer before its end, so that an engine may ask for all of it at once. */
  whole?: boolean
  /** Prefixes of the prompt are billed, so that its tokens are wanted block by block from an engine that can count them. */
  countBlocks?: boolean
  requestId: string
  /** Keeps one workspace from feeling another's cache. */
  workspaceId: string
  /** To which the engine adds the names of what it could not do as settled, before it asks for an answer. */
  adjusted?: string[]
}

export interface Engine {
  /**
   * The answer, with the parts that came together in one group. Aborting the signal stops generation within one token; the
   * iterator then ends or throws.
   */
  call(call: EngineCall, signal: AbortSignal): AsyncIterable<readonly StreamPart[]>
  /** Prompt tokens of a request, as this engine would count them; null where it cannot tell without a call. */
  countPromptTokens(call: EngineCall, signal: AbortSignal): Promise<number | null>
  /** Whether it could take a call, found out without one; null where that cannot be told. */
  answers?(signal: AbortSignal): Promise<boolean | null>
  /**
   * Opens a model's weights before its first call. Throws an EngineError with a sentence if they are missing or broken. Engines
   * without it open nothing.
   */
  prepare?(engineModel: string, signal: AbortSignal): Promise<void>
  /** A call or a question is under way. */
  readonly busy: boolean
  /** Whatever is under way fails. */
  close(): Promise<void>
}

/**
 * Why an engine could not answer. `refused` means the request itself is at fault and another route would
 * refuse it too; everything else may be tried elsewhere as long as nothing has reached the client. `not-set-up` heals only
 * when the operator does something.
 */
export type EngineFailure =
  'unreachable' | 'timeout' | 'overloaded' | 'broken' | 'refused' | 'not-set-up'

/** The prompt, or prompt and answer together, are too long for the model: the numbers that its server named. */
export type TooLong = { numbers: readonly number[] }

export class EngineError extends Error {
  readonly failure: EngineFailure
  /** The field at fault where the request was refused for one, by the name that both dialects have for it. */
  readonly param: string | undefined
  /** When to come back, where the engine said so. */
  readonly retryAfterSeconds: number | undefined
  /** The server fell over the request, so that the one or the other may be at fault. */
  readonly mayBeRequest: boolean
  /** The model made nothing of this answer, and its server is well: asked again, it may make something of it. */
  readonly answerOnly: boolean
  readonly tooLong: TooLong | undefined
  /** The server does not take the schema that the answer is to have: asked without it, it may answer. */
  readonly answerSchema: boolean
  /** Private, because errors are logged with all fields that they show. */
  readonly #serverWords: string | undefined
  /** The sentence is shown to callers, so it never holds an address, a key or an upstream's raw text. */
  constructor(
    failure: EngineFailure,
    message: string,
    options?: ErrorOptions & {
      param?: string
      retryAfterSeconds?: number
      mayBeRequest?: boolean
      answerOnly?: boolean
      tooLong?: TooLong
      answerSchema?: boolean
      serverWords?: string
    },
  ) {
    super(message, options)
    this.name = 'EngineError'
    this.failure = failure
    this.param = options?.param
    this.retryAfterSeconds = options?.retryAfterSeconds
    this.mayBeRequest = options?.mayBeRequest ?? false
    this.answerOnly = options?.answerOnly ?? false
    this.tooLong = options?.tooLong
    this.answerSchema = options?.answerSchema ?? false
    this.#serverWords = options?.serverWords
  }

  /**
   * What the server wrote, where the sentence does not tell its reason: for the operator and never for the caller. It may quote the
   * request.
   */
  get serverWords(): string | undefined {
    return this.#serverWords
  }
}
