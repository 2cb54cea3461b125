// From a messages-dialect body to the neutral request. Wire names stop here.
import type { Message, TextBlock } from '../../core/block.ts'
import type { CallRequest } from '../../core/request.ts'
import * as read from '../read-body.ts'
import type { Json } from '../read-body.ts'

export type MessagesCall = { request: CallRequest; stream: boolean }

/** Fields of the chat dialect, with what to use instead. */
const foreign = {
  max_completion_tokens: 'max_tokens',
  reasoning_effort: 'output_config.effort',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  response_format: 'output_config.format',
  stop: 'stop_sequences',
  stream_options: 'nothing: usage is always sent',
  n: 'one call per answer',
  user: 'metadata.user_id',
  functions: 'tools',
  function_call: 'tool_choice',
}

const unserved = ['tools', 'thinking', 'output_config']

export function parseMessages(body: Json): MessagesCall {
  read.refuseForeign(body, foreign, 'chat-completions')
  const model = read.requiredString(body, 'model')
  const messages = read.requiredMessages(body)
  read.required(body, 'max_tokens')
  read.refuseUnserved(body, unserved)
  const maxTokens = read.optionalNumber(body, 'max_tokens', {
    min: 1,
    max: 1_000_000_000,
    whole: true,
  })
  const temperature = read.optionalNumber(body, 'temperature', { min: 0, max: 2 })
  const topP = read.optionalNumber(body, 'top_p', { min: 0, max: 1 })
  const topK = read.optionalNumber(body, 'top_k', { min: 0, max: 1_000_000, whole: true })
  const parsed = messages.map(parseMessage)
  return {
    stream: read.optionalBoolean(body, 'stream') ?? false,
    request: {
      model,
      tools: [],
      system: [
        ...(read.present(body, 'system') ? parseContent(body.system, 'system', 'system') : []),
        ...parsed
          .filter(({ role }) => role === 'system')
          .flatMap(({ blocks }) => blocks as TextBlock[]),
      ],
      messages: parsed.filter(({ role }) => role !== 'system'),
      toolChoice: { kind: 'auto' },
      parallelToolCalls: true,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      stop: read.optionalStrings(body, 'stop_sequences', 16),
      sampling: {
        ...(temperature === undefined ? {} : { temperature }),
        ...(topP === undefined ? {} : { topP }),
        ...(topK === undefined ? {} : { topK }),
      },
      reasoning: { kind: 'default' },
      output: { kind: 'text' },
    },
  }
}

function parseMessage(message: Json, index: number): Message {
  const at = `messages[${index}]`
  const { role } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw read.bad('messages', `${at}.role must be user, assistant or system.`)
  }
  return { role, blocks: parseContent(message.content, 'messages', `${at}.content`) }
}

function parseContent(content: unknown, param: string, at: string): TextBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw read.bad(param, `${at} must be a text or a list of blocks.`)
  return content.map((block: unknown, index) => {
    if (read.isObject(block) && block.type === 'text' && typeof block.text === 'string') {
      return { type: 'text', text: block.text }
    }
    throw read.bad(param, `${at}[${index}] must be a block of type text.`)
  })
}
