// A conversation as the loop keeps it: the neutral core's blocks, without what was only about caching or one call. The
// answer stands apart, because that is what feedback is about; so does what was said after it.
import type { Block, Message, TextBlock } from '../../core/block.ts'
import type { CallRequest, Tool } from '../../core/request.ts'

export type StoredTool = Pick<Tool, 'name' | 'description' | 'parameters'>

export type Conversation = {
  tools: StoredTool[]
  system: TextBlock[]
  messages: Message[]
  /** The assistant's turn: thoughts, text, tool calls. Null where nobody has answered yet. */
  answer: Block[] | null
  /** The name that the answer's message had. */
  answerName?: string
  /** Turns behind the answer; absent where there are none. */
  after?: Message[]
}

export function conversationOf(
  request: Pick<CallRequest, 'tools' | 'system' | 'messages'>,
  answer: Block[] | null,
  after: readonly Message[] = [],
  answerName?: string,
): Conversation {
  return {
    tools: request.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    })),
    system: request.system.map(plain),
    messages: request.messages.map(plainTurn),
    answer: answer && answer.map(plain),
    ...(answerName === undefined ? {} : { answerName }),
    ...(after.length > 0 ? { after: after.map(plainTurn) } : {}),
  }
}

function plainTurn(message: Message): Message {
  return { ...message, blocks: message.blocks.map(plain) }
}

/** A block without its cache mark, and a thought without the seal of the workspace that may pass it back. */
function plain<B extends Block>(block: B): B {
  if (block.type === 'text') {
    return { type: 'text', text: block.text, ...(block.developer ? { developer: true } : {}) } as B
  }
  const { cache: _, ...kept } = block as B & { cache?: unknown }
  if (block.type === 'thinking')
    return { type: 'thinking', text: block.text, signature: '' } as unknown as B
  if (block.type === 'tool-result')
    return { ...kept, content: block.content.map(plain) } as unknown as B
  return kept as unknown as B
}

/** Whether it names who said something. */
export function isNamed({ messages, answerName, after = [] }: Conversation): boolean {
  if (answerName !== undefined) return true
  return [messages, after].some((turns) => turns.some(({ name }) => name !== undefined))
}

export type AnswerSplit = {
  messages: Message[]
  answer: Block[] | null
  answerName?: string
  after: Message[]
}

/** The last turn of the assistant is the answer (spec 2, import row shapes), if a user asked for it. */
export function splitAnswer(messages: Message[]): AnswerSplit {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const asked = messages.slice(0, Math.max(at, 0)).some(({ role }) => role === 'user')
  if (!asked) return { messages, answer: null, after: [] }
  const { blocks = null, name } = messages[at] ?? {}
  return {
    messages: messages.slice(0, at),
    answer: blocks,
    ...(name === undefined ? {} : { answerName: name }),
    after: messages.slice(at + 1),
  }
}
