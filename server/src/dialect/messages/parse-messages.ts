// System prompt and messages of a messages-dialect body as neutral ones.
import type { Block, CacheMark, ImageBlock, Message, TextBlock } from '../../core/block.ts'
import { partsMax } from '#contract/limits.ts'
import { grouped } from '../../lib/grouped.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { bad, field, present, unsupported } from '../read-fields.ts'
import { marked, readCacheControl, refuseThinkingMark } from '../read-cache-control.ts'
import { imageOfBytes, imageOfUrl } from '../read-image.ts'
import { readMessages } from '../read-messages.ts'

export function parseSystem(body: Json): TextBlock[] {
  const system = field(body, 'system')
  if (system === undefined) return []
  if (typeof system === 'string') {
    return system === '' ? [] : [{ type: 'text', text: system }]
  }
  if (!Array.isArray(system) || system.length > partsMax) {
    throw bad('system', 'system must be a string or a list of text blocks.')
  }
  return system.map((block: unknown, index) => textBlock(block, 'system', `system[${index}]`))
}

/** `leading` is what instructions say that stand before the conversation. */
export type Conversation = { leading: TextBlock[]; messages: Message[] }

/**
 * Instructions before the conversation are system prompt, as they are in the other dialect; later ones keep their place. Where there
 * is nothing else they are what is to be answered.
 */
export function parseMessages(body: Json): Conversation {
  const all = readMessages(body, parseMessage)
  const start = Math.max(
    0,
    all.findIndex(({ role }) => role !== 'system'),
  )
  const leading = all.slice(0, start).flatMap(({ blocks }) => blocks as TextBlock[])
  return { leading, messages: all.slice(start) }
}

function parseMessage(message: Json, at: string): Message {
  const { role } = message
  if (role === 'tool' || role === 'developer') {
    throw unsupported(
      'messages',
      `${at}.role ${role} belongs to the chat dialect; here use ${role === 'tool' ? 'a tool_result block of a user message' : 'system'}.`,
    )
  }
  for (const name of ['tool_calls', 'tool_call_id']) {
    if (present(message, name)) {
      throw unsupported(
        'messages',
        `${at}.${name} belongs to the chat dialect; here use tool_use and tool_result blocks.`,
      )
    }
  }
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw bad('messages', `${at}.role must be user, assistant or system.`)
  }
  return { role, blocks: parseContent(message, role, `${at}.content`) }
}

function parseContent(message: Json, role: Message['role'], at: string): Block[] {
  const content = field(message, 'content')
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content) || content.length > partsMax) {
    throw bad(
      'messages',
      `${at} must be a string or a list of at most ${grouped(partsMax)} blocks.`,
    )
  }
  // An answer without words is an empty list, and comes back as one.
  if (content.length === 0 && role !== 'assistant') {
    throw bad('messages', `${at} must be a string or a list of at least one block.`)
  }
  return content.flatMap((block: unknown, index) => parseBlock(block, role, `${at}[${index}]`))
}

const onlyIn: Record<string, Message['role']> = {
  image: 'user',
  tool_result: 'user',
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_addition: 'system',
  tool_removal: 'system',
}

const insteadOf = {
  image_url: 'here use image',
  input_audio: 'audio is not supported here, so send a transcript as text',
  file: 'here use a document of plain text',
}

function parseBlock(block: unknown, role: Message['role'], at: string): Block[] {
  if (!isObject(block)) throw bad('messages', `${at} must be an object.`)
  const type = typeof block.type === 'string' ? block.type : ''
  const home = Object.hasOwn(onlyIn, type) ? onlyIn[type] : undefined
  if (home !== undefined && home !== role) {
    const article = type === 'image' ? 'an' : 'a'
    throw bad(
      'messages',
      `${at}: ${article} ${type} block is only allowed in a message with role ${home}.`,
    )
  }
  switch (type) {
    case 'text':
      return [textBlock(block, 'messages', at)]
    case 'image':
      return [imageBlock(block, at)]
    case 'tool_use':
      return [toolUse(block, at)]
    case 'tool_result':
      return [toolResult(block, at)]
    case 'thinking':
      refuseThinkingMark(block)
      // Some clients leave out a text that they were shown empty; the signature has it all the same.
      return [thinking(block.thinking ?? '', block.signature, at)]
    case 'redacted_thinking':
      refuseThinkingMark(block)
      return [thinking('', block.data, at)]
    case 'document':
    case 'search_result':
      return [flattened(block, at)]
    case 'tool_addition':
      return [toolChange(block, 'can be called now', at)]
    case 'tool_removal':
      return [toolChange(block, 'cannot be called any more', at)]
    case 'image_url':
    case 'input_audio':
    case 'file':
      throw unsupported(
        'messages',
        `${at}: blocks of type ${type} belong to the chat dialect; ${insteadOf[type]}.`,
      )
    default:
      throw bad(
        'messages',
        `${at}: blocks of type ${JSON.stringify(type.slice(0, 40))} are not supported here.`,
      )
  }
}

function markOf(block: Json, param: string): CacheMark | null {
  if (present(block, 'prompt_cache_breakpoint')) {
    throw unsupported(
      param,
      'prompt_cache_breakpoint belongs to the chat dialect; here use cache_control.',
    )
  }
  return readCacheControl(block, param)
}

