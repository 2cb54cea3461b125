// One request while the model works on it: what is left of its prompt, its keys and values, its answer so far.
import type { Sampling } from '../../../core/request.ts'
import type { PromptFacts, StreamPart } from '../../../core/stream-part.ts'
import { noUsage, type Usage } from '../../../core/usage.ts'
import { EngineError } from '../../engine.ts'
import { randomSource } from '../generate/random-source.ts'
import { bestToken, sampleToken } from '../generate/sample-token.ts'
import type { Turn } from '../generate/turn.ts'
import { hasToken } from '../grammar/token-set.ts'
import type { Adapter } from '../llama/adapter.ts'
import type { KvState } from '../llama/forward.ts'
import type { PrefixEntry } from './prefix-cache.ts'

export type Job = {
  id: number
  workspaceId: string
  /** Null runs the base weights. */
  adapterFolder: string | null
  prompt: number[]
  /** The tokens of each block of the prompt; null where nobody asked for them. */
  tokensPerBlock: readonly number[] | null
  turn: Turn
  sampling: Sampling
  /** How many parts may be sent before the reader asks for more. */
  credit: number
}

export class Row {
  readonly job: Job
  readonly adapter: Adapter | null
  readonly state: KvState
  readonly reusedTokens: number
  /** Where this row's prompt can be found by others while it runs. */
  entry: PrefixEntry | null = null
  /** Prompt tokens first, then what was generated. The state lags behind by what is not computed yet. */
  readonly tokens: number[]
  readonly #random
  readonly #counts = new Map<number, number>()

  constructor(job: Job, adapter: Adapter | null, state: KvState) {
    this.job = job
    this.adapter = adapter
    this.state = state
    this.reusedTokens = state.length
    this.tokens = [...job.prompt]
    this.#random = randomSource(job.sampling.seed)
  }

  get owner(): string {
    return ownerOf(this.job)
  }

  /** Whether the prompt is still being read. */
  get reading(): boolean {
    return this.job.turn.outputTokens === 0
  }

  /** Whether its reader has fallen so far behind that it waits. */
  get paused(): boolean {
    return !this.reading && this.job.credit <= 0
  }

  /** The next tokens to compute. */
  pending(tokensMax: number): number[] {
    return this.tokens.slice(this.state.length, this.state.length + tokensMax)
  }

  /** Picks a token by the logits after all that was computed, and returns what it says. */
  pick(logits: Float32Array): StreamPart[] {
    const { turn, sampling } = this.job
    const { allowed, wanted } = turn.next()
    const token = sampleToken(logits, allowed, sampling, this.#counts, this.#random)
    if (token === -1) throw new EngineError('broken', 'The model has no token that may come next.')
    const cutShort = allowed !== wanted && !hasToken(allowed, bestToken(logits, wanted))
    this.tokens.push(token)
    this.#counts.set(token, (this.#counts.get(token) ?? 0) + 1)
    const begins = this.reading
    const parts = turn.accept(token, cutShort)
    if (begins)
      parts.unshift({ type: 'prompt', usage: this.#promptUsage(), ...this.#promptFacts() })
    if (turn.finished) parts.push(this.#finish())
    this.job.credit -= parts.length
    return parts
  }

  #promptUsage(): Usage {
    return { ...noUsage, inputTokens: this.job.prompt.length }
  }

  #promptFacts(): PromptFacts {
    const { tokensPerBlock } = this.job
    return tokensPerBlock ? { tokensPerBlock } : {}
  }

  #finish(): StreamPart {
    const { turn } = this.job
    return {
      type: 'finish',
      reason: turn.finished!,
      usage: {
        ...this.#promptUsage(),
        outputTokens: turn.outputTokens,
        thinkingTokens: turn.thinkingTokens,
      },
      reusedTokens: this.reusedTokens,
      ...this.#promptFacts(),
    }
  }
}

export function ownerOf({ workspaceId, adapterFolder }: Job): string {
  return JSON.stringify([workspaceId, adapterFolder])
}
