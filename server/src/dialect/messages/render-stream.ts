// The neutral answer as the events of a messages-dialect stream.
import type { StreamPart } from '../../core/stream-part.ts'
import { type MessageHead, renderUsage, stopFields } from './render.ts'

export const messagesPing = record('ping', { type: 'ping' })

export class MessagesStream {
  readonly #head: MessageHead
  #textOpen = false

  constructor(head: MessageHead) {
    this.#head = head
  }

  start(): string {
    return record('message_start', {
      type: 'message_start',
      message: {
        id: this.#head.id,
        type: 'message',
        role: 'assistant',
        model: this.#head.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        // Some clients add these to the final totals, so nothing is counted here.
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    })
  }

  record(part: StreamPart): string {
    if (part.type === 'text-delta') {
      const open = this.#textOpen
        ? ''
        : record('content_block_start', {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'text', text: '' },
          })
      this.#textOpen = true
      const delta = { type: 'text_delta', text: part.text }
      return open + record('content_block_delta', { type: 'content_block_delta', index: 0, delta })
    }
    if (part.type !== 'finish') return ''
    const close = this.#textOpen
      ? record('content_block_stop', { type: 'content_block_stop', index: 0 })
      : ''
    return (
      close +
      record('message_delta', {
        type: 'message_delta',
        delta: stopFields(part.reason),
        usage: renderUsage(part.usage),
      }) +
      record('message_stop', { type: 'message_stop' })
    )
  }
}

function record(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
