// How much of a prompt a block is, in bytes of what the model reads. It is a measure and not a count of tokens: for
// sharing out a total that came without counts per block, and for telling prompts that are too short to cache.
import type { Block } from '../core/block.ts'
import type { PromptBlock } from '../core/prompt-blocks.ts'
import { schemaText } from '../core/schema-text.ts'

/** For the marks a chat template puts around a block. */
const marksBytes = 16
/** An image costs tokens by its size on screen, which its bytes say nothing about. */
const imageBytes = 4096

export function blockWeight({ content }: PromptBlock): number {
  switch (content.type) {
    case 'tool': {
      const { name, description } = content.tool
      return marksBytes + bytes(name) + bytes(description) + bytes(schemaText(content.tool))
    }
    case 'empty-message':
      return marksBytes
    case 'text':
    case 'image':
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return marksBytes + contentBytes(content)
  }
}

function contentBytes(block: Block): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return bytes(block.text)
    case 'image':
      return imageBytes
    case 'tool-call':
      return bytes(block.name) + bytes(block.arguments)
    case 'tool-result':
      return block.content.reduce((sum, part) => sum + contentBytes(part), 0)
  }
}

/** Blanks in a row are a token or two, however many they are: else a prompt of nothing but blanks would be nearly all of the tokens. */
function bytes(text: string): number {
  let all = Buffer.byteLength(text)
  for (const [run] of text.matchAll(/\s{2,}/g)) all -= Buffer.byteLength(run) - 1
  return all
}
