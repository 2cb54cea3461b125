// One call to a model, in no dialect: what `parse` of each dialect yields and what every engine takes.
import type { CacheMark, Message, TextBlock } from './block.ts'

export type Tool = {
  name: string
  description: string
  /** JSON schema of the arguments. */
  parameters: Record<string, unknown>
  cache?: CacheMark
  /** Messages dialect: send argument fragments as they are written. */
  eager: boolean
}

export type ToolChoice =
  { kind: 'auto' } | { kind: 'none' } | { kind: 'required' } | { kind: 'named'; name: string }

export const effortLevels = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof effortLevels)[number]

/** What the caller asked of the model's reasoning; `default` leaves it to the catalog row. */
export type Reasoning =
  { kind: 'default' } | { kind: 'off' } | { kind: 'effort'; effort: Effort; budgetTokens?: number }

export type OutputFormat =
  { kind: 'text' } | { kind: 'json' } | { kind: 'json-schema'; schema: Record<string, unknown> }

export type Sampling = {
  temperature?: number
  topP?: number
  topK?: number
  seed?: number
  frequencyPenalty?: number
  presencePenalty?: number
}

export type CallRequest = {
  model: string
  /** In prompt order: tools, then system, then messages (spec 1, caching rule 1). */
  tools: Tool[]
  system: TextBlock[]
  messages: Message[]
  toolChoice: ToolChoice
  parallelToolCalls: boolean
  /** Ceiling on output, thinking included; absent means the model's own. */
  maxTokens?: number
  stop: string[]
  sampling: Sampling
  reasoning: Reasoning
  output: OutputFormat
}