function textBlock(block: unknown, param: string, at: string): TextBlock {
  if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') {
    throw bad(param, `${at} must be a text block.`)
  }
  return { type: 'text', text: block.text, ...marked(markOf(block, param)) }
}

function imageBlock(block: Json, at: string): ImageBlock {
  const source = isObject(block.source) ? block.source : {}
  const mark = marked(markOf(block, 'messages'))
  if (
    source.type === 'base64' &&
    typeof source.media_type === 'string' &&
    typeof source.data === 'string'
  ) {
    return { ...imageOfBytes(source.media_type, source.data, `${at}.source`), ...mark }
  }
  if (source.type === 'url' && typeof source.url === 'string') {
    return { ...imageOfUrl(source.url, `${at}.source.url`), ...mark }
  }
  throw bad('messages', `${at}.source must be of type base64 or url.`)
}

function toolUse(block: Json, at: string): Block {
  if (typeof block.id !== 'string' || typeof block.name !== 'string' || !isObject(block.input)) {
    throw bad('messages', `${at} must have an id, a name and an input object.`)
  }
  return {
    type: 'tool-call',
    id: block.id,
    name: block.name,
    arguments: JSON.stringify(block.input),
    ...marked(markOf(block, 'messages')),
  }
}

function toolResult(block: Json, at: string): Block {
  if (typeof block.tool_use_id !== 'string') {
    throw bad('messages', `${at}.tool_use_id is missing.`)
  }
  return {
    type: 'tool-result',
    toolCallId: block.tool_use_id,
    content: toolResultContent(field(block, 'content'), `${at}.content`),
    isError: readIsError(block, at),
    ...marked(markOf(block, 'messages')),
  }
}

function readIsError(block: Json, at: string): boolean {
  const value = field(block, 'is_error') ?? false
  if (typeof value === 'boolean') return value
  throw bad('messages', `${at}.is_error must be true or false.`)
}

function toolResultContent(content: unknown, at: string): (TextBlock | ImageBlock)[] {
  if (content === undefined) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content) || content.length > partsMax) {
    throw bad('messages', `${at} must be a string or a list of blocks.`)
  }
  return content.map((part: unknown, index) => {
    const where = `${at}[${index}]`
    if (!isObject(part)) throw bad('messages', `${where} must be an object.`)
    if (part.type === 'image') return imageBlock(part, where)
    if (part.type === 'document' || part.type === 'search_result') return flattened(part, where)
    if (part.type === 'tool_reference') return toolReference(part, where)
    return textBlock(part, 'messages', where)
  })
}

/** A tool that a search among tools has found. Here every tool is in sight from the start, so that its name is all it says. */
function toolReference(part: Json, at: string): TextBlock {
  if (!isName(part.tool_name)) {
    throw bad('messages', `${at}.tool_name must be a string.`)
  }
  const text = `The tool ${part.tool_name} can be called now.`
  return { type: 'text', text, ...marked(markOf(part, 'messages')) }
}

/** A tool that comes or goes in the middle of a conversation: what is declared is in sight all along, so that it is said in words. */
function toolChange(block: Json, change: string, at: string): TextBlock {
  const tool = isObject(block.tool) ? block.tool : {}
  const { type, name, server_name: server } = tool
  const mark = marked(markOf(block, 'messages'))
  if ((type === 'tool_reference' || type === 'mcp_tool_reference') && isName(name)) {
    return { type: 'text', text: `The tool ${name} ${change}.`, ...mark }
  }
  if (type === 'mcp_toolset_reference' && isName(server)) {
    return { type: 'text', text: `The tools of ${server} ${change}.`, ...mark }
  }
  throw bad('messages', `${at}.tool must refer to a tool by its name; define tools in tools.`)
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function thinking(text: unknown, signature: unknown, at: string): Block {
  if (typeof text !== 'string') throw bad('messages', `${at}.thinking must be a string.`)
  return { type: 'thinking', text, signature: typeof signature === 'string' ? signature : '' }
}

/**
 * Documents whose text is right here are text, below what is said about it; anything to be fetched or decoded is not
 * served. A mark inside of one ends the prefix behind the whole of it, as in a tool result.
 */
function flattened(block: Json, at: string): TextBlock {
  const source = isObject(block.source) ? block.source : block
  const parts: unknown[] = Array.isArray(source.content) ? source.content : []
  const marks = parts.flatMap((part) => (isObject(part) ? (markOf(part, 'messages') ?? []) : []))
  const texts = parts.map((part) => (isObject(part) && part.type === 'text' ? part.text : null))
  const text =
    source.type === 'text'
      ? source.data
      : typeof source.content === 'string'
        ? source.content
        : texts.join('\n')
  if (typeof text !== 'string' || text === '' || texts.includes(null)) {
    throw bad(
      'messages',
      `${at}: only documents of plain text are supported; Hone does not support PDF input.`,
    )
  }
  const about = [block.title, block.source, block.context].filter(isWord)
  const mark = markOf(block, 'messages') ?? marks.at(-1) ?? null
  return { type: 'text', text: [...about, text].join('\n'), ...marked(mark) }
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
