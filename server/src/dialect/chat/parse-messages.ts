// The messages of a chat body as neutral ones. Tool results become blocks of a user turn, as the core has them.
import type {
  Block,
  CacheMark,
  ImageBlock,
  Message,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
} from '../../core/block.ts'
import { partsMax } from '#contract/limits.ts'
import { grouped } from '../../lib/grouped.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { bad, field, present, unsupported } from '../read-fields.ts'
import { marked, readCacheControl } from '../read-cache-control.ts'
import { imageOfUrl } from '../read-image.ts'
import { readMessages } from '../read-messages.ts'
import { spelledWhole } from '../whole-characters.ts'
import { checkArguments, requireArguments } from './check-arguments.ts'

export type Conversation = { system: TextBlock[]; messages: Message[] }

/**
 * Of a call or of an imported row. A mark on a message as a whole counts in calls alone: in what was said elsewhere nothing is
 * cached. Calls alone are sent to model servers, which take no arguments but objects.
 */
export function parseMessages(body: Json, of: 'call' | 'row'): Conversation {
  const messages = readMessages(body, (message, at) => {
    const parsed = parseMessage(message, at)
    return of === 'call' ? withMark(parsed, readCacheControl(message, 'messages')) : parsed
  })
  checkArguments(messages)
  if (of === 'call') requireArguments(messages)
  // What stands before the conversation is the system prompt; later instructions keep their place.
  const start = messages.findIndex(({ role }) => role !== 'system')
  const leading = start === -1 ? messages : messages.slice(0, start)
  return {
    system: leading.flatMap(({ blocks }) => blocks as TextBlock[]),
    messages: start === -1 ? [] : messages.slice(start),
  }
}

function parseMessage(message: Json, at: string): Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', blocks: parseContent(message, at, textOnly) }
    case 'developer':
      return { role: 'system', blocks: parseContent(message, at, textOnly).map(ofDeveloper) }
    case 'user':
      return { role: 'user', ...named(message), blocks: parseContent(message, at, textAndImages) }
    case 'assistant':
      return { role: 'assistant', ...named(message), blocks: parseAssistant(message, at) }
    case 'tool':
      return { role: 'user', blocks: [parseToolResult(message, at)] }
    default:
      throw bad('messages', `${at}.role must be system, developer, user, assistant or tool.`)
  }
}

/** Nothing else depends on a name, so one that is no text is left out and not refused. */
function named(message: Json): { name?: string } {
  const name = field(message, 'name')
  return typeof name === 'string' && name !== '' ? { name } : {}
}

/** A mark on a message, where agents put it whose content is a bare text, is one on the last of its blocks. */
function withMark(message: Message, mark: CacheMark | null): Message {
  const last = message.blocks.findLast((block) => block.type !== 'thinking')
  if (mark !== null && last && !last.cache) last.cache = mark
  return message
}

function ofDeveloper(block: TextBlock): TextBlock {
  return { ...block, developer: true }
}

function parseAssistant(message: Json, at: string): Block[] {
  const calls = parseToolCalls(message, at)
  if (calls.length === 0 && present(message, 'function_call')) {
    throw unsupported('messages', `${at}.function_call is obsolete; use tool_calls.`)
  }
  const thought = parseThought(message)
  if (isEmpty(field(message, 'content'))) {
    const refusal = parseRefusal(message)
    if (thought.length + refusal.length + calls.length > 0)
      return [...thought, ...refusal, ...calls]
    // Of an answer without words some clients keep a null.
    if (Object.hasOwn(message, 'content')) return [{ type: 'text', text: '' }]
    throw bad('messages', `${at}.content is missing.`)
  }
  const content = parseContent(message, at, assistantParts)
  // Beside calls an empty text says nothing, but a mark on it ends a prefix.
  const said = content.filter(({ text, cache }) => text !== '' || calls.length === 0 || cache)
  return [...thought, ...said, ...calls]
}

/** A trace that the client passes back, under either of the names it may have come in; anything else is ignored. */
function parseThought(message: Json): ThinkingBlock[] {
  const text = field(message, 'reasoning_content') ?? field(message, 'reasoning')
  if (typeof text !== 'string' || text === '') return []
  return [{ type: 'thinking', text, signature: '' }]
}

/** A model that refused has no other words, and the clients of this dialect pass them back as they came. */
function parseRefusal(message: Json): TextBlock[] {
  const text = field(message, 'refusal')
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
}

