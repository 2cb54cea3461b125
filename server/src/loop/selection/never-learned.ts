// Why a sample with a right answer is not learned from, as far as its text tells.
import type { SkipReason } from '#contract/run-plan.ts'
import type { Block } from '../../core/block.ts'
import { markerAt } from '../../samples/redact/kinds.ts'
import type { Conversation } from '../../samples/sample/conversation.ts'

/** The model would say a redaction marker to customers, so a right answer that holds one is not taught. */
export function neverLearned(
  { messages }: Pick<Conversation, 'messages'>,
  answer: readonly Block[],
): SkipReason | null {
  if (answer.some(holdsMarker)) return 'redacted_answer'
  if (messages.some(({ blocks }) => blocks.some(holdsImage)) || answer.some(holdsImage)) {
    return 'image'
  }
  return answer.some(saysSomething) ? null : 'empty_answer'
}

function holdsMarker(block: Block): boolean {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return hasMarker(block.text)
    case 'tool-call':
      return hasMarker(block.name) || hasMarker(block.arguments)
    case 'tool-result':
      return block.content.some(holdsMarker)
    case 'image':
      return false
  }
}

function hasMarker(text: string): boolean {
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) {
    if (markerAt(text, at)) return true
  }
  return false
}

function holdsImage(block: Block): boolean {
  return (
    block.type === 'image' ||
    (block.type === 'tool-result' && block.content.some(({ type }) => type === 'image'))
  )
}

/** White space, control characters, and format characters such as a zero-width space, are not seen. */
const isSeen = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

function saysSomething(block: Block): boolean {
  return block.type === 'tool-call' || (block.type === 'text' && isSeen.test(block.text))
}
