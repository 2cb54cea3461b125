// One call to a model, in no dialect: what `parse` of each dialect yields and what every engine takes.
import type { CacheMark, Message, TextBlock } from './block.ts'

export type Tool = {
  name: string
  description: string
  /** JSON schema of the arguments. */
  parameters: Record<string, unknown>
  /** The same as JSON text, where it holds numbers of more digits than are kept here. */
  written?: string
  cache?: CacheMark
  /** Messages dialect: send argument fragments as they are written. */
  eager: boolean
}

export type ToolChoice =
  { kind: 'auto' } | { kind: 'none' } | { kind: 'required' } | { kind: 'named'; name: string }

export const effortLevels = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof effortLevels)[number]

/** What a level is worth where thinking is measured in tokens. */
export const effortTokens: Record<Effort, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
}

/** What the caller asked of the model's reasoning; `default` leaves it to the catalog row, `on` its level. */
export type Reasoning =
  | { kind: 'default' }
  | { kind: 'off' }
  | { kind: 'on'; budgetTokens?: number }
  | { kind: 'effort'; effort: Effort; budgetTokens?: number }

/** A schema as the caller named and described it; `strict` is absent where nothing was said about it. */
export type SchemaOutput = {
  kind: 'json-schema'
  schema: Record<string, unknown>
  /** The same as JSON text, where it holds numbers of more digits than are kept here. */
  written?: string
  name?: string
  description?: string
  strict?: boolean
}

export type OutputFormat = { kind: 'text' } | { kind: 'json' } | SchemaOutput

export type Sampling = {
  temperature?: number
  topP?: number
  topK?: number
  seed?: number
  frequencyPenalty?: number
  presencePenalty?: number
}

/** What changes the words of an answer on servers that know it, and is nothing to others; of the chat dialect. */
export type Steering = {
  /** By the number of a token. */
  logitBias?: Record<string, number>
  verbosity?: 'low' | 'medium' | 'high'
  /** Much of what the answer will be: a text or its parts. */
  prediction?: { type: 'content'; content: unknown }
}

/** What the caller said about caching beyond the marks on blocks and tools. */
export type CachePreference = {
  /** Top-level `cache_control`: a breakpoint on the last cacheable block (spec 1, caching rule 5). */
  automatic: CacheMark | null
  /** False switches platform-managed breakpoints off (spec 1, caching rule 4). */
  managed: boolean
  /** True when `prompt_cache_options` asks for explicit caching only (spec 1, caching rule 3). */
  explicitOnly: boolean
  /** True when the request carries any `cache_control`, on whatever it stands. */
  marked: boolean
}

export const noCachePreference: CachePreference = {
  automatic: null,
  managed: true,
  explicitOnly: false,
  marked: false,
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
  steering?: Steering
  reasoning: Reasoning
  output: OutputFormat
  cache: CachePreference
  /** The caller's own name for the conversation; calls that share it go to the same cache. */
  conversation: string | null
}
