// From a chat-completions body to the neutral request. Wire names stop here.
import type { Message, TextBlock } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'
import * as read from '../read-body.ts'
import type { Json } from '../read-body.ts'

export type ChatCall = { request: CallRequest; stream: boolean }

/** Fields of the messages dialect, with what to use instead. */
const foreign = {
  system: 'a message with role system',
  thinking: 'reasoning_effort',
  output_config: 'reasoning_effort or response_format',
  stop_sequences: 'stop',
}

const unserved = ['tools', 'functions', 'function_call', 'response_format', 'reasoning_effort']

export function parseChat(body: Json): ChatCall {
  read.refuseForeign(body, foreign, 'messages')
  const model = read.requiredString(body, 'model')
  const messages = read.requiredMessages(body)
  read.refuseUnserved(body, unserved)
  read.optionalNumber(body, 'n', { min: 1, max: 1, whole: true })
  const whole = { min: 1, max: 1_000_000_000, whole: true }
  const maxTokens =
    read.optionalNumber(body, 'max_completion_tokens', whole) ??
    read.optionalNumber(body, 'max_tokens', whole)
  const temperature = read.optionalNumber(body, 'temperature', { min: 0, max: 2 })
  const topP = read.optionalNumber(body, 'top_p', { min: 0, max: 1 })
  const seed = read.optionalNumber(body, 'seed', {
    min: Number.MIN_SAFE_INTEGER,
    max: Number.MAX_SAFE_INTEGER,
    whole: true,
  })
  const parsed = messages.map(parseMessage)
  return {
    stream: read.optionalBoolean(body, 'stream') ?? false,
    request: {
      model,
      tools: [],
      system: parsed
        .filter(({ role }) => role === 'system')
        .flatMap(({ blocks }) => blocks as TextBlock[]),
      messages: parsed.filter(({ role }) => role !== 'system'),
      toolChoice: { kind: 'auto' },
      parallelToolCalls: true,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      stop: read.optionalStrings(body, 'stop', 16),
      sampling: {
        ...(temperature === undefined ? {} : { temperature }),
        ...(topP === undefined ? {} : { topP }),
        ...(seed === undefined ? {} : { seed }),
      },
      reasoning: { kind: 'default' },
      output: { kind: 'text' },
    },
  }
}

const roles: Record<string, Message['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
}

function parseMessage(message: Json, index: number): Message {
  const at = `messages[${index}]`
  const role =
    typeof message.role === 'string' && Object.hasOwn(roles, message.role)
      ? roles[message.role]
      : undefined
  if (!role) throw read.bad('messages', `${at}.role must be system, user or assistant.`)
  if (read.present(message, 'tool_calls')) {
    throw read.bad('messages', `${at}.tool_calls is not supported by this server.`)
  }
  return { role, blocks: parseContent(message.content, at) }
}

function parseContent(content: unknown, at: string): TextBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) {
    throw read.bad('messages', `${at}.content must be a text or a list of parts.`)
  }
  return content.map((part: unknown, index) => {
    if (read.isObject(part) && part.type === 'text' && typeof part.text === 'string') {
      return { type: 'text', text: part.text }
    }
    throw read.bad('messages', `${at}.content[${index}] must be a part of type text.`)
  })
}
