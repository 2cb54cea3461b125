// From the chunks of an OpenAI-compatible stream, or its whole answer, to neutral parts. Trusts nothing: every field is
// checked, and a usage report that makes no sense is an error, never a bill.
import { randomUUID } from 'node:crypto'
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
import { type Call, isWhole, PartsInOrder } from './parts-in-order.ts'
import { RepeatedFrame } from './repeated-frame.ts'

export class ChunkReader implements AnswerReader {
  readonly #frame = new RepeatedFrame()
  #reason: StopReason | null = null
  #usage: Usage | null = null
  #reportsReads = false
  readonly #parts = new PartsInOrder()
  /** By their index as the server counts. */
  readonly #calls = new Map<unknown, Call>()
  readonly #callsById = new Map<string, Call>()
  #lastCall: Call | null = null
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
      if (same !== '') this.#parts.words('text-delta', same, into)
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
    this.#parts.end(into)
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
    this.#reason = readReason(choice, this.#parts.calls > 0)
  }

  #take(message: Json, into: StreamPart[]): void {
    // vLLM and Ollama say `reasoning`, SGLang, llama.cpp and DeepSeek `reasoning_content`.
    const thinking = [message.reasoning_content, message.reasoning].find(isWord)
    if (isWord(thinking)) this.#parts.words('thinking-delta', thinking, into)
    const content = message.content ?? ''
    // Lost words would be billed like all others.
    if (typeof content !== 'string') throw notAnAnswer()
    // A refusal has a field of its own, and is all that such an answer says.
    for (const text of [content, message.refusal].filter(isWord)) {
      this.#sawText = true
      this.#parts.words('text-delta', text, into)
    }
    if (!Array.isArray(message.tool_calls)) return
    for (const call of message.tool_calls as unknown[]) {
      if (isObject(call)) this.#toolCall(call, into)
    }
  }

  #toolCall(fragment: Json, into: StreamPart[]): void {
    const fn = isObject(fragment.function) ? fragment.function : {}
    const call = this.#callOf(fragment, fn) ?? this.#begin(fragment, fn, into)
    const json = argumentsText(fn.arguments ?? '')
    if (!this.#parts.fragment(call, json, into)) throw notAnAnswer()
  }

  /**
   * The call that a fragment continues; null where it begins one. Ids tell calls apart where a server sends them; indexes
   * are its own affair: some servers leave them out, and some give every call the same.
   */
  #callOf(fragment: Json, fn: Json): Call | null {
    if (this.#isWhole) return null
    const isNamed = isWord(fn.name) && typeof fragment.id === 'string'
    const id = isWord(fragment.id) ? fragment.id : null
    const known = (id !== null && this.#callsById.get(id)) || null
    if (typeof fragment.index !== 'number') {
      // Whoever repeats an id behind a whole call has two calls under it.
      if (known && !(isNamed && isWhole(known))) return known
      if (isNamed || this.#lastCall === null) return null
      return beginsAnother(fn, this.#lastCall) ? null : this.#lastCall
    }
    const here = this.#calls.get(fragment.index)
    if (!here) return isNamed ? null : known
    // The index of a call that has ended may be used again.
    if (id === null) return beginsAnother(fn, here) ? null : here
    if (here.id === id) return here
    // Some servers make up an id for every fragment, but only the first has a name.
    return known ?? (isNamed ? null : here)
  }

  #begin({ id: told, index }: Json, { name }: Json, into: StreamPart[]): Call {
    if (!isWord(name)) {
      throw new EngineError('broken', 'The model server sent a tool call without a name.')
    }
    // Clients send results back by the id of their call, and not every server gives one.
    const id = isWord(told) ? told : `call_${randomUUID().replaceAll('-', '')}`
    const call = this.#parts.begin(id, name, into)
    this.#calls.set(index, call)
    this.#callsById.set(id, call)
    this.#lastCall = call
    return call
  }
}

/**
 * Whether a fragment without an id is of another call than the one before it: nothing can follow a whole object. Some
 * servers say the name again at the end of a call, with nothing beside it.
 */
function beginsAnother(fn: Json, call: Call): boolean {
  if (!isWord(fn.name)) return false
  const saysMore = fn.name !== call.name || argumentsText(fn.arguments ?? '').trim() !== ''
  return saysMore && (call.ended || isWhole(call))
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** What servers say of an answer that they gave up. */
const failedReasons = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource'])
const lengthReasons = new Set<unknown>(['length', 'model_length', 'model_context_window_exceeded'])
const refusalReasons = new Set<unknown>(['content_filter', 'sensitive'])

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
  if (lengthReasons.has(word)) return { kind: 'length' }
  if (refusalReasons.has(word)) return { kind: 'refusal' }
  // Some servers say `stop` after tool calls, and some `tool_calls` where there was none to wait for.
  if (calledTools) return { kind: 'tool-calls' }
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
