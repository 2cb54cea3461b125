// The neutral answer as a message of the messages dialect. Wire names begin here.
import { isCut, type StopReason } from '../../core/stop-reason.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import type { Usage } from '../../core/usage.ts'
import { standIn, TextInPieces, writeAround } from '../../lib/json-in-json.ts'
import { areArguments } from '../tool-arguments.ts'
import type { ThinkingDisplay } from './parse.ts'
import type { ThinkingSeal } from './thinking-seal.ts'
import { unusableCall } from './unusable-call.ts'
import { WholeParameters } from './whole-parameters.ts'

export type MessageHead = {
  id: string
  model: string
  display: ThinkingDisplay
  seal: ThinkingSeal
}

/** Cache fields are left out when zero; `input_tokens` holds no cached ones. */
export function renderUsage(usage: Usage) {
  const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens
  return {
    input_tokens: usage.inputTokens,
    ...(written > 0
      ? {
          cache_creation_input_tokens: written,
          cache_creation: {
            ephemeral_5m_input_tokens: usage.cacheWrite5mTokens,
            ephemeral_1h_input_tokens: usage.cacheWrite1hTokens,
          },
        }
      : {}),
    ...(usage.cacheReadTokens > 0 ? { cache_read_input_tokens: usage.cacheReadTokens } : {}),
    output_tokens: usage.outputTokens,
    ...(usage.thinkingTokens > 0
      ? { output_tokens_details: { thinking_tokens: usage.thinkingTokens } }
      : {}),
  }
}

export function stopFields(reason: StopReason): {
  stop_reason: string
  stop_sequence: string | null
} {
  switch (reason.kind) {
    case 'end':
      return { stop_reason: 'end_turn', stop_sequence: null }
    case 'stop-string':
      return { stop_reason: 'stop_sequence', stop_sequence: reason.text }
    case 'length':
      return { stop_reason: 'max_tokens', stop_sequence: null }
    case 'tool-calls':
      return { stop_reason: 'tool_use', stop_sequence: null }
    case 'refusal':
      return { stop_reason: 'refusal', stop_sequence: null }
  }
}

type WireBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: typeof standIn }

type OpenCall = { type: 'call'; id: string; name: string; json: string }
/** A thought is over once there is a proof of it. */
type Thought = { type: 'thought'; text: string; proof: string; redacted: boolean }
type Text = { type: 'text'; text: TextInPieces }
type Said = Text | Thought | OpenCall

/** Collects the parts of an answer into one message, with its blocks in the order in which they began. */
export class MessageAnswer {
  readonly #said: Said[] = []
  readonly #calls: OpenCall[] = []
  #finish: { reason: StopReason; usage: Usage } | null = null

  take(part: StreamPart): void {
    switch (part.type) {
      case 'thinking-delta':
        if (part.text !== '') this.#thought().text += part.text
        break
      case 'thinking-proof':
        Object.assign(this.#thought(part.redacted), { proof: part.proof })
        break
      case 'text-delta':
        this.#text().add(part.text, part.json)
        break
      case 'tool-call-start': {
        const call: OpenCall = { type: 'call', id: part.id, name: part.name, json: '' }
        this.#calls[part.index] = call
        this.#said.push(call)
        break
      }
      case 'tool-call-delta': {
        const call = this.#calls[part.index]
        if (call) call.json += part.json
        break
      }
      case 'finish':
        this.#finish = part
        break
      case 'tool-call-end':
      case 'prompt':
        break
    }
  }

  /** As JSON; null when the answer has no end. Throws where it has a tool call that cannot be used. */
  write(head: MessageHead): string | null {
    if (!this.#finish) return null
    if (!isCut(this.#finish.reason)) {
      for (const { name, json } of this.#calls) {
        if (!areArguments(json)) throw unusableCall(name)
      }
    }
    const message = {
      id: head.id,
      type: 'message',
      role: 'assistant',
      model: head.model,
      content: this.#said.map((said) => wireBlock(said, head)),
      ...stopFields(this.#finish.reason),
      usage: renderUsage(this.#finish.usage),
    }
    return writeAround(message, this.#said.flatMap(jsonAtStandIn))
  }

  /** The last one, or a new one. */
  #text(): TextInPieces {
    const last = this.#said.at(-1)
    if (last?.type === 'text') return last.text
    const text = new TextInPieces()
    this.#said.push({ type: 'text', text })
    return text
  }

  /** The open one, or a new one. */
  #thought(redacted = false): Thought {
    const last = this.#said.at(-1)
    if (last?.type === 'thought' && last.proof === '' && !redacted) return last
    const thought: Thought = { type: 'thought', text: '', proof: '', redacted }
    this.#said.push(thought)
    return thought
  }
}

function wireBlock(said: Said, { display, seal }: MessageHead): WireBlock {
  switch (said.type) {
    case 'text':
      return { type: 'text', text: standIn }
    case 'thought':
      return wireThought(said, display, seal.seal(said))
    case 'call':
      return { type: 'tool_use', id: said.id, name: said.name, input: standIn }
  }
}

/** The JSON in whose place `wireBlock` puts the stand-in. */
function jsonAtStandIn(said: Said): string[] {
  switch (said.type) {
    case 'text':
      return [said.text.json]
    case 'thought':
      return []
    case 'call':
      return [inputJson(said.json)]
  }
}

function wireThought({ text, redacted }: Thought, display: ThinkingDisplay, sealed: string) {
  if (redacted) return { type: 'redacted_thinking' as const, data: sealed }
  const thinking = display === 'summarized' ? text : ''
  return { type: 'thinking' as const, thinking, signature: sealed }
}

/**
 * As the model wrote it, because numbers may have more digits than are kept by reading them here. A call that was cut by
 * the token limit may hold half an object: its complete parameters are its input, as in a stream. Anything else that was cut
 * is an empty one, because the dialect has no other input.
 */
function inputJson(json: string): string {
  const parameters = new WholeParameters()
  const whole = parameters.feed(json) + parameters.rest()
  return whole !== '' && isWritable(JSON.parse(whole)) ? whole : '{}'
}

/** What is nested by the hundred thousand can be read here, but not by everybody. */
function isWritable(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}
