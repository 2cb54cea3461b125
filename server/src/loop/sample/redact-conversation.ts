// Conversations with their sensitive values replaced, and written out as they are stored. The bytes of images are left
// alone: nothing in them can be found by reading, and what looked like a find would only spoil the picture.
import type { Block, Message, TextBlock } from '../../core/block.ts'
import type { Redaction } from './redaction.ts'
import type { Conversation } from './conversation.ts'
import { searchTextOf } from './search-text.ts'
import type { SampleText } from './sample.ts'

export type RedactNow = <T>(value: T) => T

export function redactConversation(conversation: Conversation, redact: RedactNow): SampleText {
  const images: string[] = []
  const given = givenToRedaction(conversation, images)
  return sampleText(wholeAgain(conversation, redact(given), images.values()))
}

export async function redactConversations(
  redaction: Redaction,
  conversations: readonly Conversation[],
): Promise<SampleText[]> {
  const images: string[] = []
  const given = conversations.map((conversation) => givenToRedaction(conversation, images))
  const redacted = await redaction.redact(given)
  const again = images.values()
  return conversations.map((conversation, index) =>
    sampleText(wholeAgain(conversation, redacted[index] as Given, again)),
  )
}

/** Bare texts, or the conversation without its images. */
type Given = string[] | Conversation

function givenToRedaction(conversation: Conversation, images: string[]): Given {
  const takeOut = (base64: string): string => {
    images.push(base64)
    return ''
  }
  return textsOf(conversation) ?? mapImages(conversation, takeOut)
}

function wholeAgain(
  conversation: Conversation,
  redacted: Given,
  images: Iterator<string, undefined>,
): Conversation {
  if (Array.isArray(redacted)) return withTexts(conversation, redacted)
  return mapImages(redacted, () => images.next().value ?? '')
}

/**
 * Most conversations are texts and nothing else, one to a turn: those are redacted as bare texts, which spares the
 * redactor all the names around them. Null for any other.
 */
function textsOf({ tools, system, messages, answer }: Conversation): string[] | null {
  if (tools.length > 0 || system.length > 1) return null
  const texts: string[] = []
  for (const blocks of [system, ...messages.map((message) => message.blocks), answer ?? []]) {
    const [block, more] = blocks
    if (more !== undefined || (block && block.type !== 'text')) return null
    if (block) texts.push(block.text)
  }
  return texts
}

function withTexts(conversation: Conversation, texts: readonly string[]): Conversation {
  let next = 0
  const said = (blocks: readonly Block[]): TextBlock[] =>
    blocks.map(() => ({ type: 'text', text: texts[next++] ?? '' }))
  return {
    tools: [],
    system: said(conversation.system),
    messages: conversation.messages.map(({ role, blocks }) => ({ role, blocks: said(blocks) })),
    answer: conversation.answer && said(conversation.answer),
  }
}

export function sampleText(conversation: Conversation): SampleText {
  const text = JSON.stringify(conversation)
  return {
    conversation: text,
    searchText: searchTextOf(conversation),
    bytes: Buffer.byteLength(text),
  }
}

type ImageBytes = (base64: string) => string

function mapImages(conversation: Conversation, change: ImageBytes): Conversation {
  return {
    ...conversation,
    messages: conversation.messages.map((message) => mapMessage(message, change)),
  }
}

function mapMessage(message: Message, change: ImageBytes): Message {
  if (!message.blocks.some((block) => block.type === 'image' || block.type === 'tool-result')) {
    return message
  }
  return { ...message, blocks: message.blocks.map((block) => mapBlock(block, change)) }
}

function mapBlock<B extends Block>(block: B, change: ImageBytes): B {
  if (block.type === 'tool-result') {
    return { ...block, content: block.content.map((part) => mapBlock(part, change)) }
  }
  if (block.type !== 'image' || block.source.kind !== 'bytes') return block
  return { ...block, source: { ...block.source, base64: change(block.source.base64) } }
}
