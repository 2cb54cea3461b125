// Requests that are turned down whatever their path, by HTTP itself or because Hone is not ready for any. Node would answer
// them with a bare status or not at all; here they get an error in the shape of their path, an id and a line in the log, as
// everybody does.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { App } from '../app.ts'
import { Refusal } from '../core/refusal.ts'
import { malformedCode, rawAnswer } from './malformed-request.ts'
import { logAnswer } from './log-requests.ts'
import { requestIdOf } from './request-id.ts'
import { notFound } from './not-found.ts'
import { sendRefusal } from './send-refusal.ts'
import { refusalHeaders, renderRefusal, type Surface, surfaceOf } from './surface.ts'

/** What is wrong with the headers that name the host; null when nothing is (RFC 9112, section 3.2). */
export function hostProblem({ rawHeaders, httpVersionMinor }: IncomingMessage): string | null {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts === 1) return null
  if (hosts > 1) return 'The header Host was sent more than once.'
  // Of the versions served here only HTTP/1.1 asks for one.
  return httpVersionMinor === 1 ? 'The header Host is missing.' : null
}

export function refuseHost(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  problem: string,
): void {
  refuseMalformed(app, request, response, problem)
}

export function refuseAddress(app: App, request: IncomingMessage, response: ServerResponse): void {
  refuseMalformed(app, request, response, 'The URL of the request is malformed.')
}

const openingRetrySeconds = 2

/** For as long as the database has not been reached: nothing can be known of a key, a wallet or an id, so nothing is said of them. */
export function refuseOpening(app: App, request: IncomingMessage, response: ServerResponse): void {
  refuse(
    app,
    request,
    response,
    (surface) =>
      new Refusal(
        surface === 'platform' ? 'UNAVAILABLE' : 'unavailable',
        'Hone is starting and has not reached its database yet; try again in a moment.',
        { retryAfterSeconds: openingRetrySeconds },
      ),
  )
}

export function answerProtocolEdges(server: Server, app: App): void {
  server.on('checkExpectation', (request, response) => {
    const asked = read(app, request)
    const refusal = new Refusal(
      asked.surface === 'platform' ? 'EXPECTATION_FAILED' : 'expectation_failed',
      'The header Expect must be 100-continue or be left out.',
    )
    sendRefusal(refusal, asked, request, response)
    log(app, request, refusal, asked.id)
  })
  // What a proxy is asked; nothing here is one, and there is no response object to say it with.
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const { surface, id } = read(app, request)
    const refusal = notFound(request.url ?? '', 'CONNECT', surface)
    const headers = { 'x-request-id': id, 'request-id': id, ...refusalHeaders(refusal) }
    socket.on('error', () => {})
    socket.write(rawAnswer(refusal.status, headers, renderRefusal(surface, refusal, id)))
    socket.destroy()
    log(app, request, refusal, id)
  })
}

function refuseMalformed(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  message: string,
): void {
  refuse(app, request, response, (surface) => new Refusal(malformedCode(surface), message))
}

function refuse(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  why: (surface: Surface) => Refusal,
): void {
  const asked = read(app, request)
  const refusal = why(asked.surface)
  sendRefusal(refusal, asked, request, response)
  log(app, request, refusal, asked.id)
}

function read(app: App, { url = '', headers }: IncomingMessage): { surface: Surface; id: string } {
  return {
    surface: surfaceOf(url, headers),
    id: requestIdOf(headers['x-request-id'], app.clock.now()),
  }
}

function log(app: App, { method = '' }: IncomingMessage, { status }: Refusal, id: string): void {
  logAnswer(app, { id, method, route: 'unknown', status, ms: 0, caller: null })
}
