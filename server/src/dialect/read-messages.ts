// The list of messages as both dialects have it: at least one, and no more of anything than a request may hold.
import type { Message } from '../core/block.ts'
import { blocksMax, imagesMax, messagesMax } from '#contract/limits.ts'
import { bad, isObject, type Json, required } from './read-body.ts'

export function readMessages(
  body: Json,
  parseMessage: (message: Json, at: string) => Message,
): Message[] {
  const list = required(body, 'messages')
  if (!Array.isArray(list) || list.length === 0) {
    throw bad('messages', 'messages must be a list of at least one message.')
  }
  if (list.length > messagesMax) {
    throw bad('messages', `messages must have at most ${messagesMax} items.`)
  }
  const messages = list.map((message: unknown, index) => {
    const at = `messages[${index}]`
    if (!isObject(message)) throw bad('messages', `${at} must be an object.`)
    return parseMessage(message, at)
  })
  const blocks = messages.flatMap((message) => message.blocks)
  if (blocks.length > blocksMax) {
    throw bad('messages', `messages must hold at most ${blocksMax} parts in all.`)
  }
  const images = blocks
    .flatMap((block) => (block.type === 'tool-result' ? block.content : [block]))
    .filter(({ type }) => type === 'image')
  if (images.length > imagesMax) {
    throw bad('messages', `messages must hold at most ${imagesMax} images.`)
  }
  return messages
}
