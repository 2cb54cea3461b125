// The parts of an answer as the blocks of the assistant's turn.
import type { Block, ToolCallBlock } from '../../core/block.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { argumentsAtEnd } from '../../dialect/chat/render.ts'
import { standIn, TextInPieces } from '../../lib/json-in-json.ts'

export type WrittenAnswer = { blocks: Block[]; text: string | null }

export class AnswerCollector {
  #thinking: string[] = []
  readonly #text = new TextInPieces()
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
        this.#text.add(part.text, part.json)
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
      case 'finish':
        // Samples read back in the dialect of chat, so what it says of a call without arguments is what was said.
        this.#calls.forEach((call) => {
          call.arguments = argumentsAtEnd(call.arguments, part.reason)
        })
        break
      case 'thinking-proof':
      case 'tool-call-end':
      case 'prompt':
        break
    }
  }

  /** With the stand-in for the text, whose JSON is beside them; null where there is none. */
  written(): WrittenAnswer {
    return { blocks: this.#with(standIn), text: this.#hasText ? this.#text.json : null }
  }

  blocks(): Block[] {
    return this.#with(this.#text.text)
  }

  get #hasText(): boolean {
    return this.#text.text !== '' || this.#calls.length === 0
  }

  #with(text: string): Block[] {
    const thinking = this.#thinking.join('')
    return [
      ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking, signature: '' }]),
      ...(this.#hasText ? [{ type: 'text' as const, text }] : []),
      ...this.#calls.filter((call) => call !== undefined),
    ]
  }
}
