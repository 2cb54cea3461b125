// How much a conversation holds, in characters, without writing it out: enough to know early that it is too large.
import type { Block, Message, TextBlock } from '../../core/block.ts'
import type { Tool } from '../../core/request.ts'

export function weigh(conversation: {
  tools: readonly Pick<Tool, 'parameters'>[]
  system: readonly TextBlock[]
  messages: readonly Message[]
}): number {
  let weight = weighBlocks(conversation.system)
  for (const { blocks } of conversation.messages) weight += weighBlocks(blocks)
  // Schemas are small beside what is said; their exact size is known when they are written.
  return weight + conversation.tools.length * schemaWeight
}

const schemaWeight = 200
const blockWeight = 40

function weighBlocks(blocks: readonly Block[]): number {
  let weight = blocks.length * blockWeight
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
      case 'thinking':
        weight += block.text.length
        break
      case 'tool-call':
        weight += block.arguments.length
        break
      case 'tool-result':
        weight += weighBlocks(block.content)
        break
      case 'image':
        weight += block.source.kind === 'bytes' ? block.source.base64.length : 0
    }
  }
  return weight
}
