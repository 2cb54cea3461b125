// What a search looks at in a conversation: messages, answer and tool calls, in lower case. The same folding is applied to
// what is searched for, so that both always fit.
import type { Block, ToolCallBlock } from '../../core/block.ts'
import { streamSafe } from '../../lib/stream-safe.ts'
import type { Conversation } from './conversation.ts'

/**
 * The same for a word as for a part of it, so the sigma that ends a Greek word is like any other; and the same for a letter
 * with its accent inside it as for one with the accent behind it. PostgreSQL's text holds no NUL, and what is not well formed
 * could not be sent to it.
 */
export function foldForSearch(text: string): string {
  return composed(text.toLowerCase()).replaceAll('ς', 'σ').toWellFormed().replaceAll('\0', ' ')
}

/** Everything that can be composed stands behind these characters, and most texts hold nothing else. */
const mayBeDecomposed = /[^\0-\u02ff]/

function composed(text: string): string {
  return mayBeDecomposed.test(text) ? streamSafe(text).normalize('NFC') : text
}

export function searchTextOf(conversation: Conversation): string {
  const texts: string[] = conversation.system.map((block) => block.text)
  for (const message of conversation.messages) addTexts(texts, message.blocks)
  addTexts(texts, conversation.answer ?? [])
  for (const message of conversation.after ?? []) addTexts(texts, message.blocks)
  return foldForSearch(texts.join('\n'))
}

function addTexts(texts: string[], blocks: readonly Block[]): void {
  for (const block of blocks) {
    if (block.type === 'text') texts.push(block.text)
    else if (block.type === 'tool-call') addCall(texts, block)
    else if (block.type === 'tool-result') addTexts(texts, block.content)
  }
}

/** Arguments are JSON, so their words may be escaped: they are searched as they are written and as they are meant. */
function addCall(texts: string[], { name, arguments: json }: ToolCallBlock): void {
  texts.push(name, json)
  if (json.includes('\\')) texts.push(json.replace(jsonEscape, meantBy))
}

const jsonEscape = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g
const shortEscapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function meantBy(_: string, unit: string | undefined, short = ''): string {
  if (unit !== undefined) return String.fromCharCode(parseInt(unit, 16))
  return shortEscapes[short] ?? short
}
