// The neutral answer as the records of a chat-completions stream.
import type { StreamPart } from '../../core/stream-part.ts'
import { type ChatHead, finishReason, renderUsage } from './render.ts'

export const chatDone = 'data: [DONE]\n\n'
export const chatKeepAlive = ': keep-alive\n\n'

export class ChatStream {
  readonly #head: string

  constructor(head: ChatHead) {
    const fields = { ...head, object: 'chat.completion.chunk' }
    this.#head = JSON.stringify(fields).slice(0, -1)
  }

  /** The role chunk, which every client expects first. */
  start(): string {
    return this.#chunk({ role: 'assistant', content: '' })
  }

  record(part: StreamPart): string {
    switch (part.type) {
      case 'text-delta':
        return this.#chunk({ content: part.text })
      case 'thinking-delta':
        return this.#chunk({ reasoning_content: part.text })
      case 'tool-call-start':
        return this.#chunk({
          tool_calls: [
            {
              index: part.index,
              id: part.id,
              type: 'function',
              function: { name: part.name, arguments: '' },
            },
          ],
        })
      case 'tool-call-delta':
        return this.#chunk({
          tool_calls: [{ index: part.index, function: { arguments: part.json } }],
        })
      case 'tool-call-end':
      case 'prompt':
        return ''
      case 'finish':
        return this.#chunk({}, finishReason(part.reason), renderUsage(part.usage))
    }
  }

  #chunk(delta: object, finish: string | null = null, usage?: object): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
    const rest = JSON.stringify(usage ? { choices, usage } : { choices }).slice(1)
    return `data: ${this.#head},${rest}\n\n`
  }
}
