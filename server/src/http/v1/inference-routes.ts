// The two inference endpoints: one flow, two dialects. Decides when a call counts as delivered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inferenceBodyBytesMax } from '#contract/limits.ts'
import { bearerToken } from '../../account/identify-caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { readObject } from '../../dialect/read-body.ts'
import { EngineError } from '../../engine/engine.ts'
import { type ServedCall, serveCall } from '../../inference/serve-call.ts'
import { crashPoint } from '../../lib/crash-point.ts'
import { newId } from '../../lib/id.ts'
import { asRefusal, surfaceOf } from '../surface.ts'
import { type AnswerHead, chatDialect, type Dialect, messagesDialect } from './dialect.ts'
import { endResponse, EventStream } from './event-stream.ts'

export function inferenceRoutes(server: FastifyInstance, app: App): void {
  mount(server, app, '/v1/chat/completions', chatDialect)
  mount(server, app, '/v1/messages', messagesDialect)
}

function mount(server: FastifyInstance, app: App, url: string, dialect: Dialect): void {
  server.post(url, {
    bodyLimit: inferenceBodyBytesMax,
    onRequest: async (request) => {
      await identify(app, request)
    },
    handler: async (request, reply) => {
      await answer(app, dialect, request, reply)
      return reply
    },
  })
}

async function identify(app: App, request: FastifyRequest): Promise<void> {
  const secret = bearerToken(request.headers.authorization)
  if (secret === null) {
    throw new Refusal(
      'missing_bearer_token',
      'The bearer token is missing: send your key as Authorization: Bearer; X-API-Key does not work here, and Anthropic-style clients set the header through their auth-token option.',
    )
  }
  const caller = await app.identity.callerOfSecret(secret)
  if (!caller) {
    throw new Refusal(
      'invalid_api_key',
      'The key is not valid: unknown, revoked, expired, or its creator left.',
    )
  }
  if (!caller.scopes.has('serverless')) {
    throw new Refusal('insufficient_scope', 'The key does not have the scope serverless.')
  }
  request.caller = caller
}

async function answer(
  app: App,
  dialect: Dialect,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { caller } = request
  if (!caller) throw new Error('an inference request reached its handler without a caller')
  const body = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
  const parsed = dialect.parse(readObject(body))
  const startedAt = app.clock.now()
  const requestId = newId(startedAt)
  const abort = new AbortController()
  const gone = (): void => abort.abort()
  reply.raw.once('close', gone)
  app.calls.add(abort)
  let served: ServedCall | null = null
  try {
    served = await serveCall(app, caller, parsed.request, {
      requestId,
      clientRequestId: request.id,
      startedAt,
      signal: abort.signal,
    })
    const head: AnswerHead = { requestId, model: served.model, startedAt }
    const deliver = parsed.stream ? deliverStream : deliverWhole
    const delivered = await deliver(dialect, served, head, request, reply)
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

function headersOf(served: ServedCall, request: FastifyRequest): Record<string, string> {
  return {
    'x-request-id': request.id,
    'request-id': request.id,
    ...(served.adjusted.length > 0
      ? { 'x-service-params-adjusted': served.adjusted.join(', ') }
      : {}),
    ...(served.recording.sampleId ? { 'x-loop-sample-id': served.recording.sampleId } : {}),
  }
}

async function deliverWhole(
  dialect: Dialect,
  served: ServedCall,
  head: AnswerHead,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const whole = dialect.whole(head)
  for await (const part of served.parts) whole.take(part)
  const rendered = whole.render()
  if (!rendered) throw new EngineError('broken', 'The model stopped in the middle of its answer.')
  reply.hijack()
  const body = JSON.stringify(rendered)
  reply.raw.writeHead(200, {
    ...headersOf(served, request),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  crashPoint('first-byte')
  return endResponse(reply.raw, body)
}

async function deliverStream(
  dialect: Dialect,
  served: ServedCall,
  head: AnswerHead,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const records = dialect.stream(head)
  const stream = new EventStream(reply.raw, headersOf(served, request), dialect.keepAlive)
  let started = false
  try {
    for await (const part of served.parts) {
      const start = started ? '' : records.start()
      started = true
      const text = start + records.record(part)
      if (!reply.sent) reply.hijack()
      if (part.type === 'finish') return await stream.end(text + dialect.end)
      await stream.write(text)
      crashPoint('first-byte')
    }
    throw new EngineError('broken', 'The model stopped in the middle of its answer.')
  } catch (error) {
    stream.stop()
    if (!stream.begun) throw error
    const refusal = asInferenceRefusal(error, request)
    await stream.end(dialect.streamError(refusal, request.id))
    return false
  } finally {
    stream.stop()
  }
}

export function asInferenceRefusal(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof EngineError)
    return new Refusal('upstream_failed', error.message, { cause: error })
  return asRefusal(error, surfaceOf(request.url, request.headers))
}
