// The neutral answer as the records of a chat-completions stream.
import type { StopReason } from '../../core/stop-reason.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { argumentsAtEnd, type ChatHead, finishReason, renderUsage } from './render.ts'

export const chatDone = 'data: [DONE]\n\n'
export const chatKeepAlive = ': keep-alive\n\n'

const afterText = '},"logprobs":null,"finish_reason":null}]}\n\n'

export class ChatStream {
  readonly #head: string
  /** What stands around the text of a chunk that has nothing else to say, which is nearly all of them. */
  readonly #beforeText: string
  /** For what shows whether words or a tool call come first. */
  #waits = false
  /** Calls whose arguments have not begun, by index. */
  readonly #bare = new Set<number>()
  readonly #usageApart: boolean

  /** With `usageApart` the usage follows the final chunk in one of its own. */
  constructor(head: ChatHead, usageApart: boolean) {
    this.#usageApart = usageApart
    const fields = { ...head, object: 'chat.completion.chunk' }
    this.#head = `data: ${JSON.stringify(fields).slice(0, -1)},`
    this.#beforeText = `${this.#head}"choices":[{"index":0,"delta":{"content":`
  }

  /** The role chunk, which every client expects first. The prompt's size has no place here, and begins nothing. */
  start(first: StreamPart): string {
    this.#waits = first.type === 'prompt'
    if (this.#waits) return ''
    // Behind a tool call no text follows, and its message will have none.
    const content = first.type === 'tool-call-start' ? null : ''
    return this.#chunk({ role: 'assistant', content })
  }

  record(part: StreamPart): string {
    if (this.#waits && part.type !== 'prompt') return this.start(part) + this.record(part)
    switch (part.type) {
      case 'text-delta':
        return this.#beforeText + (part.json ?? JSON.stringify(part.text)) + afterText
      case 'thinking-delta':
        return this.#chunk({ reasoning_content: part.text })
      case 'tool-call-start':
        this.#bare.add(part.index)
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
        if (part.json.trim() !== '') this.#bare.delete(part.index)
        return this.#arguments(part.index, part.json)
      case 'thinking-proof':
      case 'tool-call-end':
      case 'prompt':
        return ''
      case 'finish':
        return this.#fillBare(part.reason) + this.#finish(part)
    }
  }

  #finish({ reason, usage }: StreamPart & { type: 'finish' }): string {
    const counts = renderUsage(usage)
    if (!this.#usageApart) return this.#chunk({}, finishReason(reason), counts)
    return this.#chunk({}, finishReason(reason)) + this.#chunk({}, null, counts)
  }

  #fillBare(reason: StopReason): string {
    const json = argumentsAtEnd('', reason)
    if (json === '') return ''
    return [...this.#bare].map((index) => this.#arguments(index, json)).join('')
  }

  #arguments(index: number, json: string): string {
    return this.#chunk({ tool_calls: [{ index, function: { arguments: json } }] })
  }

  #chunk(delta: object, finish: string | null = null, usage?: object): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }]
    const rest = JSON.stringify(usage ? { choices, usage } : { choices }).slice(1)
    return `${this.#head}${rest}\n\n`
  }
}
