// A conversation whose last message is the assistant's is an answer that was begun. It is carried on: the prompt ends
// inside that message, and what the model writes follows on it.
import type { Message, TextBlock } from '../../../core/block.ts'
import type { Conversation } from './template-messages.ts'

export type BegunAnswer = {
  /** Without white space at its end, because models write that as the beginning of the next word. */
  text: string
  /** White space was there, so that none is written again. */
  spaced: boolean
}

/** The same conversation without the begun answer, and that answer; null where none was begun. */
export function takeBegunAnswer<T extends Conversation>(
  conversation: T,
): { asked: T; begun: BegunAnswer | null } {
  const { messages } = conversation
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || !isTextOnly(last)) return { asked: conversation, begun: null }
  const asked = { ...conversation, messages: messages.slice(0, -1) }
  const whole = last.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  const text = whole.trimEnd()
  // Nothing was said yet, so that the answer is still to begin.
  if (text === '') return { asked, begun: null }
  return { asked, begun: { text, spaced: text.length < whole.length } }
}

export function hasBegunAnswer(conversation: Conversation): boolean {
  return takeBegunAnswer(conversation).begun !== null
}

/** A thought before the text is past and over; a call of a tool waits for its result and not for more text. */
function isTextOnly({ blocks }: Message): boolean {
  return blocks.every(
    (block): block is TextBlock => block.type === 'text' || block.type === 'thinking',
  )
}
