// The tokens of each block of a prompt, for whoever is billed for a part of it. What a template puts between blocks is
// counted as a few tokens where a turn or a tool begins; what the blocks come to is held against the whole by the one who asked.
import type { Block } from '../../../core/block.ts'
import { type PromptBlock, promptBlocks } from '../../../core/prompt-blocks.ts'
import type { CallRequest } from '../../../core/request.ts'
import { schemaText } from '../../../core/schema-text.ts'
import type { Tokenizer } from './tokenizer.ts'

/** For the marks that a chat template puts around a turn. */
const marksTokens = 4
const charactersPerToken = 4

export function blockTokens(
  tokenizer: Tokenizer,
  request: CallRequest,
  showsTools: boolean,
): number[] {
  return promptBlocks(request).map((block, index) => {
    if (block.param === 'tools' && !showsTools) return 0
    const begins = block.opens !== null || block.param === 'tools' || index === 0
    return (begins ? marksTokens : 0) + tokensOf(tokenizer, block)
  })
}

function tokensOf(tokenizer: Tokenizer, block: PromptBlock): number {
  const { content } = block
  // Templates leave out thoughts of earlier turns, so that their length is not bounded by the window.
  if (content.type === 'thinking') return Math.ceil(content.text.length / charactersPerToken)
  return tokenizer.encodeText(textOf(block), 'mark').length
}

function textOf({ content }: PromptBlock): string {
  if (content.type === 'tool') {
    const { name, description } = content.tool
    return `${name} ${description} ${schemaText(content.tool)}`
  }
  return content.type === 'empty-message' ? '' : blockText(content)
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text
    case 'tool-call':
      return `${block.name} ${block.arguments}`
    case 'tool-result':
      return block.content.map(blockText).join('\n')
    case 'image':
      return ''
  }
}
