// The HTTP server: what holds for every request, then the routes by surface.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { headerSeconds } from '#contract/limits.ts'
import { operationRoutes as operations } from '#contract/operations.ts'
import type { Caller } from '../account/caller.ts'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { inTurn } from './intake/in-turn.ts'
import { guardConnections, type IntakeOptions } from './intake/intake.ts'
import { rememberConnections } from './intake/open-connections.ts'
import { PlatformBodies } from './intake/platform-body.ts'
import { BodyReader } from './intake/read-body.ts'
import { closeUnread, isComing } from './intake/unread-body.ts'
import { answerMalformedRequest, rememberAnswers } from './malformed-request.ts'
import { limitStall } from './limit-stall.ts'
import { logRequests } from './log-requests.ts'
import { requestIdOf } from './request-id.ts'
import { isBrowserAtRoot, notFound } from './not-found.ts'
import { operationRoutes } from './operations/operation-routes.ts'
import { platformRoutes } from './platform/platform-routes.ts'
import {
  answerProtocolEdges,
  hostProblem,
  refuseAddress,
  refuseHost,
  refuseOpening,
} from './protocol-edges.ts'
import { requestPath } from './request-path.ts'
import { asRefusal, refusalHeaders, renderRefusal, surfaceOf } from './surface.ts'
import { inferenceRoutes } from './v1/inference-routes.ts'
import { modelRoutes } from './v1/models.ts'
import { StallWatch } from './v1/stall-watch.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What its answer goes out on, for whoever has to hear of the end of it. */
    response: ServerResponse
    caller: Caller | null
    session: { userId: string; sessionId: string } | null
    /** Why a model server refused it, for the log. */
    serverWords: string | undefined
    /** It was let in before all of its body was there. */
    admittedEarly: boolean
  }
}

/** Timeouts of connections are looked at in this interval, so the headers' one is shorter by it. */
const connectionCheckMs = 2000
const headersMs = headerSeconds * 1000 - connectionCheckMs
const keepAliveMs = 72_000

/** What can be answered without the database. */
const operationPaths: ReadonlySet<string> = new Set(operations.map(({ path }) => path))

export type ServerOptions = IntakeOptions & { clientStallMs?: number }

export function buildServer(
  app: App,
  version: string,
  options: ServerOptions = {},
): FastifyInstance {
  const bodies = new BodyReader(options.body)
  const server = Fastify({
    logger: false,
    serverFactory: (framework) => httpServer(app, framework),
    genReqId: (request) => requestIdOf(request.headers['x-request-id'], app.clock.now()),
    // Closing lets calls in flight finish; new requests on open connections are still answered meanwhile.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket) =>
      answerMalformedRequest(error, socket, app.clock.now()),
    routerOptions: { maxParamLength: 300 },
    // No hook of ours runs for these.
    frameworkErrors: (_, request, reply) => refuseAddress(app, request.raw, reply.raw),
  })
  server.decorateRequest('response')
  server.decorateRequest('caller', null)
  server.decorateRequest('session', null)
  server.decorateRequest('serverWords', undefined)
  server.decorateRequest('admittedEarly', false)
  // Bodies are read as bytes and parsed where the errors can name what is wrong.
  server.removeAllContentTypeParsers()
  const platformBodies = new PlatformBodies(options.body)
  server.addContentTypeParser('*', (request: FastifyRequest) =>
    platformBodies.read(request, request.response),
  )

  server.addHook('onRequest', async (request, reply) => {
    request.response = reply.raw
    reply.headers(answerHeaders(request.id))
    // On the bare response, because a model's answer is written to that.
    if (app.operations.closing) reply.raw.setHeader('connection', 'close')
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    // A body that was not read would stand in front of the connection's next request.
    if (isComing(request.raw)) closeUnread(request.raw, reply.raw)
    limitStall(reply.raw, options.clientStallMs)
    done()
  })
  logRequests(server, app)
  guardConnections(server, {
    ...options,
    connections: {
      perAddressMax: app.config.connectionsPerAddress,
      trustedProxies: app.config.trustedProxies,
      ...options.connections,
    },
  })
  rememberConnections(server.server)
  rememberAnswers(server.server)
  answerProtocolEdges(server.server, app)

  answerErrors(server, app)
  inferenceRoutes(server, app, bodies, new StallWatch(options.clientStallMs))
  modelRoutes(server, app)
  platformRoutes(server, app)
  operationRoutes(server, app, version)
  return server
}

/** The framework comes behind what is answered without it. */
function httpServer(app: App, framework: RequestListener): Server {
  const http = createServer(
    {
      keepAliveTimeout: keepAliveMs,
      headersTimeout: headersMs,
      requestTimeout: 0,
      connectionsCheckingInterval: connectionCheckMs,
      // Asked for below, and refused in the shape of the path.
      requireHostHeader: false,
    },
    inTurn((request, response) => {
      const problem = hostProblem(request)
      if (problem !== null) return refuseHost(app, request, response, problem)
      if (app.operations.opening && !operationPaths.has(requestPath(request.url ?? ''))) {
        return refuseOpening(app, request, response)
      }
      framework(request, response)
    }),
  )
  http.setTimeout(0)
  return http
}

function answerErrors(server: FastifyInstance, app: App): void {
  server.setErrorHandler((error, request, reply) => {
    const surface = surfaceOf(request.url, request.headers)
    // Whatever else is wrong with it: that nothing takes it comes first.
    const refusal = request.is404
      ? notFound(request.url, request.method, surface)
      : asRefusal(error, surface)
    // That Hone is starting or stopping is no failure, however often it is asked for.
    const isMeant = error instanceof Refusal && (app.operations.opening || app.operations.closing)
    if (refusal.status >= 500 && !isMeant) {
      app.log.error({ request_id: request.id, err: refusal.detail.cause ?? error }, refusal.message)
    }
    return reply
      .code(refusal.status)
      .headers(refusalHeaders(refusal))
      .send(renderRefusal(surface, refusal, request.id))
  })
  server.setNotFoundHandler((request, reply) => {
    if (isBrowserAtRoot(request)) return reply.redirect('/docs')
    throw notFound(request.url, request.method, surfaceOf(request.url, request.headers))
  })
}

function answerHeaders(requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'request-id': requestId,
    'x-content-type-options': 'nosniff',
    // Caches on the way tell callers apart by Authorization, and know nothing of X-API-Key.
    'cache-control': 'no-store',
  }
}
