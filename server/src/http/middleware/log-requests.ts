// One log line and one metric per answer. Only names on this list are logged: no body, no query, no header.
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is served on the bare request, and logged there. */
    logsItself?: boolean
  }
}

export function logRequests(server: FastifyInstance, app: App): void {
  server.addHook('onResponse', async (request, reply) => {
    if (request.routeOptions.config.logsItself) return
    logAnswer(app, {
      id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.raw.statusCode,
      ms: reply.elapsedTime,
      caller: request.caller,
    })
  })
}

export type AnswerFacts = {
  id: string
  method: string
  route: string
  status: number
  ms: number
  caller: Caller | null
}

export function logAnswer(app: App, { id, method, route, status, ms, caller }: AnswerFacts): void {
  app.metrics.requests.inc({ route, status })
  app.metrics.requestSeconds.observe({ route }, ms / 1000)
  const line = {
    request_id: id,
    method,
    route,
    status,
    ms: Math.round(ms),
    workspace_id: caller?.workspace.id,
    key_id: caller?.key?.id,
  }
  if (status >= 500) app.log.error(line, 'request failed')
  else app.log.info(line, 'request')
}
