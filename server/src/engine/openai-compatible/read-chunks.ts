// From the chunks of an OpenAI-compatible stream to neutral parts. Trusts nothing: every field is checked, and
// a usage report that makes no sense is an error, never a bill.
import type { StreamPart } from '../../core/stream-part.ts'
import type { StopReason } from '../../core/stop-reason.ts'
import type { Usage } from '../../core/usage.ts'
import { EngineError } from '../engine.ts'

type Json = Record<string, unknown>

const tokensMax = 100_000_000

export class ChunkReader {
  #reason: StopReason | null = null
  #usage: Usage | null = null
  readonly #openCalls = new Set<number>()
  #sawText = false;

  *read(data: string): Generator<StreamPart> {
    const chunk = parseObject(data)
    if (chunk.error !== undefined && chunk.error !== null) {
      throw new EngineError('broken', 'The model server failed while it was answering.')
    }
    if (isObject(chunk.usage)) this.#usage = readUsage(chunk.usage)
    const choice = Array.isArray(chunk.choices) ? (chunk.choices as unknown[])[0] : undefined
    if (!isObject(choice)) return
    if (isObject(choice.delta)) yield* this.#delta(choice.delta)
    if (typeof choice.finish_reason === 'string') {
      this.#reason = readReason(choice.finish_reason, this.#openCalls.size > 0)
    }
  }

  /** The end of the stream. */
  *finish(): Generator<StreamPart> {
    if (!this.#reason)
      throw new EngineError('broken', 'The model server stopped in the middle of its answer.')
    if (!this.#usage)
      throw new EngineError('broken', 'The model server did not report how many tokens it used.')
    for (const index of this.#openCalls) yield { type: 'tool-call-end', index }
    yield { type: 'finish', reason: this.#reason, usage: this.#usage }
  }

  *#delta(delta: Json): Generator<StreamPart> {
    // vLLM and Ollama say `reasoning`, SGLang, llama.cpp and DeepSeek `reasoning_content`.
    const thinking = delta.reasoning_content ?? delta.reasoning
    if (typeof thinking === 'string' && thinking !== '' && !this.#sawText) {
      yield { type: 'thinking-delta', text: thinking }
    }
    if (typeof delta.content === 'string' && delta.content !== '') {
      this.#sawText = true
      yield { type: 'text-delta', text: delta.content }
    }
    if (!Array.isArray(delta.tool_calls)) return
    for (const call of delta.tool_calls as unknown[]) {
      if (isObject(call)) yield* this.#toolCall(call)
    }
  }

  *#toolCall(call: Json): Generator<StreamPart> {
    const index = typeof call.index === 'number' ? call.index : this.#openCalls.size
    const fn = isObject(call.function) ? call.function : {}
    if (!this.#openCalls.has(index)) {
      if (typeof fn.name !== 'string' || typeof call.id !== 'string') {
        throw new EngineError('broken', 'The model server sent a tool call without a name.')
      }
      this.#openCalls.add(index)
      yield { type: 'tool-call-start', index, id: call.id, name: fn.name }
    }
    if (typeof fn.arguments === 'string' && fn.arguments !== '') {
      yield { type: 'tool-call-delta', index, json: fn.arguments }
    }
  }
}

function readReason(word: string, calledTools: boolean): StopReason {
  if (word === 'length') return { kind: 'length' }
  if (word === 'content_filter') return { kind: 'refusal' }
  // Some servers say `stop` after tool calls.
  if (word === 'tool_calls' || calledTools) return { kind: 'tool-calls' }
  return { kind: 'end' }
}

export function readUsage(usage: Json): Usage {
  const prompt = count(usage.prompt_tokens)
  const output = count(usage.completion_tokens)
  const promptDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const outputDetails = isObject(usage.completion_tokens_details)
    ? usage.completion_tokens_details
    : {}
  const cached = Math.min(prompt, count(promptDetails.cached_tokens ?? 0))
  const thinking = count(outputDetails.reasoning_tokens ?? usage.reasoning_tokens ?? 0)
  return {
    inputTokens: prompt - cached,
    cacheReadTokens: cached,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: output,
    thinkingTokens: Math.min(output, thinking),
  }
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > tokensMax) {
    throw new EngineError('broken', 'The model server reported a token count that makes no sense.')
  }
  return value
}

function parseObject(data: string): Json {
  try {
    const value: unknown = JSON.parse(data)
    if (isObject(value)) return value
  } catch {
    // Falls through to the same error.
  }
  throw new EngineError('broken', 'The model server sent something that is not a completion chunk.')
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
