// Inputs of tools in a messages-dialect body that hold long numbers. The dialect has an input as an object, and a model is to
// see the text of it with every digit.
import type { Block, Message } from '../../core/block.ts'
import { isObject, type Json } from '../../lib/json-object.ts'
import { holdsLong, quoteLong, unquoteLong } from '../../lib/long-numbers.ts'
import { readObject } from '../read-fields.ts'
import type { MessagesCall } from './parse.ts'
import { parseMessages } from './parse-messages.ts'

/** The call that was read from a body, which was read from a text. */
export function withInputsAsWritten(call: MessagesCall, body: Json, text: string): MessagesCall {
  if (!(body.messages as Json[]).some(hasLongInput)) return call
  const { messages } = parseMessages(readObject(quoteLong(text)))
  return { ...call, request: { ...call.request, messages: messages.map(asWritten) } }
}

function hasLongInput({ content }: Json): boolean {
  if (!Array.isArray(content)) return false
  return content.some(
    (block) => isObject(block) && block.type === 'tool_use' && holdsLong(block.input),
  )
}

function asWritten(message: Message): Message {
  return { ...message, blocks: message.blocks.map(blockAsWritten) }
}

function blockAsWritten(block: Block): Block {
  if (block.type !== 'tool-call') return block
  return { ...block, arguments: unquoteLong(block.arguments) }
}
