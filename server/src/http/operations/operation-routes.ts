// Liveness, readiness, metrics and the API's description.
import type { FastifyInstance } from 'fastify'
import { anyOrgExists } from '../../account/account-store.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { docsPage } from './docs-page.ts'
import { openapiDocument } from './openapi.ts'

export function operationRoutes(server: FastifyInstance, app: App, version: string): void {
  const document = openapiDocument(version)
  const documentText = JSON.stringify(document)
  const page = docsPage(document)

  server.get('/healthz', async () => ({ status: 'ok' }))

  server.get('/readyz', async () => {
    if (app.closing) throw new Refusal('UNAVAILABLE', 'Shutting down.', { retryAfterSeconds: 5 })
    // The port is open a moment before a first start has made its owner, whose key would be refused until then.
    if (!(await anyOrgExists(app.storage.db))) {
      throw new Refusal('UNAVAILABLE', 'Still starting.', { retryAfterSeconds: 1 })
    }
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
