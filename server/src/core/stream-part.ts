// What an engine yields while it answers, in order: the prompt's size where it knows it before it begins, thinking, then
// text and tool calls, then one `finish`.
// A stream that ends without `finish` was cut; an engine that fails throws an EngineError instead.
import type { StopReason } from './stop-reason.ts'
import type { Usage } from './usage.ts'

/** What an engine says of a cache of its own, zero included; absent where it says nothing of one. */
export type CacheReport =
  | 'reads'
  | 'reads-and-writes'
  /** What was written, but not for how long; it is counted as written for five minutes. */
  | 'reads-and-total-writes'

export type PromptFacts = {
  cacheReport?: CacheReport
  /** How much of the prompt each block of `promptBlocks` is, in tokens, where that was asked for; nobody's sum to be billed. */
  tokensPerBlock?: readonly number[]
}

export type StreamPart =
  | ({ type: 'prompt'; usage: Usage } & PromptFacts)
  | { type: 'thinking-delta'; text: string }
  /**
   * Ends a thought, with or without words, that its engine wants to see again before it goes on: what it is to be shown
   * then, which only that engine reads. A `redacted` one has no words.
   */
  | { type: 'thinking-proof'; proof: string; redacted: boolean }
  /** `json`: the same text as a JSON string, where its engine has read it from one. */
  | { type: 'text-delta'; text: string; json?: string }
  | { type: 'tool-call-start'; index: number; id: string; name: string }
  | { type: 'tool-call-delta'; index: number; json: string }
  | { type: 'tool-call-end'; index: number }
  /** `reusedTokens`: prompt tokens whose state the engine still had, which is a fact and not a price. */
  | ({
      type: 'finish'
      reason: StopReason
      usage: Usage
      reusedTokens?: number
    } & PromptFacts)
