// What happens around a body that is not read yet, or never will be.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bodyBytesSmall } from '#contract/limits.ts'

/** How long a client has to take its answer before the connection goes, when it had more to send. */
const lingerMs = 500

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** More of it is still to come; what is here already, Node drops by itself before it reads the next request. */
export function isComing({ complete, headers, readableLength }: IncomingMessage): boolean {
  return !complete && readableLength < Number(headers['content-length'] ?? Infinity)
}

/** Keeps the rest of a large body on the wire until somebody reads it, which a refusal never does. */
export function holdBody(request: IncomingMessage): void {
  const declared = Number(request.headers['content-length'] ?? 0)
  const large = request.headers['transfer-encoding'] !== undefined || declared > bodyBytesSmall / 2
  if (large && !request.complete) request.socket.pause()
}

/** Lets the body come: a client that waits to be asked is asked, unless what it declares is too large anyway. */
export function letBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
): void {
  const { expect, 'content-length': declared } = request.headers
  // An older client does not know that more than one answer can come.
  const knows = request.httpVersionMinor === 1
  const asks = knows && expect?.toLowerCase() === '100-continue' && hasBody(request)
  if (asks && Number(declared ?? 0) <= bytesMax) response.writeContinue()
  // Undoes `holdBody`, whatever the stream thinks its socket is doing.
  if (!request.complete) request.socket.resume()
}

/**
 * Closes the connection once the answer is out, without reading the rest of the body. Node would destroy the socket
 * at once, and a socket destroyed with unread bytes is reset, which can overtake the answer: so our side is closed
 * first, and the rest after the client had a moment to read.
 */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  response.setHeader('connection', 'close')
  socket.destroySoon = () => {
    request.pause()
    socket.end()
    // Node makes the stream flow after an answer, to drop what was not read. That takes a few ticks, and microtasks
    // come after all of them.
    process.nextTick(() => queueMicrotask(() => socket.pause()))
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
}
