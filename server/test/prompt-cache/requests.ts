// Requests to cache, built from as little as a test cares about.
import type { Block, CacheMark, Message, TextBlock } from '#server/core/block.ts'
import { type CallRequest, noCachePreference, type Tool } from '#server/core/request.ts'
import type { Breakpoint, ModelCaching } from '#server/prompt-cache/place-breakpoints.ts'

export const mark5m: CacheMark = { ttl: '5m', from: 'cache_control' }
export const mark1h: CacheMark = { ttl: '1h', from: 'cache_control' }
export const openAiMark: CacheMark = { ttl: '5m', from: 'prompt_cache_breakpoint' }

export const explicit: ModelCaching = { type: 'explicit', min_tokens: 64, bills_writes: false }
export const billsWrites: ModelCaching = { type: 'automatic', min_tokens: 64, bills_writes: true }
export const automatic: ModelCaching = { type: 'automatic', min_tokens: 64, bills_writes: false }
export const noCaching: ModelCaching = { type: 'none', min_tokens: 64, bills_writes: false }

/** A text of 100 bytes, which is enough for the models above; tests count one token a byte. */
export function long(name: string): string {
  return name.padEnd(100, '.')
}

export function text(content: string, cache?: CacheMark): TextBlock {
  return { type: 'text', text: content, ...(cache ? { cache } : {}) }
}

export function tool(name: string, cache?: CacheMark): Tool {
  return {
    name,
    description: long(`what ${name} does`),
    parameters: { type: 'object', properties: { a: { type: 'string' } } },
    eager: false,
    ...(cache ? { cache } : {}),
  }
}

export function user(...blocks: (Block | string)[]): Message {
  return { role: 'user', blocks: asBlocks(blocks) }
}

export function assistant(...blocks: (Block | string)[]): Message {
  return { role: 'assistant', blocks: asBlocks(blocks) }
}

export function asking(parts: Partial<CallRequest> = {}): CallRequest {
  const request: CallRequest = {
    model: 'test',
    tools: [],
    system: [],
    messages: [user('hello')],
    toolChoice: { kind: 'auto' },
    parallelToolCalls: true,
    stop: [],
    sampling: {},
    reasoning: { kind: 'default' },
    output: { kind: 'text' },
    cache: noCachePreference,
    conversation: null,
    ...parts,
  }
  return {
    ...request,
    cache: { ...request.cache, marked: request.cache.marked || marked(request) },
  }
}

export function at(blockIndex: number, ttl: '5m' | '1h' = '5m', premium = true): Breakpoint {
  return { blockIndex, ttl, premium }
}

function asBlocks(blocks: (Block | string)[]): Block[] {
  return blocks.map((block) => (typeof block === 'string' ? text(block) : block))
}

/** As the dialects set it: true for any `cache_control`. */
function marked({ tools, system, messages, cache }: CallRequest): boolean {
  const contents = messages.flatMap(({ blocks }) => blocks)
  const inner = contents.flatMap((block) => (block.type === 'tool-result' ? block.content : []))
  return (
    cache.automatic !== null ||
    [...tools, ...system, ...contents, ...inner].some(
      (one) => 'cache' in one && one.cache?.from === 'cache_control',
    )
  )
}
