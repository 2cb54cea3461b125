// One hash for all prompts that ask the same: instructions, tools and messages, without the answer.
import { createHash } from 'node:crypto'
import type { Block, ImageBlock, TextBlock } from '../../../core/block.ts'
import { sortedMembers } from '../../../lib/sorted-members.ts'
import type { Conversation } from '../../sample/conversation.ts'

export const promptHashBytes = 16

/**
 * Runs of white space are one space, and letters are composed in one way. Ids of tool calls are left out, because clients make
 * them up anew, and thoughts, because templates leave them out.
 */
export function promptHash({ tools, system, messages }: Conversation): Buffer {
  const prompt = [
    tools.map(({ name, description, parameters }) => [
      name,
      normal(description),
      normal(JSON.stringify(sortedMembers(parameters))),
    ]),
    joined(system),
    messages.map(({ role, blocks }) => [role, ...partsOf(blocks)]),
  ]
  const hash = createHash('sha256').update(JSON.stringify(prompt)).digest()
  return hash.subarray(0, promptHashBytes)
}

function normal(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, ' ').trim()
}

function joined(blocks: readonly (TextBlock | ImageBlock)[]): string {
  return normal(blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n'))
}

/** Texts that follow one another are one, as a template shows them. */
function partsOf(blocks: readonly Block[]): unknown[] {
  const parts: unknown[] = []
  let texts: TextBlock[] = []
  const endTexts = (): void => {
    if (texts.length > 0) parts.push(joined(texts))
    texts = []
  }
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block)
    else if (block.type !== 'thinking') {
      endTexts()
      parts.push(partOf(block))
    }
  }
  endTexts()
  return parts
}

function partOf(block: Exclude<Block, { type: 'text' | 'thinking' }>): unknown {
  switch (block.type) {
    case 'image':
      return { image: block.source }
    case 'tool-call':
      return { call: block.name, arguments: normal(block.arguments) }
    case 'tool-result':
      return { result: joined(block.content), isError: block.isError }
  }
}
