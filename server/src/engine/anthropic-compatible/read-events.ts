// From the events of an Anthropic-compatible stream, or its whole message, to neutral parts. Trusts nothing it reads.
import type { StopReason } from '../../core/stop-reason.ts'
import type { CacheReport, StreamPart } from '../../core/stream-part.ts'
import { promptTokens, type Usage } from '../../core/usage.ts'
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

export class EventReader implements AnswerReader {
  #usage: Json = {}
  /** Waits for the first word: until then nothing was said, and another server may still be asked. */
  #prompt: StreamPart | null = null
  #reason: StopReason | null = null
  /** Index of the open tool call, counted among tool calls. */
  #call: number | null = null
  #calls = 0

  record(data: string, into: StreamPart[]): boolean {
    const begins = into.length
    const done = this.#take(parseObject(data), into)
    if (this.#prompt !== null && into.length > begins) {
      into.splice(begins, 0, this.#prompt)
      this.#prompt = null
    }
    return done
  }

  #take(event: Json, into: StreamPart[]): boolean {
    switch (event.type) {
      case 'message_start':
        if (isObject(event.message)) this.#takeUsage(event.message.usage)
        this.#prompt = readPrompt(this.#usage)
        break
      case 'content_block_start':
        if (isObject(event.content_block)) this.#start(event.content_block, into)
        break
      case 'content_block_delta':
        if (isObject(event.delta)) this.#delta(event.delta, into)
        break
      case 'content_block_stop':
        this.#stop(into)
        break
      case 'message_delta':
        this.#takeUsage(event.usage)
        if (isObject(event.delta)) this.#reason = readReason(event.delta)
        break
      case 'message_stop':
        this.#finish(into)
        return true
      case 'error':
        throw new EngineError('broken', 'The model server failed while it was answering.')
      default:
        break
    }
    return false
  }

  whole(text: string, into: StreamPart[]): void {
    const message = parseObject(text)
    if (message.type === 'error' || !Array.isArray(message.content)) {
      throw notAnAnswer()
    }
    for (const block of message.content as unknown[]) {
      if (!isObject(block)) continue
      this.#start(block, into)
      const thought = block.type === 'thinking' ? block.thinking : ''
      if (typeof thought === 'string' && thought !== '') {
        into.push({ type: 'thinking-delta', text: thought })
      }
      if (this.#call !== null && block.input !== undefined) {
        const json = JSON.stringify(block.input)
        into.push({ type: 'tool-call-delta', index: this.#call, json })
      }
      this.#stop(into)
    }
    this.#takeUsage(message.usage)
    this.#reason = readReason(message)
    this.#finish(into)
  }

  /** A stream of this dialect says its end itself. */
  end(): void {
    throw cutShort()
  }

  #start(block: Json, into: StreamPart[]): void {
    if (block.type === 'text' && typeof block.text === 'string' && block.text !== '') {
      into.push({ type: 'text-delta', text: block.text })
    }
    if (block.type !== 'tool_use') return
    if (typeof block.id !== 'string' || typeof block.name !== 'string') {
      throw new EngineError('broken', 'The model server sent a tool call without a name.')
    }
    this.#call = this.#calls
    this.#calls += 1
    into.push({ type: 'tool-call-start', index: this.#call, id: block.id, name: block.name })
  }

  #stop(into: StreamPart[]): void {
    if (this.#call !== null) into.push({ type: 'tool-call-end', index: this.#call })
    this.#call = null
  }

  #delta(delta: Json, into: StreamPart[]): void {
    if (delta.type === 'text_delta' && typeof delta.text === 'string') {
      into.push({ type: 'text-delta', text: delta.text })
    } else if (delta.type === 'thinking_delta' && typeof delta.thinking === 'string') {
      into.push({ type: 'thinking-delta', text: delta.thinking })
    } else if (delta.type === 'input_json_delta' && typeof delta.partial_json === 'string') {
      if (this.#call !== null && delta.partial_json !== '') {
        into.push({ type: 'tool-call-delta', index: this.#call, json: delta.partial_json })
      }
    }
  }

  #finish(into: StreamPart[]): void {
    if (!this.#reason) throw cutShort()
    into.push({
      type: 'finish',
      reason: this.#reason,
      usage: readUsage(this.#usage),
      ...readCacheReport(this.#usage),
    })
  }

  /** Totals, not increments: a later report replaces an earlier one, field by field. */
  #takeUsage(usage: unknown): void {
    if (!isObject(usage)) return
    const told = Object.entries(usage).filter(([, value]) => value !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(told) }
  }
}

function readReason(delta: Json): StopReason | null {
  switch (delta.stop_reason) {
    case 'end_turn':
    case 'pause_turn':
      return { kind: 'end' }
    case 'stop_sequence':
      return typeof delta.stop_sequence === 'string'
        ? { kind: 'stop-string', text: delta.stop_sequence }
        : { kind: 'end' }
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { kind: 'length' }
    case 'tool_use':
      return { kind: 'tool-calls' }
    case 'refusal':
      return { kind: 'refusal' }
    default:
      return null
  }
}

/** The prompt as the start of a stream counts it. Only the end is billed, so that a count without sense is no error here. */
function readPrompt(usage: Json): StreamPart | null {
  try {
    const prompt = readUsage({ ...usage, output_tokens: 0, output_tokens_details: {} })
    // Servers that count at the end begin with a zero.
    if (promptTokens(prompt) === 0) return null
    return { type: 'prompt', usage: prompt, ...readCacheReport(usage) }
  } catch {
    return null
  }
}

/** Zero is a report too; servers without a cache leave the fields out. */
function readCacheReport(usage: Json): { cacheReport?: CacheReport } {
  const reports = ['cache_read_input_tokens', 'cache_creation_input_tokens'].some(
    (name) => usage[name] !== undefined,
  )
  return reports ? { cacheReport: 'reads-and-writes' } : {}
}

export function readUsage(usage: Json): Usage {
  if (usage.input_tokens === undefined || usage.output_tokens === undefined) throw noUsageReported()
  const creation = isObject(usage.cache_creation) ? usage.cache_creation : {}
  const written = tokenCount(usage.cache_creation_input_tokens ?? 0)
  const oneHour = Math.min(written, tokenCount(creation.ephemeral_1h_input_tokens ?? 0))
  const details = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {}
  const output = tokenCount(usage.output_tokens)
  return {
    inputTokens: tokenCount(usage.input_tokens),
    cacheReadTokens: tokenCount(usage.cache_read_input_tokens ?? 0),
    cacheWrite5mTokens: written - oneHour,
    cacheWrite1hTokens: oneHour,
    outputTokens: output,
    thinkingTokens: Math.min(output, tokenCount(details.thinking_tokens ?? 0)),
  }
}
