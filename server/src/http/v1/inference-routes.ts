// The routes that take a model's prompt: the two endpoints that answer it, and the one that counts its tokens.
import type { FastifyInstance } from 'fastify'
import type { App } from '../../app.ts'
import { withTextBodies } from '../intake/intake.ts'
import type { BodyReader } from '../intake/read-body.ts'
import { countTokensRoute } from './count-tokens.ts'
import { chatDialect, messagesDialect } from './dialect.ts'
import { inferenceEndpoint } from './inference-endpoint.ts'
import type { StallWatch } from './stall-watch.ts'

export function inferenceRoutes(
  server: FastifyInstance,
  app: App,
  bodies: BodyReader,
  stalls: StallWatch,
): void {
  withTextBodies(server, bodies, (scope) => {
    inferenceEndpoint(scope, app, { path: '/v1/chat/completions', dialect: chatDialect, stalls })
    inferenceEndpoint(scope, app, { path: '/v1/messages', dialect: messagesDialect, stalls })
    countTokensRoute(scope, app)
  })
}
