// The parts of an answer as the blocks of the assistant's turn.
import type { Block, ToolCallBlock } from '../../core/block.ts'
import type { StreamPart } from '../../core/stream-part.ts'

export class AnswerCollector {
  #thinking: string[] = []
  #text: string[] = []
  readonly #calls: ToolCallBlock[] = []
  #characters = 0

  /** Of all that was taken so far. */
  get characters(): number {
    return this.#characters
  }

  take(part: StreamPart): void {
    switch (part.type) {
      case 'thinking-delta':
        this.#thinking.push(part.text)
        this.#characters += part.text.length
        break
      case 'text-delta':
        this.#text.push(part.text)
        this.#characters += part.text.length
        break
      case 'tool-call-start':
        this.#calls[part.index] = {
          type: 'tool-call',
          id: part.id,
          name: part.name,
          arguments: '',
        }
        break
      case 'tool-call-delta': {
        const call = this.#calls[part.index]
        if (call) call.arguments += part.json
        this.#characters += part.json.length
        break
      }
      case 'thinking-proof':
      case 'tool-call-end':
      case 'prompt':
      case 'finish':
        break
    }
  }

  blocks(): Block[] {
    const thinking = this.#thinking.join('')
    const text = this.#text.join('')
    return [
      ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking, signature: '' }]),
      ...(text === '' && this.#calls.length > 0 ? [] : [{ type: 'text' as const, text }]),
      ...this.#calls.filter((call) => call !== undefined),
    ]
  }
}
