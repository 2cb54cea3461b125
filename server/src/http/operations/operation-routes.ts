// Liveness, readiness, metrics and the API's description.
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { docsPage } from './docs-page.ts'
import { openapiDocument } from './openapi.ts'

export function operationRoutes(server: FastifyInstance, app: App, version: string): void {
  const document = openapiDocument(version)
  const documentText = JSON.stringify(document)
  const page = docsPage(document)

  server.get('/healthz', async () => ({ status: 'ok' }))

  // Nobody has to say who they are to ask this, so however many ask at once, the database is asked once.
  let checking: Promise<void> | null = null
  server.get('/readyz', async () => {
    if (app.operations.closing)
      throw new Refusal('UNAVAILABLE', 'Shutting down.', { retryAfterSeconds: 5 })
    if (app.operations.opening)
      throw new Refusal('UNAVAILABLE', 'Still starting.', { retryAfterSeconds: 1 })
    checking ??= app.storage.pool.checkWritable().finally(() => {
      checking = null
    })
    await checking
    return { status: 'ok' }
  })

  server.get('/metrics', async (_, reply) => {
    reply.type(app.metrics.registry.contentType)
    return app.metrics.registry.metrics()
  })

  server.get('/openapi.json', async (_, reply) => reply.type('application/json').send(documentText))

  server.get('/docs', async (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page),
  )
}
