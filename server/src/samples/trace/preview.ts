// What a list shows of a conversation: how the last question and the answer begin.
import { previewCharacters } from '#contract/limits.ts'
import type { Block } from '../../core/block.ts'
import type { Conversation } from '../sample/conversation.ts'

export type Preview = { question: string; answer: string }

export function previewOf({ messages, answer }: Conversation): Preview {
  const asked = messages.findLast(
    ({ role, blocks }) => role === 'user' && blocks.some(({ type }) => type === 'text'),
  )
  return { question: startOf(asked?.blocks ?? []), answer: startOf(answer ?? []) }
}

function startOf(blocks: readonly Block[]): string {
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  // By characters, so that none is cut in two.
  return [...text.slice(0, previewCharacters * 2)].slice(0, previewCharacters).join('')
}
