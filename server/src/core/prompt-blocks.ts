// The prompt of a request as one list of blocks in the order in which prefixes are cached: tools, system, messages
// (spec 1, caching rule 1). Blocks refer to the request and copy nothing, so that listing them is cheap; what of a
// block is hashed is canonical-text's to say, and how much of the prompt it is, block-weight's.
import { type Block, type CacheMark, isBreakpoint, type Message } from './block.ts'
import type { CallRequest, Tool } from './request.ts'

export type PromptBlock = {
  /** The field of the request the block stands in, which is what an error's `param` names. */
  param: 'tools' | 'system' | 'messages'
  /** The role of the message that begins with this block; null inside a message and outside of messages. */
  opens: Message['role'] | null
  content: { type: 'tool'; tool: Tool } | Block | { type: 'empty-message' }
  /** Whether a cached prefix may be asked to end here (spec 1, caching rules 6 and 9). */
  canCarryMark: boolean
  mark: CacheMark | null
}

export function promptBlocks(request: CallRequest): PromptBlock[] {
  const blocks: PromptBlock[] = []
  for (const tool of request.tools) {
    blocks.push({
      param: 'tools',
      opens: null,
      content: { type: 'tool', tool },
      canCarryMark: true,
      mark: tool.cache ?? null,
    })
  }
  for (const content of request.system) blocks.push(contentBlock('system', null, content))
  for (const { role, blocks: contents } of request.messages) {
    // A message without content is still a turn that the model sees.
    if (contents.length === 0) blocks.push(emptyMessage(role))
    contents.forEach((content, index) => {
      blocks.push(contentBlock('messages', index === 0 ? role : null, content))
    })
  }
  return blocks
}

export function hasImages(blocks: readonly PromptBlock[]): boolean {
  return blocks.some(
    ({ content }) =>
      content.type === 'image' ||
      (content.type === 'tool-result' && content.content.some(({ type }) => type === 'image')),
  )
}

function contentBlock(
  param: PromptBlock['param'],
  opens: Message['role'] | null,
  content: Block,
): PromptBlock {
  return {
    param,
    opens,
    content,
    canCarryMark: content.type !== 'thinking',
    mark: markOf(content),
  }
}

function emptyMessage(role: Message['role']): PromptBlock {
  return {
    param: 'messages',
    opens: role,
    content: { type: 'empty-message' },
    canCarryMark: false,
    mark: null,
  }
}

function markOf(content: Block): CacheMark | null {
  // The type of a thinking block has no mark; one that was put there all the same is found and refused.
  const own = (content as { cache?: CacheMark }).cache ?? null
  if (own || content.type !== 'tool-result') return own
  // A tool result is one block: a mark on a part of it ends the prefix behind the whole result.
  const marks = content.content.flatMap(({ cache }) => cache ?? [])
  const mark = marks.findLast(({ from }) => from === 'cache_control')
  if (!mark) return marks.at(-1) ?? null
  return marks.some(isBreakpoint) ? { ...mark, alsoBreakpoint: true } : mark
}
