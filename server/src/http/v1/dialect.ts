// What an inference endpoint needs of its dialect. Neither dialect is built on the other.
import type { CallRequest } from '../../core/request.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { parseChat } from '../../dialect/chat/parse.ts'
import { ChatCompletion } from '../../dialect/chat/render.ts'
import { renderChatError } from '../../dialect/chat/render-error.ts'
import { chatDone, chatKeepAlive, ChatStream } from '../../dialect/chat/render-stream.ts'
import { parseMessages } from '../../dialect/messages/parse.ts'
import { MessageAnswer } from '../../dialect/messages/render.ts'
import { renderMessagesError } from '../../dialect/messages/render-error.ts'
import { messagesPing, MessagesStream } from '../../dialect/messages/render-stream.ts'
import type { Json } from '../../dialect/read-body.ts'

export type AnswerHead = { requestId: string; model: string; startedAt: Date }

export interface Dialect {
  parse(body: Json): { request: CallRequest; stream: boolean }
  whole(head: AnswerHead): { take(part: StreamPart): void; render(): object | null }
  stream(head: AnswerHead): { start(): string; record(part: StreamPart): string }
  /** What follows the last record. */
  readonly end: string
  readonly keepAlive: string
  streamError(refusal: Refusal, requestId: string): string
}

const chatHead = ({ requestId, model, startedAt }: AnswerHead) => ({
  id: `chatcmpl-${requestId}`,
  created: Math.floor(startedAt.getTime() / 1000),
  model,
})

export const chatDialect: Dialect = {
  parse: parseChat,
  whole(head) {
    const answer = new ChatCompletion()
    return { take: (part) => answer.take(part), render: () => answer.render(chatHead(head)) }
  },
  stream: (head) => new ChatStream(chatHead(head)),
  end: chatDone,
  keepAlive: chatKeepAlive,
  streamError: (refusal) => `data: ${renderChatError(refusal)}\n\n`,
}

const messageHead = ({ requestId, model }: AnswerHead) => ({
  id: `msg_${requestId.replaceAll('-', '')}`,
  model,
})

export const messagesDialect: Dialect = {
  parse: parseMessages,
  whole(head) {
    const answer = new MessageAnswer()
    return { take: (part) => answer.take(part), render: () => answer.render(messageHead(head)) }
  },
  stream: (head) => new MessagesStream(messageHead(head)),
  end: '',
  keepAlive: messagesPing,
  streamError: (refusal, requestId) =>
    `event: error\ndata: ${renderMessagesError(refusal, requestId)}\n\n`,
}
