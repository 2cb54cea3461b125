// What holds for every route that takes a model's prompt: its caller is known before its body is read, and its body is read
// under every content type.
import type { FastifyRequest } from 'fastify'
import { inferenceBodyBytesMax } from '#contract/limits.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { TickBatch } from '../../lib/tick-batch.ts'
import { isComing } from '../intake/unread-body.ts'
import { identifyInference } from './identify-inference.ts'

/** Requests that arrived in the same tick continue together. */
const arrived = new TickBatch()

export function beforeBody(app: App) {
  return {
    bodyLimit: inferenceBodyBytesMax,
    async onRequest(request: FastifyRequest): Promise<void> {
      await arrived.nextBatch()
      request.caller = await identifyInference(app, request.raw.headers)
      request.admittedEarly = isComing(request.raw)
      // The framework would refuse some content types.
      request.raw.headers['content-type'] = undefined
    },
  }
}

/** A body may be hours on its way, and its key be revoked meanwhile. */
export async function callerAfterBody(app: App, request: FastifyRequest): Promise<Caller> {
  if (request.admittedEarly) request.caller = await identifyInference(app, request.raw.headers)
  if (!request.caller) throw new Error('a request reached its handler without a caller')
  return request.caller
}
