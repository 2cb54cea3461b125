// The public catalog, and for a key the deployments that it may call, in the envelope of whichever SDK asks.
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { ModelRow } from '#contract/model.ts'
import { bearerToken } from '../../account/identify-caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { modelPage, type ModelPageQuery } from './model-page.ts'

export function modelRoutes(server: FastifyInstance, app: App): void {
  server.get<{ Querystring: ModelPageQuery }>('/v1/models', async ({ headers, query }) => {
    const data = [...app.catalog.rows, ...(await deploymentsOf(app, headers))]
    // Clients of either dialect may send a key in either header, so the version alone decides.
    if (headers['anthropic-version'] === undefined) return { object: 'list', data }
    return modelPage(data, query)
  })

  // Slugs may hold slashes, raw or encoded.
  server.get<{ Params: { '*': string } }>('/v1/models/*', async ({ params, headers }) => {
    const isNamed = ({ id }: ModelRow): boolean => id === params['*']
    const row = app.catalog.rows.find(isNamed) ?? (await deploymentsOf(app, headers)).find(isNamed)
    if (row) return row
    throw new Refusal('model_not_found', 'There is no such model; GET /v1/models lists them.', {
      param: 'model',
    })
  })
}

/** None for a key that is not valid: the catalog is public. */
async function deploymentsOf(app: App, headers: IncomingHttpHeaders): Promise<ModelRow[]> {
  const apiKey = headers['x-api-key']
  const secret = bearerToken(headers.authorization) ?? (typeof apiKey === 'string' ? apiKey : null)
  const caller = secret === null ? null : await app.operations.identity.callerOfSecret(secret)
  return caller ? app.calls.models.deploymentsOf(caller) : []
}
