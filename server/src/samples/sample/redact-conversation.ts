// Conversations with their sensitive values replaced, and written out as they are stored. The bytes of images are left
// alone: nothing in them can be found by reading, and what looked like a find would only spoil the picture.
import type { Block, Message } from '../../core/block.ts'
import type { Redaction } from './redaction.ts'
import { type Conversation, conversationOf, isNamed } from './conversation.ts'
import type { SampleText } from './sample.ts'
import { readStoredText, storedText } from './stored-text.ts'

export type RedactNow = <T>(value: T) => T

export function redactConversation(conversation: Conversation, redact: RedactNow): SampleText {
  const given = givenToRedaction([conversation])
  return textsAgain(given, redact(given.values))[0] as SampleText
}

export async function redactConversations(
  redaction: Redaction,
  conversations: readonly Conversation[],
): Promise<SampleText[]> {
  const given = givenToRedaction(conversations)
  return textsAgain(given, await redaction.redact(given.values))
}

/** An answer that no sample holds, as a recorded one is redacted. */
export async function redactAnswer(redaction: Redaction, answer: Block[]): Promise<Block[]> {
  const alone = conversationOf({ tools: [], system: [], messages: [] }, answer)
  const [text] = await redactConversations(redaction, [alone])
  return readStoredText(text!.conversation).answer!
}

/** All bare texts, and the other conversations without their images. */
type Values = [string[], Conversation[]]

type Given = {
  values: Values
  /** In the order of the conversations: those that are bare texts, with how many they are. */
  parts: { conversation: Conversation; texts: number | null }[]
  images: string[]
}

function givenToRedaction(conversations: readonly Conversation[]): Given {
  const given: Given = { values: [[], []], parts: [], images: [] }
  const [texts, others] = given.values
  const takeOut = (base64: string): string => {
    given.images.push(base64)
    return ''
  }
  for (const conversation of conversations) {
    const added = textsOf(conversation)
    if (added) texts.push(...added)
    else others.push(withWholeAnswer(mapImages(conversation, takeOut)))
    given.parts.push({ conversation, texts: added && added.length })
  }
  return given
}

function textsAgain({ values, parts, images }: Given, [texts, others]: Values): SampleText[] {
  const [before] = values
  const [image, other] = [images.values(), others.values()]
  let next = 0
  return parts.map(({ conversation, texts: count }) => {
    if (count === null) {
      const redacted = splitAgain(conversation, other.next().value as Conversation)
      return storedText(mapImages(redacted, () => image.next().value ?? ''))
    }
    const from = next
    next += count
    const said = texts.slice(from, next)
    const same = said.every((text, at) => text === before[from + at])
    return storedText(same ? conversation : withTexts(conversation, said))
  })
}

/**
 * Most conversations are texts and nothing else, one to a turn, whose speakers have no names: those are redacted as bare texts, which spares the
 * redactor all the names around them. Null for any other. In the order in which a search looks at them.
 */
function textsOf(conversation: Conversation): string[] | null {
  const { tools, system, messages, answer, after = [] } = conversation
  if (tools.length > 0 || isContinued(conversation) || isNamed(conversation)) return null
  const texts: string[] = []
  const bare =
    addText(texts, system) &&
    messages.every(({ blocks }) => addText(texts, blocks)) &&
    addText(texts, answer ?? []) &&
    after.every(({ blocks }) => addText(texts, blocks))
  return bare ? texts : null
}

function addText(texts: string[], blocks: readonly Block[]): boolean {
  const [block] = blocks
  if (block === undefined) return true
  if (blocks.length > 1 || block.type !== 'text') return false
  texts.push(block.text)
  return true
}

function withTexts(conversation: Conversation, texts: readonly string[]): Conversation {
  let next = 0
  const said = <B extends Block>(blocks: readonly B[]): B[] =>
    blocks.map((block) => ({ ...block, text: texts[next++] ?? '' }))
  const turn = ({ role, blocks }: Message): Message => ({ role, blocks: said(blocks) })
  const { system, messages, answer, after } = conversation
  return {
    tools: [],
    system: said(system),
    messages: messages.map(turn),
    answer: answer && said(answer),
    ...(after ? { after: after.map(turn) } : {}),
  }
}

/** Whether the answer goes on with what the assistant was made to begin with. */
function isContinued({ messages, answer }: Conversation): boolean {
  return answer !== null && messages.at(-1)?.role === 'assistant'
}

/**
 * What the assistant began with stands before the rest of its answer, so that a value in both is seen as one. Its turns are left
 * empty.
 */
function withWholeAnswer(conversation: Conversation): Conversation {
  if (!isContinued(conversation)) return conversation
  const { messages, answer } = conversation
  const from = askedCount(messages)
  const begun = messages.slice(from)
  const emptied = begun.map((turn) => ({ ...turn, blocks: [] }))
  return {
    ...conversation,
    messages: [...messages.slice(0, from), ...emptied],
    answer: [...begun.flatMap(({ blocks }) => blocks), ...answer!],
  }
}

/** The redacted conversation in the turns that it had. */
function splitAgain(before: Conversation, redacted: Conversation): Conversation {
  if (!isContinued(before)) return redacted
  const whole = redacted.answer!
  const begunAt = askedCount(before.messages)
  let next = 0
  const messages = redacted.messages.map((turn, at) => {
    if (at < begunAt) return turn
    const from = next
    next += before.messages[at]!.blocks.length
    return { ...turn, blocks: whole.slice(from, next) }
  })
  return { ...redacted, messages, answer: whole.slice(next) }
}

/** The messages up to the last one that is not the assistant's. */
function askedCount(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role !== 'assistant') + 1
}

type ImageBytes = (base64: string) => string

function mapImages(conversation: Conversation, change: ImageBytes): Conversation {
  return {
    ...conversation,
    messages: conversation.messages.map((message) => mapMessage(message, change)),
    ...(conversation.after
      ? { after: conversation.after.map((message) => mapMessage(message, change)) }
      : {}),
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
