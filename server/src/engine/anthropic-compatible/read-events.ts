// From the events of an Anthropic-compatible stream, or its whole message, to neutral parts. Trusts nothing it reads.
import type { StopReason } from '../../core/stop-reason.ts'
import type { CacheReport, StreamPart } from '../../core/stream-part.ts'
import { promptTokens, type Usage } from '../../core/usage.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { EngineError } from '../engine.ts'
import type { AnswerReader } from '../upstream/exchange.ts'
import { failedInAnswer, failureOfStatus } from '../upstream/failures.ts'
import {
  cutShort,
  notAnAnswer,
  noUsageReported,
  parseObject,
  tokenCount,
} from '../upstream/read-json.ts'
import { failureOfRefusal } from '../upstream/refusals.ts'
import { TextField } from '../upstream/text-field.ts'
import type { ProvenThoughts } from './proven-thought.ts'

type OpenCall = {
  /** Counted among tool calls. */
  number: number
  /** Of its block, as the server counts. */
  index: unknown
  /** What stood at its start: some servers send the whole input there. It counts until arguments come. */
  input: unknown
}

type Words = { type: 'text-delta' | 'thinking-delta'; text: string }

const blockText = new TextField('text', ({ content }) => (Array.isArray(content) ? content : []))

export class EventReader implements AnswerReader {
  readonly #proven: ProvenThoughts
  readonly #usage: Json = {}
  /** Waits for the first word: until then nothing was said, and another server may still be asked. */
  #prompt: StreamPart | null = null
  #reason: StopReason | null = null
  #call: OpenCall | null = null
  #calls = 0
  /** Words that came amid a call, which is one block: they follow it. They are no more than an answer may weigh. */
  readonly #waiting: Words[] = []
  /** The signature of the open thought; null where none is open. */
  #signature: string | null = null
  /** Something of the answer was handed out. */
  #begun = false
  /** The output was counted at its end, and not only when it began. */
  #counted = false

  constructor(proven: ProvenThoughts) {
    this.#proven = proven
  }

  record(data: string, into: StreamPart[]): boolean {
    // The end of a stream in the words of the other dialect, which some servers add.
    if (data === '[DONE]') {
      this.end(into)
      return true
    }
    // Some servers keep a stream open with events that hold nothing.
    if (data === '') return false
    const begins = into.length
    const done = this.#take(parseObject(data), into)
    this.#begun ||= into.length > begins
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
        // Said once: whoever reads it looks through the whole conversation.
        if (!this.#begun) this.#prompt = readPrompt(this.#usage)
        break
      case 'content_block_start':
        // Not every server says that a block has ended before the next begins.
        this.#stop(into)
        if (isObject(event.content_block)) this.#start(event.content_block, event.index, into)
        break
      case 'content_block_delta':
        if (isObject(event.delta)) this.#delta(event.delta, event.index, into)
        break
      case 'content_block_stop':
        this.#stop(into)
        break
      case 'message_delta':
        this.#takeUsage(event.usage)
        this.#counted ||= countsOutput(event.usage)
        // Some servers send the last counts in a record of their own, which has no reason.
        if (isObject(event.delta))
          this.#reason = readReason(event.delta, this.#calls > 0) ?? this.#reason
        break
      case 'message_stop':
        this.#finish(into)
        return true
      case 'error':
        throw failureOfEvent(event, this.#begun)
      default:
        break
    }
    return false
  }

  whole(text: string, into: StreamPart[]): void {
    const { answer: message, long } = blockText.parse(text)
    if (message.type === 'error') throw failureOfEvent(message, false)
    if (!Array.isArray(message.content)) throw notAnAnswer()
    for (const block of message.content as unknown[]) {
      if (!isObject(block)) continue
      this.#start(block, 0, into, block === long?.holder ? long.json : undefined)
      this.#stop(into)
    }
    this.#takeUsage(message.usage)
    this.#counted = countsOutput(message.usage)
    this.#reason = readReason(message, this.#calls > 0)
    this.#finish(into)
  }

