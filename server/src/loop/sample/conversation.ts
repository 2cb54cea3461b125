// A conversation as the loop keeps it: the neutral core's blocks, without what was only about caching or one call. The
// answer stands apart, because that is what feedback is about.
import type { Block, Message, TextBlock } from '../../core/block.ts'
import type { CallRequest, Tool } from '../../core/request.ts'

export type StoredTool = Pick<Tool, 'name' | 'description' | 'parameters'>

export type Conversation = {
  tools: StoredTool[]
  system: TextBlock[]
  messages: Message[]
  /** The assistant's turn: thoughts, text, tool calls. Null where nobody has answered yet. */
  answer: Block[] | null
}

export function conversationOf(
  request: Pick<CallRequest, 'tools' | 'system' | 'messages'>,
  answer: Block[] | null,
): Conversation {
  return {
    tools: request.tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    })),
    system: request.system.map(plain),
    messages: request.messages.map(({ role, blocks }) => ({ role, blocks: blocks.map(plain) })),
    answer: answer && answer.map(plain),
  }
}

/** A block without its cache mark, and a thought without the seal of the workspace that may pass it back. */
function plain<B extends Block>(block: B): B {
  if (block.type === 'text') return { type: 'text', text: block.text } as B
  const { cache: _, ...kept } = block as B & { cache?: unknown }
  if (block.type === 'thinking') return { ...kept, signature: '' } as unknown as B
  if (block.type === 'tool-result')
    return { ...kept, content: block.content.map(plain) } as unknown as B
  return kept as unknown as B
}

/** The last turn of the assistant is the answer, where the conversation ends with one. */
export function splitAnswer(messages: Message[]): { messages: Message[]; answer: Block[] | null } {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return { messages, answer: null }
  return { messages: messages.slice(0, -1), answer: last.blocks }
}
