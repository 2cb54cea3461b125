// A kept conversation as a reader sees it: messages of the chat dialect, with thoughts as reasoning_content.
import type { Block, ImageBlock, Message, TextBlock } from '../../core/block.ts'
import { imageUrl } from '../../core/image-url.ts'
import type { Conversation } from './conversation.ts'

type Wire = { role: string } & Record<string, unknown>

export type WireConversation = {
  messages: Wire[]
  answer: Wire | null
  messages_after: Wire[]
  tools: Record<string, unknown>[]
}

export function wireConversation(conversation: Conversation): WireConversation {
  const { system, messages, answer, answerName, after = [], tools } = conversation
  return {
    messages: [...wireSystem(system), ...messages.flatMap(wireMessages)],
    answer: answer && wireTurn('assistant', answer, answerName),
    messages_after: after.flatMap(wireMessages),
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
  }
}

/** One message for all that came in a row from the same role. */
function wireSystem(blocks: readonly TextBlock[]): Wire[] {
  const turns: TextBlock[][] = []
  for (const block of blocks) {
    const last = turns.at(-1)
    if (last && roleOf('system', last) === roleOf('system', [block])) last.push(block)
    else turns.push([block])
  }
  return turns.map((turn) => wireTurn('system', turn))
}

/** Samples from before the role was kept read as system. */
function roleOf(role: string, [first]: readonly Block[]): string {
  return first?.type === 'text' && first.developer ? 'developer' : role
}

function wireMessages(message: Message): Wire[] {
  const results = message.blocks.filter((block) => block.type === 'tool-result')
  const others = message.blocks.filter((block) => block.type !== 'tool-result')
  return [
    ...results.map((result) => ({
      role: 'tool',
      tool_call_id: result.toolCallId,
      content: wireContent(result.content),
      // The chat dialect has no word for it, and who reads the sample must know.
      ...(result.isError ? { is_error: true } : {}),
    })),
    ...(others.length > 0 || results.length === 0
      ? [wireTurn(message.role, others, message.name)]
      : []),
  ]
}

function wireTurn(role: string, blocks: readonly Block[], name?: string): Wire {
  const thoughts = blocks.flatMap((block) =>
    block.type === 'thinking' && block.text !== '' ? [block.text] : [],
  )
  const calls = blocks.filter((block) => block.type === 'tool-call')
  const shown = blocks.filter((block) => block.type === 'text' || block.type === 'image')
  return {
    role: roleOf(role, blocks),
    ...(name === undefined ? {} : { name }),
    content: shown.length === 0 && calls.length > 0 ? null : wireContent(shown),
    ...(thoughts.length > 0 ? { reasoning_content: thoughts.join('\n') } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        }
      : {}),
  }
}

function wireContent(blocks: readonly (TextBlock | ImageBlock)[]): string | Wire[] | object[] {
  if (blocks.length === 1 && blocks[0]?.type === 'text') return blocks[0].text
  if (blocks.length === 0) return ''
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'image_url', image_url: { url: imageUrl(block), ...detailOf(block) } },
  )
}

function detailOf({ detail }: ImageBlock): { detail?: string } {
  return detail === undefined ? {} : { detail }
}