  /**
   * A stream of this dialect says its end itself. Of servers that do not, one that said why it stopped and what it counted
   * has said all.
   */
  end(into: StreamPart[]): void {
    if (!this.#counted) throw cutShort()
    this.#finish(into)
  }

  /** `json`: that of its text, where it is long. */
  #start(block: Json, index: unknown, into: StreamPart[], json?: string): void {
    if (block.type === 'text' && isWord(block.text)) {
      into.push({ type: 'text-delta', text: block.text, ...(json === undefined ? {} : { json }) })
    }
    if (block.type === 'thinking') this.#startThought(block, into)
    if (block.type === 'redacted_thinking' && isWord(block.data)) {
      const proof = this.#proven.proofOf('data', block.data)
      into.push({ type: 'thinking-proof', proof, redacted: true })
    }
    if (block.type !== 'tool_use') return
    const { id, name, input } = block
    if (typeof id !== 'string' || typeof name !== 'string') {
      throw new EngineError('broken', 'The model server sent a tool call without a name.')
    }
    this.#call = { number: this.#calls, index, input }
    this.#calls += 1
    into.push({ type: 'tool-call-start', index: this.#call.number, id, name })
  }

  #startThought({ thinking, signature }: Json, into: StreamPart[]): void {
    if (isWord(thinking)) into.push({ type: 'thinking-delta', text: thinking })
    this.#signature = isWord(signature) ? signature : ''
  }

  #stop(into: StreamPart[]): void {
    if (this.#signature) {
      const proof = this.#proven.proofOf('signature', this.#signature)
      into.push({ type: 'thinking-proof', proof, redacted: false })
    }
    this.#signature = null
    if (this.#call === null) return
    const { number, input } = this.#call
    if (isObject(input) && Object.keys(input).length > 0) {
      into.push({ type: 'tool-call-delta', index: number, json: JSON.stringify(input) })
    }
    into.push({ type: 'tool-call-end', index: number }, ...this.#waiting.splice(0))
    this.#call = null
  }

  #delta(delta: Json, index: unknown, into: StreamPart[]): void {
    if (delta.type === 'text_delta' && isWord(delta.text)) {
      this.#words('text-delta', delta.text, into)
    } else if (delta.type === 'thinking_delta' && isWord(delta.thinking)) {
      this.#words('thinking-delta', delta.thinking, into)
    } else if (delta.type === 'signature_delta' && isWord(delta.signature)) {
      if (this.#signature !== null) this.#signature = delta.signature
    } else if (delta.type === 'input_json_delta' && isWord(delta.partial_json)) {
      this.#arguments(delta.partial_json, index, into)
    }
  }

  #words(type: Words['type'], text: string, into: StreamPart[]): void {
    const last = this.#waiting.at(-1)
    if (this.#call === null) into.push({ type, text })
    else if (last?.type === type) last.text += text
    else this.#waiting.push({ type, text })
  }

  #arguments(json: string, index: unknown, into: StreamPart[]): void {
    // A block of a tool that the server called itself.
    if (this.#call === null) return
    // Blocks come one after another; what belongs to another one must not be put into this.
    if (index !== this.#call.index) throw notAnAnswer()
    this.#call.input = null
    into.push({ type: 'tool-call-delta', index: this.#call.number, json })
  }

  #finish(into: StreamPart[]): void {
    if (!this.#reason) throw cutShort()
    // What it counted when it began is no count of an answer.
    if (!this.#counted) throw noUsageReported()
    this.#stop(into)
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
    // Some servers end with zeros for the prompt that they counted at the start, because the end counts the answer.
    const isUntold = !countsPrompt(usage) && countsPrompt(this.#usage)
    // Only what is read: what a server adds under other names must not pile up here.
    for (const name of [...promptFields, ...outputFields]) {
      const value = usage[name] ?? null
      if (value !== null && !(isUntold && promptFields.has(name))) this.#usage[name] = value
    }
  }
}

const promptFields = new Set([
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
])

const outputFields = ['output_tokens', 'output_tokens_details']

function countsPrompt({
  input_tokens,
  cache_read_input_tokens,
  cache_creation_input_tokens,
}: Json) {
  return [input_tokens, cache_read_input_tokens, cache_creation_input_tokens].some(
    (count) => (count ?? 0) !== 0,
  )
}

function countsOutput(usage: unknown): boolean {
  return isObject(usage) && (usage.output_tokens ?? null) !== null
}

/** An error with a status of success. Before the answer has begun it is what its status would have been. */
function failureOfEvent(event: Json, isBegun: boolean): EngineError {
  const type = !isBegun && isObject(event.error) ? event.error.type : undefined
  if (type === 'overloaded_error' || type === 'rate_limit_error') return failureOfStatus(529)
  if (type === 'invalid_request_error') return failureOfRefusal(400, JSON.stringify(event))
  return failedInAnswer()
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function readReason(delta: Json, calledTools: boolean): StopReason | null {
  const { stop_reason: word, stop_sequence: met } = delta
  if (typeof word !== 'string') return null
  switch (word) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { kind: 'length' }
    case 'refusal':
      return { kind: 'refusal' }
    default:
      // Some servers say `end_turn` after tool calls, and some `tool_use` where there was none to wait for.
      if (calledTools) return { kind: 'tool-calls' }
      return word === 'stop_sequence' && typeof met === 'string'
        ? { kind: 'stop-string', text: met }
        : { kind: 'end' }
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
  if (!reports) return {}
  const tellsLives = isObject(usage.cache_creation) || !usage.cache_creation_input_tokens
  return { cacheReport: tellsLives ? 'reads-and-writes' : 'reads-and-total-writes' }
}

function readUsage(usage: Json): Usage {
  if (usage.input_tokens === undefined) throw noUsageReported()
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
