// How many tokens an answer took, wherever a server of this dialect says so:
//
// | where                            | who                                      |
// | -------------------------------- | ---------------------------------------- |
// | `usage`                          | nearly all                               |
// | `choices[0].usage`               | Moonshot                                 |
// | `x_groq.usage`                   | Groq                                     |
// | `timings`                        | llama.cpp, where it gives nothing else   |
//
// A count that makes no sense is an error, never a bill.
import type { CacheReport } from '../../core/stream-part.ts'
import type { Usage } from '../../core/usage.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { tokenCount } from '../upstream/read-json.ts'

/** The counts of a chunk, or of a whole answer, as the server wrote them; null where it says nothing of them. */
export function countsIn(chunk: Json, choice: Json | null): Json | null {
  if (saysCounts(chunk.usage)) return chunk.usage
  if (choice !== null && saysCounts(choice.usage)) return choice.usage
  if (isObject(chunk.x_groq) && saysCounts(chunk.x_groq.usage)) return chunk.x_groq.usage
  return null
}

const countNames = ['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens']

/** Some servers send the object empty until they know. */
function saysCounts(usage: unknown): usage is Json {
  return isObject(usage) && countNames.some((name) => (usage[name] ?? null) !== null)
}

/** The later counts are those of the whole answer, unless they are the zeros that some servers end every stream with. */
export function laterCounts(before: Json | null, now: Json | null): Json | null {
  const saysNothing = now === null || (before !== null && countNames.every((name) => !now[name]))
  return saysNothing ? before : now
}

/** What llama.cpp measured: the prompt is what it read and what it still had. */
export function countsOfTimings({ prompt_n: read, cache_n: had, predicted_n: wrote }: Json): Json {
  const cached_tokens = had ?? undefined
  return {
    prompt_tokens: tokenCount(read) + tokenCount(had ?? 0),
    completion_tokens: wrote,
    ...(cached_tokens === undefined ? {} : { cached_tokens }),
  }
}

export type ReadUsage = {
  usage: Usage
  /** Zero is a report too; servers that keep no count leave the field out. */
  cacheReport: CacheReport | null
}

/** `thinks`: the model was asked to. */
export function readUsage(counts: Json, { thinks } = { thinks: false }): ReadUsage {
  const prompt = tokenCount(counts.prompt_tokens ?? counts.input_tokens)
  const written = tokenCount(counts.completion_tokens ?? counts.output_tokens)
  const told = thinkingCount(counts)
  const thinking = tokenCount(told ?? (thinks ? untoldThoughts(counts, prompt + written) : 0))
  const output = outputCount(counts, prompt, written, thinking)
  const reads = readCount(counts)
  const cached = Math.min(prompt, tokenCount(reads ?? 0))
  const writes = readWrites(counts)
  const cacheWrite1hTokens = Math.min(prompt - cached, tokenCount(writes?.for1h ?? 0))
  const cacheWrite5mTokens = Math.min(
    prompt - cached - cacheWrite1hTokens,
    tokenCount(writes?.for5m ?? 0),
  )
  return {
    usage: {
      inputTokens: prompt - cached - cacheWrite1hTokens - cacheWrite5mTokens,
      cacheReadTokens: cached,
      cacheWrite5mTokens,
      cacheWrite1hTokens,
      outputTokens: output,
      thinkingTokens: Math.min(output, thinking),
    },
    cacheReport: writes?.report ?? (reads === null ? null : 'reads'),
  }
}

/** Most count thoughts as a part of what they wrote. xAI counts them beside it, and only its total has both. */
function outputCount(counts: Json, prompt: number, written: number, thinking: number): number {
  const both = written + thinking
  return counts.total_tokens === prompt + both ? both : written
}

/** Gemini counts thoughts in its total and nowhere else. A prompt that was cached may be missing from the sum as well. */
function untoldThoughts(counts: Json, seen: number): number {
  const { total_tokens: total, cache_read_input_tokens: cached } = counts
  if ((cached ?? 0) !== 0 || typeof total !== 'number' || !Number.isSafeInteger(total)) return 0
  return Math.max(0, total - seen)
}

function thinkingCount(counts: Json): unknown {
  return (
    detail(counts.completion_tokens_details, 'reasoning_tokens') ??
    detail(counts.output_tokens_details, 'reasoning_tokens') ??
    // SGLang.
    counts.reasoning_tokens ??
    null
  )
}

function readCount(counts: Json): unknown {
  return (
    detail(counts.prompt_tokens_details, 'cached_tokens') ??
    detail(counts.input_tokens_details, 'cached_tokens') ??
    // Moonshot.
    counts.cached_tokens ??
    // DeepSeek.
    counts.prompt_cache_hit_tokens ??
    // Gateways in front of Claude.
    counts.cache_read_input_tokens ??
    null
  )
}

type Writes = {
  for5m: unknown
  for1h: unknown
  report: 'reads-and-writes' | 'reads-and-total-writes'
}

/** Another Hone says for how long, other gateways only how much. */
function readWrites(counts: Json): Writes | null {
  const of = (name: string): unknown =>
    detail(counts.prompt_tokens_details, name) ?? detail(counts.input_tokens_details, name)
  const [for5m, for1h] = [of('cache_write_5m_tokens'), of('cache_write_1h_tokens')]
  if ((for5m ?? for1h ?? null) !== null) return { for5m, for1h, report: 'reads-and-writes' }
  const all = of('cache_write_tokens') ?? null
  return all === null ? null : { for5m: all, for1h: 0, report: 'reads-and-total-writes' }
}

function detail(details: unknown, name: string): unknown {
  return isObject(details) ? details[name] : undefined
}
