// The two inference endpoints: one flow, two dialects.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inferenceBodyBytesMax } from '#contract/limits.ts'
import type { App } from '../../app.ts'
import type { CallRequest } from '../../core/request.ts'
import { readObject } from '../../dialect/read-body.ts'
import { type ServedCall, serveCall } from '../../inference/serve-call.ts'
import { crashPoint } from '../../lib/crash-point.ts'
import { newId } from '../../lib/id.ts'
import { type IntakeOptions, withTextBodies } from '../intake/intake.ts'
import { countTokensRoute } from './count-tokens.ts'
import { deliverStream, deliverWhole } from './deliver.ts'
import { type AnswerHead, chatDialect, type Dialect, messagesDialect } from './dialect.ts'
import { identifyInference } from './identify-inference.ts'

export function inferenceRoutes(server: FastifyInstance, app: App, intake: IntakeOptions): void {
  withTextBodies(server, intake, (scope) => {
    mount(scope, app, '/v1/chat/completions', chatDialect)
    mount(scope, app, '/v1/messages', messagesDialect)
    countTokensRoute(scope, app)
  })
}

function mount(server: FastifyInstance, app: App, url: string, dialect: Dialect): void {
  server.post(url, {
    bodyLimit: inferenceBodyBytesMax,
    onRequest: async (request) => {
      request.caller = await identifyInference(app, request)
    },
    handler: async (request, reply) => {
      await answer(app, dialect, request, reply)
      return reply
    },
  })
}

async function answer(
  app: App,
  dialect: Dialect,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { caller } = request
  if (!caller) throw new Error('an inference request reached its handler without a caller')
  const call = dialect.parse(readObject(request.body as string), {
    workspaceId: caller.workspace.id,
    thinkingKey: app.thinkingKey,
    headers: request.headers,
  })
  const startedAt = app.clock.now()
  const requestId = newId(startedAt)
  const abort = new AbortController()
  // An answer that went out whole closes too, and that is no disconnect.
  const gone = (): void => {
    if (!reply.raw.writableFinished) abort.abort()
  }
  reply.raw.once('close', gone)
  app.calls.add(abort)
  let served: ServedCall | null = null
  try {
    served = await serveCall(app, caller, inSession(call.request, request), {
      requestId,
      clientRequestId: request.id,
      startedAt,
      signal: abort.signal,
    })
    const head: AnswerHead = { requestId, model: served.model, startedAt }
    const delivered = call.stream
      ? await deliverStream(dialect, call.streamed(head), served, request, reply)
      : await deliverWhole(call.whole(head), served, request, reply)
    crashPoint('last-byte')
    if (delivered) await served.settle()
  } catch (error) {
    // A client that left is told nothing, and it is nobody's fault.
    if (!abort.signal.aborted || !reply.raw.destroyed) throw error
  } finally {
    served?.void()
    app.calls.delete(abort)
    reply.raw.off('close', gone)
  }
}

/** A conversation may also be named in a header (spec 1, conversation routing). */
function inSession(call: CallRequest, { headers }: FastifyRequest): CallRequest {
  const session = headers['x-session-id']
  if (call.conversation !== null || typeof session !== 'string' || session === '') return call
  return { ...call, conversation: session }
}
