// One log line and one metric per answer. Only names on this list are logged: no body, no query, no header.
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'

export function logRequests(server: FastifyInstance, app: App): void {
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const status = reply.raw.statusCode
    const ms = Math.round(reply.elapsedTime)
    app.metrics.requests.inc({ route, status })
    app.metrics.requestSeconds.observe({ route }, reply.elapsedTime / 1000)
    const line = {
      request_id: request.id,
      method: request.method,
      route,
      status,
      ms,
      workspace_id: request.caller?.workspace.id,
      key_id: request.caller?.key?.id,
    }
    if (status >= 500) app.log.error(line, 'request failed')
    else app.log.info(line, 'request')
  })
}
