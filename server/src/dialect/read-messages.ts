// The list of messages as both dialects have it: at least one, and no more of anything than a request may hold.
import type { Block, Message } from '../core/block.ts'
import { imagesMax, messagesMax } from '#contract/limits.ts'
import { grouped } from '../lib/grouped.ts'
import { isObject, type Json } from '../lib/json-object.ts'
import { bad, required } from './read-fields.ts'

export function readMessages(
  body: Json,
  parseMessage: (message: Json, at: string) => Message,
): Message[] {
  const list = required(body, 'messages')
  if (!Array.isArray(list) || list.length === 0) {
    throw bad('messages', 'messages must be a list of at least one message.')
  }
  if (list.length > messagesMax) {
    throw bad('messages', `messages must have at most ${grouped(messagesMax)} items.`)
  }
  const messages = list.map((message: unknown, index) => {
    const at = `messages[${index}]`
    if (!isObject(message)) throw bad('messages', `${at} must be an object.`)
    return parseMessage(message, at)
  })
  let images = 0
  for (const { blocks } of messages) for (const block of blocks) images += imagesIn(block)
  if (images > imagesMax) {
    throw bad('messages', `messages must hold at most ${imagesMax} images.`)
  }
  return messages
}

function imagesIn(block: Block): number {
  if (block.type === 'tool-result') return block.content.filter(isImage).length
  return isImage(block) ? 1 : 0
}

function isImage({ type }: Block): boolean {
  return type === 'image'
}
