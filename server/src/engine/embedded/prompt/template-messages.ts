// A neutral conversation as the messages and tools that chat templates are written for.
import { shortTextCharactersMax } from '#contract/limits.ts'
import type { Block, ImageBlock, Message, TextBlock } from '../../../core/block.ts'
import type { CallRequest, Tool } from '../../../core/request.ts'
import { EngineError } from '../../engine.ts'
import { toolOutcome } from '../../tool-outcome.ts'
import type { TemplateMessage, TemplateTool, TemplateToolCall } from './chat-template.ts'

export type Conversation = Pick<CallRequest, 'tools' | 'system' | 'messages'>

/** Applied to every string that a caller wrote, and to no other. */
export type Guard = <T>(value: T) => T

export function templateMessages(conversation: Conversation, guard: Guard): TemplateMessage[] {
  const names = new Map<string, string>()
  const messages = conversation.messages.flatMap((message) => messagesOf(message, names, guard))
  const system = textOf(conversation.system)
  return system === '' ? messages : [{ role: 'system', content: guard(system) }, ...messages]
}

export function templateTools(tools: Tool[], guard: Guard): TemplateTool[] | null {
  if (tools.length === 0) return null
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name: guard(name),
      description: guard(description),
      parameters: guard(parameters),
    },
  }))
}

/** Longer ids are shown by their beginning: what no model wrote must not take longer to read than what one did. */
function shortId(id: string): string {
  return id.slice(0, shortTextCharactersMax)
}

/**
 * `names` remembers which tool each call id called, because templates show a result under that name: guarded already, as
 * thousands of results may be of one call.
 */
function messagesOf(message: Message, names: Map<string, string>, guard: Guard): TemplateMessage[] {
  const results: TemplateMessage[] = []
  const calls: TemplateToolCall[] = []
  const rest: Block[] = []
  for (const block of message.blocks) {
    if (block.type === 'tool-call') {
      const name = guard(block.name)
      names.set(block.id, name)
      calls.push({
        id: guard(shortId(block.id)),
        type: 'function',
        function: { name, arguments: guard(parsed(block.arguments)) },
      })
    } else if (block.type === 'tool-result') {
      const name = names.get(block.toolCallId)
      results.push({
        role: 'tool',
        content: guard(toolOutcome(textOf(block.content), block.isError)),
        tool_call_id: guard(shortId(block.toolCallId)),
        ...(name === undefined ? {} : { name }),
      })
    } else rest.push(block)
  }
  if (rest.length === 0 && calls.length === 0 && results.length > 0) return results
  const thinking = rest.flatMap((block) =>
    block.type === 'thinking' && block.text !== '' ? [block.text] : [],
  )
  return [
    ...results,
    {
      role: message.role,
      content: guard(textOf(rest)),
      ...(thinking.length ? { reasoning_content: guard(thinking.join('\n')) } : {}),
      ...(calls.length ? { tool_calls: calls } : {}),
    },
  ]
}

function textOf(blocks: (Block | TextBlock | ImageBlock)[]): string {
  const texts: string[] = []
  for (const block of blocks) {
    if (block.type === 'image') throw imageRefusal()
    if (block.type === 'text') texts.push(block.text)
  }
  return texts.join('\n')
}

export function imageRefusal(): EngineError {
  const sentence =
    'This model could not process image data, as it cannot see images; send text only.'
  return new EngineError('refused', sentence, { param: 'messages' })
}

/** Arguments are JSON text by contract, and none are an empty object; text that is not JSON is shown to the model as it is. */
function parsed(argumentsText: string): unknown {
  if (argumentsText.trim() === '') return {}
  try {
    return JSON.parse(argumentsText)
  } catch {
    return argumentsText
  }
}
