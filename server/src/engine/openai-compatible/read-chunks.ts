// From the chunks of an OpenAI-compatible stream, or its whole answer, to neutral parts. Trusts nothing: every field is
// checked, and a usage report that makes no sense is an error, never a bill.
import type { StreamPart } from '../../core/stream-part.ts'
import type { StopReason } from '../../core/stop-reason.ts'
import type { Usage } from '../../core/usage.ts'
import { EngineError } from '../engine.ts'
import type { AnswerReader } from '../upstream/exchange.ts'
import {
  cutShort,
  isObject,
  type Json,
  notAnAnswer,
  noUsageReported,
  parseObject,
  tokenCount,
} from '../upstream/read-json.ts'
import { RepeatedFrame } from './repeated-frame.ts'

export class ChunkReader implements AnswerReader {
  readonly #frame = new RepeatedFrame()
  #reason: StopReason | null = null
  #usage: Usage | null = null
  #reportsReads = false
  #calls = 0
  /** The open call's index as the server counts. */
  #wireIndex: unknown = undefined
  #sawText = false
  /** There are no fragments then: each call in the list is one. */
  #isWhole = false

  record(data: string, into: StreamPart[]): boolean {
    if (data === '[DONE]') {
      this.end(into)
      return true
    }
    const same = this.#frame.textIn(data)
    if (same !== null) {
      if (same !== '') into.push({ type: 'text-delta', text: same })
      return false
    }
    const { choice, message } = this.#open(parseObject(data), 'delta')
    if (message) this.#take(message, into)
    if (choice) this.#takeReason(choice)
    if (message && this.#sawText) this.#frame.learn(data, message)
    return false
  }

  whole(text: string, into: StreamPart[]): void {
    const { choice, message } = this.#open(parseObject(text), 'message')
    if (!choice || !message) throw notAnAnswer()
    this.#isWhole = true
    this.#take(message, into)
    this.#takeReason(choice)
    this.end(into)
  }

  /** The end of the stream. */
  end(into: StreamPart[]): void {
    if (!this.#reason) throw cutShort()
    if (!this.#usage) throw noUsageReported()
    if (this.#calls > 0) into.push({ type: 'tool-call-end', index: this.#calls - 1 })
    const report = this.#reportsReads ? ({ cacheReport: 'reads' } as const) : {}
    into.push({ type: 'finish', reason: this.#reason, usage: this.#usage, ...report })
  }

  #open(chunk: Json, name: 'delta' | 'message'): { choice: Json | null; message: Json | null } {
    if (chunk.error !== undefined && chunk.error !== null) {
      throw failedInAnswer()
    }
    if (isObject(chunk.usage)) this.#takeUsage(chunk.usage)
    const choice = Array.isArray(chunk.choices) ? (chunk.choices as unknown[])[0] : undefined
    if (!isObject(choice)) return { choice: null, message: null }
    const message = choice[name]
    return { choice, message: isObject(message) ? message : null }
  }

  #takeUsage(usage: Json): void {
    this.#usage = readUsage(usage)
    // Zero is a report too; servers that keep no count leave the field out.
    const details = usage.prompt_tokens_details
    this.#reportsReads = isObject(details) && typeof details.cached_tokens === 'number'
  }

  #takeReason(choice: Json): void {
    if (typeof choice.finish_reason !== 'string') return
    if (failedReasons.has(choice.finish_reason)) throw failedInAnswer()
    this.#reason = readReason(choice, this.#calls > 0)
  }

  #take(message: Json, into: StreamPart[]): void {
    // vLLM and Ollama say `reasoning`, SGLang, llama.cpp and DeepSeek `reasoning_content`.
    const thinking = message.reasoning_content ?? message.reasoning
    if (typeof thinking === 'string' && thinking !== '' && !this.#sawText) {
      into.push({ type: 'thinking-delta', text: thinking })
    }
    const text = message.content ?? ''
    // Lost words would be billed like all others.
    if (typeof text !== 'string') throw notAnAnswer()
    if (text !== '') {
      this.#sawText = true
      into.push({ type: 'text-delta', text })
    }
    if (!Array.isArray(message.tool_calls)) return
    for (const call of message.tool_calls as unknown[]) {
      if (isObject(call)) this.#toolCall(call, into)
    }
  }

  /**
   * Calls come one after another. Their index is the server's own affair: some leave it out, and a fragment without
   * name and id then continues the last call.
   */
  #toolCall(call: Json, into: StreamPart[]): void {
    const fn = isObject(call.function) ? call.function : {}
    if (this.#begins(call, fn)) {
      if (typeof fn.name !== 'string' || typeof call.id !== 'string') {
        throw new EngineError('broken', 'The model server sent a tool call without a name.')
      }
      if (this.#calls > 0) into.push({ type: 'tool-call-end', index: this.#calls - 1 })
      this.#wireIndex = call.index
      into.push({ type: 'tool-call-start', index: this.#calls++, id: call.id, name: fn.name })
    }
    const json = argumentsText(fn.arguments ?? '')
    if (json !== '') into.push({ type: 'tool-call-delta', index: this.#calls - 1, json })
  }

  #begins(call: Json, fn: Json): boolean {
    if (this.#calls === 0 || this.#isWhole) return true
    if (typeof call.index === 'number') return call.index !== this.#wireIndex
    return typeof fn.name === 'string' && typeof call.id === 'string'
  }
}

/** What servers say of an answer that they gave up. */
const failedReasons = new Set(['error', 'abort'])

function failedInAnswer(): EngineError {
  return new EngineError('broken', 'The model server failed while it was answering.')
}

/** Some servers send the object itself and not its text. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  if (isObject(value)) return JSON.stringify(value)
  throw notAnAnswer()
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
