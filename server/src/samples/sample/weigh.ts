// How much a conversation holds, in characters, without writing it out: enough to know early that it is too large, and
// what waiting for it costs in memory.
import type { Block, Message, TextBlock } from '../../core/block.ts'
import type { Tool } from '../../core/request.ts'

export function weigh(conversation: {
  tools: readonly Pick<Tool, 'description' | 'parameters'>[]
  system: readonly TextBlock[]
  messages: readonly Message[]
}): number {
  let weight = weighBlocks(conversation.system)
  for (const { name = '', blocks } of conversation.messages) {
    weight += name.length + weighBlocks(blocks)
  }
  for (const { description, parameters } of conversation.tools) {
    weight += description.length + weighJson(parameters)
  }
  return weight
}

const blockWeight = 40
const valueWeight = 8

function weighJson(value: unknown): number {
  if (typeof value === 'string') return valueWeight + value.length
  if (typeof value !== 'object' || value === null) return valueWeight
  let weight = valueWeight
  for (const key of Object.keys(value)) {
    weight += key.length + weighJson((value as Record<string, unknown>)[key])
  }
  return weight
}

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
        weight +=
          block.source.kind === 'bytes' ? block.source.base64.length : block.source.url.length
    }
  }
  return weight
}