function parseToolCalls(message: Json, at: string): ToolCallBlock[] {
  const calls = field(message, 'tool_calls')
  if (calls === undefined) return []
  if (!Array.isArray(calls) || calls.length > partsMax) {
    throw bad('messages', `${at}.tool_calls must be a list of at most ${grouped(partsMax)} calls.`)
  }
  return calls.map((call: unknown, index) => {
    const where = `${at}.tool_calls[${index}]`
    if (!isObject(call) || typeof call.id !== 'string' || !isObject(call.function)) {
      throw bad('messages', `${where} must have an id and a function.`)
    }
    const { name, arguments: args } = call.function
    if (typeof name !== 'string' || typeof args !== 'string') {
      throw bad('messages', `${where}.function must have a name and arguments as a JSON string.`)
    }
    return { type: 'tool-call', id: call.id, name, arguments: spelledWhole(args) }
  })
}

function parseToolResult(message: Json, at: string): Block {
  if (typeof message.tool_call_id !== 'string') {
    throw bad('messages', `${at}.tool_call_id is missing.`)
  }
  return {
    type: 'tool-result',
    toolCallId: message.tool_call_id,
    // A tool may return nothing, and some clients leave out what is empty.
    content: isEmpty(field(message, 'content')) ? [] : parseContent(message, at, textAndImages),
    isError: false,
  }
}

function isEmpty(content: unknown): boolean {
  return content === undefined || (Array.isArray(content) && content.length === 0)
}

type PartReader<Part> = (part: Json, at: string) => Part

function parseContent<Part>(
  message: Json,
  at: string,
  readPart: PartReader<Part>,
): (Part | TextBlock)[] {
  const content = field(message, 'content')
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content) || content.length === 0) {
    throw bad('messages', `${at}.content must be a string or a list of parts.`)
  }
  if (content.length > partsMax) {
    throw bad('messages', `${at}.content must have at most ${grouped(partsMax)} parts.`)
  }
  return content.map((part: unknown, index) => {
    const where = `${at}.content[${index}]`
    if (!isObject(part)) throw bad('messages', `${where} must be an object.`)
    return readPart(part, where)
  })
}

const textOnly: PartReader<TextBlock> = (part, at) => {
  if (part.type !== 'text') throw unknownPart(part, at)
  if (typeof part.text !== 'string') throw bad('messages', `${at}.text must be a string.`)
  return { type: 'text', text: part.text, ...marked(readMark(part, at)) }
}

const assistantParts: PartReader<TextBlock> = (part, at) => {
  if (part.type !== 'refusal') return textOnly(part, at)
  if (typeof part.refusal !== 'string') throw bad('messages', `${at}.refusal must be a string.`)
  return { type: 'text', text: part.refusal, ...marked(readMark(part, at)) }
}

const textAndImages: PartReader<TextBlock | ImageBlock> = (part, at) => {
  if (part.type !== 'image_url') return textOnly(part, at)
  const { url, detail } = isObject(part.image_url) ? part.image_url : {}
  if (typeof url !== 'string') throw bad('messages', `${at}.image_url.url must be a string.`)
  return {
    ...imageOfUrl(url, `${at}.image_url.url`),
    ...(isDetail(detail) ? { detail } : {}),
    ...marked(readMark(part, at)),
  }
}

function isDetail(value: unknown): value is NonNullable<ImageBlock['detail']> {
  return value === 'auto' || value === 'low' || value === 'high'
}

const foreignParts = [
  'image',
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'document',
]

function unknownPart(part: Json, at: string): Error {
  const type = typeof part.type === 'string' ? part.type : ''
  if (foreignParts.includes(type)) {
    return unsupported(
      'messages',
      `${at} is a part of type ${type}, which belongs to the messages dialect; use text, image_url or tool messages.`,
    )
  }
  return bad(
    'messages',
    `${at}: parts of type ${JSON.stringify(type.slice(0, 40))} are not supported here.`,
  )
}

function readMark(part: Json, at: string): CacheMark | null {
  const mark = readCacheControl(part, 'messages')
  const breakpoint = field(part, 'prompt_cache_breakpoint')
  if (breakpoint === undefined) return mark
  if (!isObject(breakpoint) || breakpoint.mode !== 'explicit') {
    throw bad('messages', `${at}.prompt_cache_breakpoint must be {"mode": "explicit"}.`)
  }
  if (mark === null) return { ttl: '5m', from: 'prompt_cache_breakpoint' }
  return { ...mark, alsoBreakpoint: true }
}
