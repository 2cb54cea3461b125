// Wires what stands between the wire and the routes: connections, `Expect`, and how inference bodies are read.
import type { FastifyInstance } from 'fastify'
import { connectionsPerAddressDefault } from '#contract/limits.ts'
import { capConnections, type ConnectionOptions } from './cap-connections.ts'
import type { BodyOptions, BodyReader } from './read-body.ts'
import { letBody, holdBody } from './unread-body.ts'

export type IntakeOptions = {
  body?: Partial<BodyOptions>
  connections?: Partial<ConnectionOptions>
}

/** For the whole server. */
export function guardConnections(server: FastifyInstance, options: IntakeOptions): void {
  capConnections(server.server, {
    perAddressMax: connectionsPerAddressDefault,
    ...options.connections,
  })
  // Without this, Node asks for the body before anybody has looked at the request.
  server.server.on('checkContinue', (request, response) => {
    server.server.emit('request', request, response)
  })
  server.addHook('onRequest', (request, _reply, done) => {
    holdBody(request.raw)
    done()
  })
  server.addHook('preParsing', (request, reply, _payload, done) => {
    letBody(request.raw, reply.raw, request.routeOptions.bodyLimit)
    done()
  })
}

/** Routes made inside get their body as text, read and bounded after their `onRequest` hooks have let it pass. */
export function withTextBodies(
  server: FastifyInstance,
  reader: BodyReader,
  routes: (scope: FastifyInstance) => void,
): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.addHook('preValidation', async (request, reply) => {
      const owner = request.caller?.workspace.id ?? ''
      request.body = await reader.read(request.raw, reply.raw, owner)
    })
    routes(scope)
  })
}
