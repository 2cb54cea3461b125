// The neutral answer as the events of a messages-dialect stream: blocks one after another, each opened, filled, closed.
import { isCut } from '../../core/stop-reason.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { noUsage } from '../../core/usage.ts'
import { areArguments } from '../tool-arguments.ts'
import { type MessageHead, renderUsage, stopFields } from './render.ts'
import type { SealedThought } from './thinking-seal.ts'
import { unusableCall } from './unusable-call.ts'
import { WholeParameters } from './whole-parameters.ts'

export const messagesPing = record('ping', {})

const beforeTextIndex = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":'
const beforeText = ',"delta":{"type":"text_delta","text":'

type OpenBlock =
  | { type: 'text' }
  | { type: 'thinking'; thought: string; proof: string }
  | {
      type: 'tool_use'
      name: string
      /** All of its arguments so far. */
      written: string
      parameters: WholeParameters | null
      /** Null until the arguments have begun. */
      isObject: boolean | null
    }

export class MessagesStream {
  readonly #head: MessageHead
  readonly #eagerTools: ReadonlySet<string>
  #open: OpenBlock | null = null
  #index = -1
  /** A call that cannot be used, and what follows it: only the end of the answer says whether the answer was cut. */
  #doubt: { name: string; behind: StreamPart[] } | null = null

  /** Tools whose arguments are sent as they are written, by name. */
  constructor(head: MessageHead, eagerTools: ReadonlySet<string>) {
    this.#head = head
    this.#eagerTools = eagerTools
  }

  /** With the prompt's usage where it is known before the answer; some clients read cache writes only here. */
  start(first: StreamPart): string {
    const prompt = first.type === 'prompt' ? first.usage : noUsage
    return record('message_start', {
      message: {
        id: this.#head.id,
        type: 'message',
        role: 'assistant',
        model: this.#head.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: renderUsage({ ...prompt, outputTokens: 0, thinkingTokens: 0 }),
      },
    })
  }

  /** Throws where the answer has a tool call that cannot be used. */
  record(part: StreamPart): string {
    if (this.#doubt === null) return this.#record(part)
    const { name, behind } = this.#doubt
    behind.push(part)
    if (part.type !== 'finish') return ''
    if (!isCut(part.reason)) throw unusableCall(name)
    return behind.map((one) => this.#record(one)).join('')
  }

  #record(part: StreamPart): string {
    switch (part.type) {
      case 'prompt':
        return ''
      case 'thinking-delta':
        return this.#thinking(part.text)
      case 'thinking-proof':
        return part.redacted ? this.#redacted(part.proof) : this.#proven(part.proof)
      case 'text-delta':
        return this.#enter('text') + this.#textDelta(part.json ?? JSON.stringify(part.text))
      case 'tool-call-start':
        return this.#toolStart(part.id, part.name)
      case 'tool-call-delta':
        return this.#toolDelta(part.json)
      case 'tool-call-end':
        return this.#toolEnd()
      case 'finish':
        return (
          this.#close() +
          record('message_delta', {
            delta: stopFields(part.reason),
            usage: renderUsage(part.usage),
          }) +
          record('message_stop', {})
        )
    }
  }

  #thinking(text: string): string {
    const entered = this.#enter('thinking')
    if (this.#open?.type === 'thinking') this.#open.thought += text
    if (this.#head.display === 'omitted') return entered
    return entered + this.#delta({ type: 'thinking_delta', thinking: text })
  }

  #proven(proof: string): string {
    const entered = this.#enter('thinking')
    if (this.#open?.type === 'thinking') this.#open.proof = proof
    return entered + this.#close()
  }

  #redacted(proof: string): string {
    const closed = this.#close()
    const data = this.#head.seal.seal({ text: '', proof })
    const started = this.#start({ type: 'redacted_thinking', data })
    return closed + started + record('content_block_stop', { index: this.#index })
  }

  #toolStart(id: string, name: string): string {
    const closed = this.#close()
    const parameters = this.#eagerTools.has(name) ? null : new WholeParameters()
    this.#open = { type: 'tool_use', name, written: '', parameters, isObject: null }
    return closed + this.#start({ type: 'tool_use', id, name, input: {} })
  }

  #toolDelta(json: string): string {
    if (this.#open?.type !== 'tool_use') return ''
    this.#open.written += json
    this.#open.isObject ??= beginsObject(json)
    // An input is an object in this dialect: anything else in an answer that was cut is an empty one, as in a whole answer.
    if (this.#open.isObject !== true) return ''
    const ready = this.#open.parameters ? this.#open.parameters.feed(json) : json
    return this.#inputDeltas(ready)
  }

  #toolEnd(): string {
    if (this.#open?.type !== 'tool_use' || areArguments(this.#open.written)) return this.#close()
    this.#doubt ??= { name: this.#open.name, behind: [] }
    return ''
  }

  /** In pieces, whose records stay below 64 KiB: some clients take no longer line. */
  #inputDeltas(json: string): string {
    const pieces = json.match(/.{1,8000}/gsu) ?? []
    return pieces
      .map((piece) => this.#delta({ type: 'input_json_delta', partial_json: piece }))
      .join('')
  }

  #enter(type: 'text' | 'thinking'): string {
    if (this.#open?.type === type) return ''
    const closed = this.#close()
    this.#open = type === 'text' ? { type } : { type, thought: '', proof: '' }
    const block = type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' }
    return closed + this.#start(block)
  }

  #start(block: object): string {
    this.#index += 1
    return record('content_block_start', { index: this.#index, content_block: block })
  }

  #delta(delta: object): string {
    return record('content_block_delta', { index: this.#index, delta })
  }

  /** The same as `#delta`, without an object for each word. */
  #textDelta(json: string): string {
    return `${beforeTextIndex}${this.#index}${beforeText}${json}}}\n\n`
  }

  #close(): string {
    const open = this.#open
    if (!open) return ''
    this.#open = null
    const last =
      open.type === 'thinking'
        ? this.#signature({ text: open.thought, proof: open.proof })
        : open.type === 'tool_use'
          ? this.#restOf(open.parameters)
          : ''
    return last + record('content_block_stop', { index: this.#index })
  }

  #signature(thought: SealedThought): string {
    return this.#delta({ type: 'signature_delta', signature: this.#head.seal.seal(thought) })
  }

  #restOf(parameters: WholeParameters | null): string {
    return this.#inputDeltas(parameters?.rest() ?? '')
  }
}

function beginsObject(json: string): boolean | null {
  const first = /\S/.exec(json)
  return first && first[0] === '{'
}

function record(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`
}
