// Writes an answer to its client, whole or as a stream, and says whether it was delivered: true only once the last
// byte was handed to the operating system.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EngineError } from '../../engine/engine.ts'
import type { ServedCall } from '../../inference/serve-call.ts'
import { crashPoint } from '../../lib/crash-point.ts'
import { asRefusal, surfaceOf } from '../surface.ts'
import type { Dialect, StreamedAnswer, WholeAnswer } from './dialect.ts'
import { endResponse, EventStream } from './event-stream.ts'

export async function deliverWhole(
  whole: WholeAnswer,
  served: ServedCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  for await (const part of served.parts) whole.take(part)
  const rendered = whole.render()
  if (!rendered) throw cutShort()
  const body = JSON.stringify(rendered)
  reply.hijack()
  reply.raw.writeHead(200, {
    ...answerHeaders(served, request),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  crashPoint('first-byte')
  return endResponse(reply.raw, body)
}

export async function deliverStream(
  dialect: Dialect,
  records: StreamedAnswer,
  served: ServedCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const stream = new EventStream(reply.raw, dialect.keepAlive, () => {
    reply.hijack()
    return answerHeaders(served, request)
  })
  let started = false
  try {
    for await (const part of served.parts) {
      const start = started ? '' : records.start(part.type === 'prompt' ? part.usage : null)
      started = true
      const text = start + records.record(part)
      if (part.type === 'finish') return await stream.end(text + dialect.end)
      await stream.write(text)
      crashPoint('first-byte')
    }
    throw cutShort()
  } catch (error) {
    stream.stop()
    // Nothing was sent yet, so this is still a plain error with a status of its own.
    if (!stream.begun) throw error
    const refusal = asRefusal(error, surfaceOf(request.url, request.headers))
    await stream.end(dialect.streamError(refusal, request.id))
    return false
  }
}

function cutShort(): EngineError {
  return new EngineError('broken', 'The model stopped in the middle of its answer.')
}

function answerHeaders(served: ServedCall, request: FastifyRequest): Record<string, string> {
  return {
    'x-request-id': request.id,
    'request-id': request.id,
    'x-content-type-options': 'nosniff',
    ...served.headers,
  }
}
