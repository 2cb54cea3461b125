// The neutral answer as a message of the messages dialect. Wire names begin here.
import type { StopReason } from '../../core/stop-reason.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import type { Usage } from '../../core/usage.ts'

export type MessageHead = { id: string; model: string }

/** Cache fields are left out when zero; `input_tokens` holds no cached ones. */
export function renderUsage(usage: Usage) {
  return {
    input_tokens: usage.inputTokens,
    ...(usage.cacheReadTokens > 0 ? { cache_read_input_tokens: usage.cacheReadTokens } : {}),
    output_tokens: usage.outputTokens,
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

/** Collects the parts of an answer into one message. */
export class MessageAnswer {
  #text = ''
  #finish: { reason: StopReason; usage: Usage } | null = null

  take(part: StreamPart): void {
    if (part.type === 'text-delta') this.#text += part.text
    if (part.type === 'finish') this.#finish = part
  }

  render(head: MessageHead) {
    if (!this.#finish) return null
    return {
      id: head.id,
      type: 'message',
      role: 'assistant',
      model: head.model,
      content: this.#text === '' ? [] : [{ type: 'text', text: this.#text }],
      ...stopFields(this.#finish.reason),
      usage: renderUsage(this.#finish.usage),
    }
  }
}
