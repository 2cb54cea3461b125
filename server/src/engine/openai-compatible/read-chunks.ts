// From the chunks of an OpenAI-compatible stream to neutral parts. Trusts nothing: every field is checked, and
// a usage report that makes no sense is an error, never a bill.
import type { StreamPart } from '../../core/stream-part.ts'
import type { StopReason } from '../../core/stop-reason.ts'
import type { Usage } from '../../core/usage.ts'
import { EngineError } from '../engine.ts'
import {
  cutShort,
  isObject,
  type Json,
  noUsageReported,
  parseObject,
  tokenCount,
} from '../upstream/read-json.ts'

export class ChunkReader {
  #reason: StopReason | null = null
  #usage: Usage | null = null
  #calls = 0
  /** The open call's index as the server counts. */
  #wireIndex: unknown = undefined
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
      this.#reason = readReason(choice, this.#calls > 0)
    }
  }

  /** The end of the stream. */
  *finish(): Generator<StreamPart> {
    if (!this.#reason) throw cutShort()
    if (!this.#usage) throw noUsageReported()
    if (this.#calls > 0) yield { type: 'tool-call-end', index: this.#calls - 1 }
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

  /**
   * Calls come one after another. Their index is the server's own affair: some leave it out, and a fragment without
   * name and id then continues the last call.
   */
  *#toolCall(call: Json): Generator<StreamPart> {
    const fn = isObject(call.function) ? call.function : {}
    if (this.#begins(call, fn)) {
      if (typeof fn.name !== 'string' || typeof call.id !== 'string') {
        throw new EngineError('broken', 'The model server sent a tool call without a name.')
      }
      if (this.#calls > 0) yield { type: 'tool-call-end', index: this.#calls - 1 }
      this.#wireIndex = call.index
      yield { type: 'tool-call-start', index: this.#calls++, id: call.id, name: fn.name }
    }
    if (typeof fn.arguments === 'string' && fn.arguments !== '') {
      yield { type: 'tool-call-delta', index: this.#calls - 1, json: fn.arguments }
    }
  }

  #begins(call: Json, fn: Json): boolean {
    if (this.#calls === 0) return true
    if (typeof call.index === 'number') return call.index !== this.#wireIndex
    return typeof fn.name === 'string' && typeof call.id === 'string'
  }
}

function readReason(choice: Json, calledTools: boolean): StopReason {
  const word = choice.finish_reason
  if (word === 'length') return { kind: 'length' }
  if (word === 'content_filter') return { kind: 'refusal' }
  // Some servers say `stop` after tool calls.
  if (word === 'tool_calls' || calledTools) return { kind: 'tool-calls' }
  // vLLM names the stop text it met in one field, SGLang in the other; a number there is a token.
  const met = choice.stop_reason ?? choice.matched_stop
  return typeof met === 'string' ? { kind: 'stop-string', text: met } : { kind: 'end' }
}

export function readUsage(usage: Json): Usage {
  const prompt = tokenCount(usage.prompt_tokens)
  const output = tokenCount(usage.completion_tokens)
  const promptDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {}
  const outputDetails = isObject(usage.completion_tokens_details)
    ? usage.completion_tokens_details
    : {}
  const cached = Math.min(prompt, tokenCount(promptDetails.cached_tokens ?? 0))
  const thinking = tokenCount(outputDetails.reasoning_tokens ?? usage.reasoning_tokens ?? 0)
  return {
    inputTokens: prompt - cached,
    cacheReadTokens: cached,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: output,
    thinkingTokens: Math.min(output, thinking),
  }
}
