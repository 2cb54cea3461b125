// The public catalog, in the envelope of whichever SDK asks.
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'

export function modelRoutes(server: FastifyInstance, app: App): void {
  server.get('/v1/models', async (request) => {
    const data = app.catalog.rows
    // Clients that can authenticate here send no key header of their own, so the version alone decides.
    if (request.headers['anthropic-version'] === undefined) return { object: 'list', data }
    return {
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    }
  })

  // Slugs may hold slashes, raw or encoded.
  server.get<{ Params: { '*': string } }>('/v1/models/*', async (request) => {
    const slug = request.params['*']
    const row = app.catalog.rows.find((model) => model.id === slug)
    if (row) return row
    throw new Refusal('model_not_found', 'There is no such model; GET /v1/models lists them.', {
      param: 'model',
    })
  })
}
