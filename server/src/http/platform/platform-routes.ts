// Mounts every `/api/*` route of the contract the same way: identify, permit, read, call, render.
import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { platformBodyBytesMax } from '#contract/limits.ts'
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import { requirePermission, requireScope } from '../../account/caller.ts'
import type { Credentials } from '../../account/identify-caller.ts'
import type { App } from '../../app.ts'
import { jsonLimits } from '../../core/json-limits.ts'
import { readPart } from '../../core/read-part.ts'
import { Refusal } from '../../core/refusal.ts'
import { jsonFaultText } from '../../lib/json-fault.ts'
import { JsonGuard } from '../../lib/json-guard.ts'
import { clientAddress } from '../client-address.ts'
import { isComing } from '../intake/unread-body.ts'
import type { PlatformRouteName } from './handler.ts'
import { platformHandlers } from './handlers.ts'
import { importRoutes } from './import-routes.ts'
import { refuseUnlessPausing, refuseWhileLoopIsOff } from './loop-switch.ts'

export function platformRoutes(server: FastifyInstance, app: App): void {
  for (const record of routes as readonly Route[]) {
    if (record.path.startsWith('/api/') && !record.rows) mount(server, app, record)
  }
  importRoutes(server, app, { admit, admitAgain })
}

/** A misspelled parameter would otherwise answer as if it had been left out. */
const noQuery = z.strictObject({})

function mount(server: FastifyInstance, app: App, record: Route): void {
  const handler = platformHandlers[record.name as PlatformRouteName] as (
    context: unknown,
  ) => Promise<unknown>
  server.route({
    method: record.method,
    url: record.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: record.bodyBytesMax ?? platformBodyBytesMax,
    onRequest: (request) => admit(app, record, request),
    handler: async (request, reply) => {
      await admitAgain(app, record, request)
      const body = record.body ? readJson(request.body) : undefined
      refuseUnlessPausing(app, record, body)
      const context = {
        app,
        address: clientAddress(request.raw, app.config.trustedProxies),
        params: request.params,
        query: readPart(record.query ?? noQuery, request.query, 'query'),
        headers: record.headers ? readPart(record.headers, request.headers, 'header') : undefined,
        body: record.body ? readPart(record.body, body, 'body') : undefined,
        caller: request.caller,
        session: request.session,
      }
      const answer = await handler(context)
      const { instead } = record
      reply.code(instead?.asked(context.body) ? instead.status : record.status)
      if (record.response === null) return reply.send()
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
    },
  })
}

/** Before the body is read, so that nobody without a credential can send one. */
async function admit(app: App, record: Route, request: FastifyRequest): Promise<void> {
  await identify(app, record, request)
  refuseWhileLoopIsOff(app, record)
  request.admittedEarly = isComing(request.raw)
}

/** A body may be minutes on its way, and who sends it may have lost meanwhile what let them in. */
async function admitAgain(app: App, record: Route, request: FastifyRequest): Promise<void> {
  if (request.admittedEarly) await identify(app, record, request)
}

async function identify(app: App, record: Route, request: FastifyRequest): Promise<void> {
  const { access } = record
  if (access.kind === 'session')
    request.session = await app.operations.identity.personOf(credentialsOf(request))
  if (access.kind !== 'caller') return
  const caller = await app.operations.identity.callerOf(credentialsOf(request))
  request.caller = caller
  if (access.scope) requireScope(caller, access.scope, access.orScope)
  if (access.permission) requirePermission(caller, access.permission)
}

function credentialsOf(request: FastifyRequest): Credentials {
  const one = (name: string): string | undefined => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    apiKey: one('x-api-key'),
    authorization: one('authorization'),
    orgId: one('x-org-id')?.toLowerCase(),
    workspaceId: one('x-workspace-id')?.toLowerCase(),
  }
}

/** Above this, reading a hostile body could hold up the others. */
const heavyBytes = 64 * 1024

function readJson(body: unknown): unknown {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0)
  const fault = bytes.length > heavyBytes ? new JsonGuard(jsonLimits).push(bytes) : null
  if (fault !== null) throw new Refusal('BAD_REQUEST', `${jsonFaultText(fault, jsonLimits)}.`)
  if (bytes.length === 0) {
    throw new Refusal('BAD_REQUEST', 'The body is empty; send a JSON object.')
  }
  // Decoding would put the same character for all bytes that are none.
  if (!isUtf8(bytes)) {
    throw new Refusal('BAD_REQUEST', 'The body is not valid JSON: it is not UTF-8.')
  }
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not valid JSON.')
  }
}
