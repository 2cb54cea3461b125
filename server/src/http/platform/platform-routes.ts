// Mounts every `/api/*` route of the contract the same way: identify, permit, read, call, render.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { platformBodyBytesMax } from '#contract/limits.ts'
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import { requirePermission, requireScope } from '../../account/caller.ts'
import type { Credentials } from '../../account/identify-caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { platformHandlers, type PlatformRouteName } from './handlers.ts'

export function platformRoutes(server: FastifyInstance, app: App): void {
  for (const record of routes as readonly Route[]) {
    if (record.path.startsWith('/api/')) mount(server, app, record)
  }
}

function mount(server: FastifyInstance, app: App, record: Route): void {
  const handler = platformHandlers[record.name as PlatformRouteName] as (
    context: unknown,
  ) => Promise<unknown>
  server.route({
    method: record.method,
    url: record.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: platformBodyBytesMax,
    // Before the body is read, so that nobody without a credential can send one.
    onRequest: async (request) => {
      await identify(app, record, request)
    },
    handler: async (request, reply) => {
      const answer = await handler({
        app,
        address: request.ip,
        params: request.params,
        query: record.query ? readPart(record.query, request.query, 'query') : undefined,
        headers: record.headers ? readPart(record.headers, request.headers, 'header') : undefined,
        body: record.body ? readPart(record.body, readJson(request.body), 'body') : undefined,
        caller: request.caller,
        session: request.session,
      })
      reply.code(record.status)
      if (record.response === null) return reply.send()
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
    },
  })
}

async function identify(app: App, record: Route, request: FastifyRequest): Promise<void> {
  const { access } = record
  if (access.kind === 'session')
    request.session = await app.identity.personOf(credentialsOf(request))
  if (access.kind !== 'caller') return
  const caller = await app.identity.callerOf(credentialsOf(request))
  request.caller = caller
  if (access.scope) requireScope(caller, access.scope)
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
    orgId: one('x-org-id'),
    workspaceId: one('x-workspace-id'),
  }
}

function readJson(body: unknown): unknown {
  const text = Buffer.isBuffer(body) ? body.toString('utf8') : ''
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not valid JSON.')
  }
}

function readPart(schema: z.ZodType, value: unknown, where: string): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = issue?.path.join('.')
  if (issue?.code === 'unrecognized_keys') {
    throw new Refusal('BAD_REQUEST', `Unknown field in the ${where}: ${issue.keys.join(', ')}.`)
  }
  throw new Refusal(
    'BAD_REQUEST',
    `${name ? `${where} field ${name}` : `The ${where}`}: ${issue?.message}.`,
  )
}
