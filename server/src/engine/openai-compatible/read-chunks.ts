// From the chunks of an OpenAI-compatible stream, or its whole answer, to neutral parts. Trusts nothing: every field is
// checked, and a usage report that makes no sense is an error, never a bill.
import type { Message } from '../../core/block.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import type { EngineError } from '../engine.ts'
import type { AnswerReader } from '../upstream/exchange.ts'
import { failedInAnswer, failureOfStatus } from '../upstream/failures.ts'
import { cutShort, notAnAnswer, noUsageReported, parseObject } from '../upstream/read-json.ts'
import { failureOfRefusal, isRefusal } from '../upstream/refusals.ts'
import { TextField } from '../upstream/text-field.ts'
import type { CallProofs } from './call-proofs.ts'
import { PartsInOrder } from './parts-in-order.ts'
import { endWord, isGivenUp, isModelsFault, readReason } from './read-reason.ts'
import { countsIn, countsOfTimings, laterCounts, readUsage } from './read-counts.ts'
import { isWord, thoughtIn, wordsOfParts } from './read-words.ts'
import { RepeatedFrame } from './repeated-frame.ts'
import { toldStatus } from './told-status.ts'
import { ToolCalls } from './tool-calls.ts'

const content = new TextField('content', (answer) => [firstChoice(answer)?.message])

/** No chunk is shorter. */
const shortMax = 16

export class ChunkReader implements AnswerReader {
  readonly #frame = new RepeatedFrame()
  /** The choice that said why the answer ended. */
  #ending: Json | null = null
  #counts: Json | null = null
  #timings: Json | null = null
  readonly #parts = new PartsInOrder()
  readonly #calls: ToolCalls
  #sawText = false
  #sawWords = false
  #sawDelta = false

  readonly #bringsJson: boolean
  readonly #thinks: boolean

  /**
   * The conversation that is answered, and by which server. `live`: what was read is written out at once. Only then words of a stream
   * bring their JSON, because with it all that came together stays in memory. `thinks`: the model was asked to.
   */
  constructor(
    messages: readonly Message[] = [],
    proofs: CallProofs | null = null,
    { live = true, thinks = false } = {},
  ) {
    this.#calls = new ToolCalls(this.#parts, messages, proofs)
    this.#bringsJson = live
    this.#thinks = thinks
  }

  record(data: string, into: StreamPart[]): boolean {
    if (data.length < shortMax) {
      const short = data.trim()
      if (short === '') return false
      if (short === '[DONE]') {
        this.end(into)
        return true
      }
    }
    const word = this.#frame.wordIn(data)
    if (word !== null) {
      const json = this.#bringsJson ? word.json : undefined
      if (word.text !== '') this.#parts.words('text-delta', word.text, into, json)
      return false
    }
    const choice = this.#open(parseObject(data))
    if (choice === null) return false
    if (isObject(choice.delta)) {
      this.#sawDelta = true
      this.#take(choice.delta, into)
      if (this.#sawText) this.#frame.learn(data, choice.delta)
    } else if (isObject(choice.message) && !this.#sawDelta) {
      // A server that answers in one piece may put all of it into one record.
      this.#takeWhole(choice.message, into)
    }
    this.#takeEnding(choice)
    return false
  }

  whole(text: string, into: StreamPart[]): void {
    const { answer, long } = content.parse(text)
    const choice = this.#open(answer)
    if (!isObject(choice?.message)) throw notAnAnswer()
    this.#takeWhole(choice.message, into, long?.json)
    this.#takeEnding(choice)
    this.end(into)
  }

  /** The end of the stream. */
  end(into: StreamPart[]): void {
    if (!this.#ending) throw cutShort()
    const counts = this.#counts ?? (this.#timings && countsOfTimings(this.#timings))
    if (!counts) throw noUsageReported()
    const { usage, cacheReport } = readUsage(counts, { thinks: this.#thinks })
    this.#parts.end(into)
    const reason = readReason(this.#ending, this.#parts.calls > 0)
    into.push({ type: 'finish', reason, usage, ...(cacheReport === null ? {} : { cacheReport }) })
  }

  /** The one choice of a chunk or an answer; null where there is none. */
  #open(chunk: Json): Json | null {
    if (chunk.error !== undefined && chunk.error !== null) throw this.#failureOf(chunk.error)
    const choice = firstChoice(chunk)
    this.#counts = laterCounts(this.#counts, countsIn(chunk, choice))
    if (isObject(chunk.timings)) this.#timings = chunk.timings
    return choice
  }

  /** Gateways that have said 200 before they knew say the status in the error; behind words it changes nothing. */
  #failureOf(error: unknown): EngineError {
    const status = toldStatus(error)
    if (this.#sawWords || this.#parts.calls > 0 || status === null) return failedInAnswer()
    if (!isRefusal(status)) return failureOfStatus(status)
    return failureOfRefusal(status, JSON.stringify(error))
  }

  #takeEnding(choice: Json): void {
    const word = endWord(choice)
    if (word === null) return
    if (isGivenUp(word)) throw failedInAnswer({ answerOnly: isModelsFault(word) })
    this.#ending = choice
  }

  #take(message: Json, into: StreamPart[]): void {
    this.#takeWords(message, into)
    for (const call of callsIn(message)) this.#calls.fragment(call, into)
  }

  /** `json`: that of its content, where that is one long text. */
  #takeWhole(message: Json, into: StreamPart[], json?: string): void {
    this.#takeWords(message, into, json)
    for (const call of callsIn(message)) this.#calls.whole(call, into)
  }

  #takeWords(message: Json, into: StreamPart[], json?: string): void {
    const before = into.length
    const thinking = thoughtIn(message)
    if (thinking !== '') this.#parts.words('thinking-delta', thinking, into)
    const content = message.content ?? ''
    if (Array.isArray(content)) {
      for (const { type, text } of wordsOfParts(content)) this.#parts.words(type, text, into)
    } else if (typeof content !== 'string') throw notAnAnswer()
    // A refusal has a field of its own, and is all that such an answer says.
    for (const text of [content, message.refusal].filter(isWord)) {
      this.#sawText = true
      this.#parts.words('text-delta', text, into, text === content ? json : undefined)
    }
    this.#sawWords ||= into.length > before
  }
}

function firstChoice({ choices }: Json): Json | null {
  const first = Array.isArray(choices) ? (choices as unknown[])[0] : undefined
  return isObject(first) ? first : null
}

/** The older form of the dialect has one call, without a list around it. */
function callsIn({ tool_calls: calls, function_call: only }: Json): Json[] {
  if (Array.isArray(calls)) return calls.filter(isObject)
  return isObject(only) && isWord(only.name ?? only.arguments) ? [{ function: only }] : []
}
