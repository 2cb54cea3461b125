// What the framework serves of inference: counting tokens, and the two endpoints for the rare request that does not name
// their path letter by letter and so was not taken ahead of it.
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { withTextBodies } from '../intake/intake.ts'
import type { BodyReader } from '../intake/read-body.ts'
import { countTokensRoute } from './count-tokens.ts'
import type { Endpoint } from './inference-endpoint.ts'

export function inferenceRoutes(
  server: FastifyInstance,
  app: App,
  bodies: BodyReader,
  endpoints: ReadonlyMap<string, Endpoint>,
): void {
  for (const [path, serve] of endpoints) {
    server.post(path, {
      config: { logsItself: true },
      // Before the body: the endpoint reads it, and answers, on its own.
      onRequest: (request, reply) => {
        reply.hijack()
        serve(request.raw, reply.raw)
      },
      handler: () => {},
    })
  }
  withTextBodies(server, bodies, (scope) => countTokensRoute(scope, app))
}
