// The request as engines that cache by marks are to see it: a mark on each block where a breakpoint is in force, whoever
// placed it, and none anywhere else.
import type { Block, CacheMark } from '../core/block.ts'
import type { CallRequest } from '../core/request.ts'
import type { Breakpoint, Ttl } from './place-breakpoints.ts'

export function markPrompt(request: CallRequest, breakpoints: readonly Breakpoint[]): CallRequest {
  if (breakpoints.length === 0 && !request.cache.marked) return request
  const ttls = new Map(breakpoints.map(({ blockIndex, ttl }) => [blockIndex, ttl]))
  // In the order of `promptBlocks`.
  let index = 0
  return {
    ...request,
    tools: request.tools.map((tool) => withMark(tool, ttls.get(index++))),
    system: request.system.map((block) => withMark(block, ttls.get(index++))),
    messages: request.messages.map((message) => {
      const first = index
      index += Math.max(1, message.blocks.length)
      const blocks = message.blocks.map((block, at) => markBlock(block, ttls.get(first + at)))
      return { ...message, blocks }
    }),
  }
}

function markBlock(block: Block, ttl: Ttl | undefined): Block {
  switch (block.type) {
    case 'thinking':
      return block
    case 'tool-result': {
      const content = block.content.map((part) => withMark(part, undefined))
      return withMark({ ...block, content }, ttl)
    }
    default:
      return withMark(block, ttl)
  }
}

function withMark<Of extends { cache?: CacheMark }>(holder: Of, ttl: Ttl | undefined): Of {
  if (ttl !== undefined) return { ...holder, cache: { ttl, from: 'cache_control' } }
  if (!holder.cache) return holder
  const { cache: _, ...rest } = holder
  return rest as Of
}
