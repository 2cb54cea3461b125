// One log line and one metric per answer. Only what is named here is logged: no body, no query, no header.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'

export function logRequests(server: FastifyInstance, app: App): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { url: route = 'unknown' } = request.routeOptions
    const startedMs = app.clock.monotonicMs()
    // The framework's own hook for this does not hear of clients that leave early.
    reply.raw.once('close', log)
    done()

    function log(): void {
      const { id, method, caller, serverWords } = request
      const ms = app.clock.monotonicMs() - startedMs
      const status = loggedStatus(reply.raw)
      logAnswer(app, { id, method, route, status, ms, caller, serverWords })
    }
  })
}

/** In logs and metrics only, for a client that left before it was told anything. */
const clientLeft = 499

/** Of a response that has closed. */
export function loggedStatus({ headersSent, statusCode }: ServerResponse): number {
  return headersSent ? statusCode : clientLeft
}

export type AnswerFacts = {
  id: string
  method: string
  route: string
  status: number
  ms: number
  caller: Caller | null
  /** Why a model server refused the request, in its own words. */
  serverWords?: string | undefined
}

export function logAnswer(app: App, facts: AnswerFacts): void {
  const { id, method, route, status, ms, caller, serverWords } = facts
  app.metrics.requests.add(route, String(status))
  app.metrics.requestSeconds.observe({ route }, ms / 1000)
  const line = {
    request_id: id,
    method,
    route,
    status,
    ms: Math.round(ms),
    workspace_id: caller?.workspace.id,
    key_id: caller?.key?.id,
    server_words: serverWords,
  }
  if (status >= 500) app.log.error(line, 'request failed')
  else app.log.info(line, 'request')
}

/** Fields of an inference body that were passed over: names only. */
export function logIgnored(app: App, id: string, fields: readonly string[]): void {
  if (fields.length > 0) app.log.info({ request_id: id, fields }, 'fields were ignored')
}
