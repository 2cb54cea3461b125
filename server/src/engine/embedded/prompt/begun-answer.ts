// A conversation whose last message is the assistant's is an answer that was begun. It is carried on: the prompt ends
// inside that message, and what the model writes follows on it.
import type { Message, TextBlock } from '../../../core/block.ts'
import type { CallRequest } from '../../../core/request.ts'
import { begunJson } from './begun-json.ts'
import type { Conversation } from './template-messages.ts'

export type BegunAnswer = {
  /** Without white space at its end, because models write that as the beginning of the next word. */
  text: string
  /** White space was there, so that none is written again. */
  spaced: boolean
}

/** The same conversation without the begun answer, and that answer; null where none was begun. */
export function takeBegunAnswer<T extends Conversation & Pick<CallRequest, 'output'>>(
  conversation: T,
): { asked: T; begun: BegunAnswer | null } {
  const { messages, output } = conversation
  const whole = begunText(conversation)
  if (whole === null) return { asked: conversation, begun: null }
  const asked = { ...conversation, messages: messages.slice(0, -1) }
  const text = whole.trimEnd()
  // Nothing was said yet, so that the answer is still to begin.
  if (text === '') return { asked, begun: null }
  // Inside a string of JSON a space is a character like others: a value may need it, or be too long with one more.
  const counts = output.kind !== 'text' && begunJson(whole)?.inString
  if (counts) return { asked, begun: { text: whole, spaced: false } }
  return { asked, begun: { text, spaced: text.length < whole.length } }
}

export function hasBegunAnswer(conversation: Conversation): boolean {
  return (begunText(conversation) ?? '').trimEnd() !== ''
}

function begunText({ messages }: Conversation): string | null {
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || !isTextOnly(last)) return null
  return last.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
}

/** A thought before the text is past and over; a call of a tool waits for its result and not for more text. */
function isTextOnly({ blocks }: Message): boolean {
  return blocks.every(
    (block): block is TextBlock => block.type === 'text' || block.type === 'thinking',
  )
}
