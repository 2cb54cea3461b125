// Answers bytes that never became a request: no HTTP, too much of it, or too slow. Where no path can be read in them, the
// shape is the platform's.
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../core/refusal.ts'
import { newId } from '../lib/id.ts'
import { refusalHeaders, renderRefusal, type Surface, surfaceOf } from './surface.ts'

const answers: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are larger than this server accepts.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

/** The answers under way on each connection: more than one when a client sends its next request early. */
const answering = new WeakMap<Duplex, ServerResponse[]>()

export function rememberAnswers(server: Server): void {
  server.on('request', ({ socket }, response) => {
    if (socket.destroyed) return
    const open = answering.get(socket)
    if (!open) return void answering.set(socket, [response])
    // From its end on, because all but always there is one, which is over.
    for (let at = open.length - 1; at >= 0; at--) if (open[at]!.writableFinished) open.splice(at, 1)
    open.push(response)
  })
}

/** Some request on it is not answered to its end yet. */
export function isAnswering(socket: Duplex): boolean {
  return (answering.get(socket) ?? []).some((one) => !one.writableFinished)
}

/** Anything written now would land in the middle of an answer that is going out. */
function isInAnswer(socket: Duplex): boolean {
  const responses = answering.get(socket) ?? []
  return responses.some((one) => one.headersSent && !one.writableFinished)
}

/** What the parser was given when it gave up, and how far it came in it. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number }

export function answerMalformedRequest(error: ParserError, socket: Duplex, now: Date): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (socket.writable && !isInAnswer(socket)) {
    const [status, message] = answers[error.code ?? ''] ?? [400, 'The request is malformed.']
    const id = newId(now)
    const surface = surfaceOf(pathIn(error), {})
    const refusal = new Refusal(malformedCode(surface), message)
    const headers = { 'x-request-id': id, 'request-id': id, ...refusalHeaders(refusal) }
    socket.write(rawAnswer(status, headers, renderRefusal(surface, refusal, id)))
  }
  socket.destroy()
}

export function malformedCode(surface: Surface): 'BAD_REQUEST' | 'invalid_body' {
  return surface === 'platform' ? 'BAD_REQUEST' : 'invalid_body'
}

/** Of the last line that names one, up to where the parser stopped; a packet can begin with requests that were in order. */
function pathIn({ rawPacket, bytesParsed = 0 }: ParserError): string {
  if (!rawPacket) return ''
  const lineEnd = rawPacket.indexOf('\n', bytesParsed)
  const text = rawPacket.toString('latin1', 0, lineEnd === -1 ? rawPacket.length : lineEnd)
  return [...text.matchAll(/^\S+ (\/\S*) HTTP\//gm)].at(-1)?.[1] ?? ''
}

/** A last answer by hand, for a connection without a response object. */
export function rawAnswer(status: number, headers: Record<string, string>, body: string): string {
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
