// What an inference endpoint needs of its dialect. Neither dialect is built on the other.
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../../core/refusal.ts'
import type { CallRequest } from '../../core/request.ts'
import type { StreamPart } from '../../core/stream-part.ts'
import { parseChat, parseSchemas as parseChatSchemas } from '../../dialect/chat/parse.ts'
import { ChatCompletion } from '../../dialect/chat/render.ts'
import { renderChatError } from '../../dialect/chat/render-error.ts'
import { chatDone, chatKeepAlive, ChatStream } from '../../dialect/chat/render-stream.ts'
import { ignoredFields } from '../../dialect/ignored-fields.ts'
import { withInputsAsWritten } from '../../dialect/messages/inputs-as-written.ts'
import {
  parseMessagesBody,
  parseSchemas as parseMessagesSchemas,
} from '../../dialect/messages/parse.ts'
import { MessageAnswer } from '../../dialect/messages/render.ts'
import { renderMessagesError } from '../../dialect/messages/render-error.ts'
import { messagesPing, MessagesStream } from '../../dialect/messages/render-stream.ts'
import { ThinkingSeal } from '../../dialect/messages/thinking-seal.ts'
import { withSchemasAsWritten } from '../../dialect/schemas-as-written.ts'
import type { Json } from '../../lib/json-object.ts'

export type AnswerHead = { requestId: string; model: string; startedAt: Date }

export interface WholeAnswer {
  take(part: StreamPart): void
  /** As JSON; null when the answer has no end. */
  write(): string | null
}

export interface StreamedAnswer {
  /** What stands before the first part, and is put in words by what that is. */
  start(first: StreamPart): string
  record(part: StreamPart): string
}

/** One call as its dialect reads it and will write its answer. */
export interface DialectCall {
  request: CallRequest
  stream: boolean
  /** Names of fields that this dialect does not know. */
  ignored: readonly string[]
  whole(head: AnswerHead): WholeAnswer
  streamed(head: AnswerHead): StreamedAnswer
}

export type CallOrigin = {
  /** What the body was read from. */
  text: string
  workspaceId: string
  thinkingKey: Uint8Array
  headers: IncomingHttpHeaders
}

export interface Dialect {
  readonly name: 'chat' | 'messages'
  parse(body: Json, from: CallOrigin): DialectCall
  /** What follows the last record. */
  readonly end: string
  readonly keepAlive: string
  streamError(refusal: Refusal, requestId: string): string
}

export const chatDialect: Dialect = {
  name: 'chat',
  parse(body, from) {
    const { request, stream } = parseChat(body)
    const usageApart = wantsUsageApart(from.headers)
    const head = ({ requestId, model, startedAt }: AnswerHead) => ({
      id: `chatcmpl-${requestId}`,
      created: Math.floor(startedAt.getTime() / 1000),
      model,
    })
    return {
      request: withSchemasAsWritten(request, from.text, parseChatSchemas),
      stream,
      ignored: ignoredFields(body, 'chat'),
      whole(of) {
        const answer = new ChatCompletion()
        return { take: (part) => answer.take(part), write: () => answer.write(head(of)) }
      },
      streamed: (of) => new ChatStream(head(of), usageApart),
    }
  },
  end: chatDone,
  keepAlive: chatKeepAlive,
  // Most clients tell it by its data, which those that read line by line want first; langchain4j only by the event.
  streamError: (refusal) => `data: ${renderChatError(refusal)}\nevent: error\n\n`,
}

/**
 * OpenAI's client for Java puts a stream together only if no chunk has both the finish reason and the usage. The one that has
 * the usage has a choice all the same: code which did not ask for the usage takes the first of every chunk.
 */
function wantsUsageApart(headers: IncomingHttpHeaders): boolean {
  return headers['x-stainless-lang'] === 'java'
}

/** Clients of this dialect send the date of the one they know; every date reads the same here. */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers['anthropic-version']
  if (version === undefined || /^\d{4}-\d{2}-\d{2}$/.test(String(version))) return
  throw new Refusal(
    'invalid_value',
    'The header anthropic-version must be a date such as 2023-06-01.',
    { param: 'anthropic-version' },
  )
}

export const messagesDialect: Dialect = {
  name: 'messages',
  parse(body, from) {
    checkVersion(from.headers)
    const seal = new ThinkingSeal(from.thinkingKey, from.workspaceId)
    const { request, stream, display } = withInputsAsWritten(
      parseMessagesBody(body),
      body,
      from.text,
    )
    const head = ({ requestId, model }: AnswerHead) => ({
      id: `msg_${requestId.replaceAll('-', '')}`,
      model,
      display,
      seal,
    })
    return {
      request: seal.restore(withSchemasAsWritten(request, from.text, parseMessagesSchemas)),
      stream,
      ignored: ignoredFields(body, 'messages'),
      whole(of) {
        const answer = new MessageAnswer()
        return { take: (part) => answer.take(part), write: () => answer.write(head(of)) }
      },
      streamed(of) {
        const eager = request.tools.filter((tool) => tool.eager).map((tool) => tool.name)
        return new MessagesStream(head(of), new Set(eager))
      },
    }
  },
  end: '',
  keepAlive: messagesPing,
  streamError: (refusal, requestId) =>
    `event: error\ndata: ${renderMessagesError(refusal, requestId)}\n\n`,
}
