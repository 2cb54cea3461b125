// Answers bytes that never became a request: no HTTP, too much of it, or too slow. There is no path yet to tell
// a surface by, so the shape is the platform's.
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { newId } from '../lib/id.ts'

const answers: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are larger than this server accepts.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
}

/** The answers under way on each connection: more than one when a client sends its next request early. */
const answering = new WeakMap<Duplex, ServerResponse[]>()

export function rememberAnswers(server: Server): void {
  server.on('request', ({ socket }, response) => {
    const open = answering.get(socket)?.filter((one) => !one.writableFinished) ?? []
    answering.set(socket, [...open, response])
  })
}

/** Anything written now would land in the middle of an answer that is going out. */
function isInAnswer(socket: Duplex): boolean {
  const responses = answering.get(socket) ?? []
  return responses.some((one) => one.headersSent && !one.writableFinished)
}

export function answerMalformedRequest(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  now: Date,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  if (socket.writable && !isInAnswer(socket)) {
    const [status, message] = answers[error.code ?? ''] ?? [400, 'The request is malformed.']
    const id = newId(now)
    const body = JSON.stringify({ error: { code: 'BAD_REQUEST', message } })
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': id,
      'request-id': id,
    }
    socket.write(rawAnswer(status, headers, body))
  }
  socket.destroy()
}

/** A last answer by hand, for a connection without a response object. */
export function rawAnswer(status: number, headers: Record<string, string>, body: string): string {
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
