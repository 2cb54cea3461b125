// What a turn of a conversation says, folded, so that turns that a person takes for the same are the same.
import type { Block } from '../../../core/block.ts'

const leftOut = /[\p{P}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+/gu
const digits = /\p{Nd}+/gu

/** Control characters are folded away, so that these cannot stand in a text. */
const marks = { call: '\x01', arguments: '\x02', result: '\x03', image: '\x04' }

/** Thoughts are left out, because templates leave them out, and so are ids of calls, because clients make them up anew. */
export function foldedTurn(role: string, blocks: readonly Block[]): string {
  const folded = blocks.map(foldedBlock).join('')
  // A turn such as "??" would be nothing, and the same as any other such turn.
  const said = folded === '' ? blocks.map(rawText).join('').trim() : folded
  // Instructions often carry the date or a number of the request.
  return role === 'system' ? said.replace(digits, '0') : said
}

function foldedBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return folded(block.text)
    case 'tool-call':
      return marks.call + folded(block.name) + marks.arguments + folded(block.arguments)
    case 'tool-result':
      return marks.result + block.content.map(foldedBlock).join('')
    case 'image':
      return marks.image + JSON.stringify(block.source)
    case 'thinking':
      return ''
  }
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(leftOut, '')
}

function rawText(block: Block): string {
  return block.type === 'text' ? block.text : ''
}
