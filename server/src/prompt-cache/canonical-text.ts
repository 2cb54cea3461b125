// What of a block takes part in a prefix hash: everything that changes what the model sees, and nothing else. Every
// field is preceded by its length, so blocks put one behind the other can be read back in one way only, and no two
// different prompts have the same text.
import type { Block, ImageBlock } from '../core/block.ts'
import type { PromptBlock } from '../core/prompt-blocks.ts'
import { schemaText } from '../core/schema-text.ts'

export function canonicalText(block: PromptBlock): string {
  return lengthPrefixed([block.param, block.opens ?? '', ...contentFields(block.content)])
}

export function lengthPrefixed(fields: readonly string[]): string {
  let text = `${fields.length};`
  for (const field of fields) {
    if (field.isWellFormed()) {
      text += `${field.length}:${field}`
    } else {
      // Half a surrogate pair has no UTF-8 of its own and would be hashed like any other half; JSON spells it out.
      const spelled = JSON.stringify(field)
      text += `${spelled.length}!${spelled}`
    }
  }
  return text
}

function contentFields(content: PromptBlock['content']): string[] {
  switch (content.type) {
    case 'tool': {
      // Keys keep the order the client wrote them in, because the model reads them in that order.
      const { name, description } = content.tool
      return ['tool', name, description, schemaText(content.tool)]
    }
    case 'empty-message':
      return ['empty-message']
    case 'text':
    case 'image':
    case 'thinking':
    case 'tool-call':
    case 'tool-result':
      return blockFields(content)
  }
}

function detailOf({ detail }: ImageBlock): string[] {
  return detail === undefined ? [] : [detail]
}

function blockFields(block: Block): string[] {
  switch (block.type) {
    case 'text':
      return ['text', block.text]
    case 'image':
      return block.source.kind === 'bytes'
        ? ['image-bytes', block.source.mediaType, block.source.base64, ...detailOf(block)]
        : ['image-url', block.source.url, ...detailOf(block)]
    case 'thinking':
      return ['thinking', block.text, block.signature]
    case 'tool-call':
      return ['tool-call', block.id, block.name, block.arguments]
    case 'tool-result':
      return [
        'tool-result',
        block.toolCallId,
        block.isError ? 'error' : 'ok',
        ...block.content.map((part) => lengthPrefixed(blockFields(part))),
      ]
  }
}
