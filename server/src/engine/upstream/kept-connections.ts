// Connections to a model server are kept between calls, and the server, or something on the way to it, may close one at the
// moment it is used again. The call is then lost although nobody has seen it; this tells such a loss from any other.
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { skipContinue } from './skip-continue.ts'

type Connector = ReturnType<typeof buildConnector>

/** Of connections on which an answer had come before. */
const losses = new WeakSet<object>()
const codes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/** Opens connections whose losses are known. */
export function keptConnector(timeoutMs: number): Connector {
  const connect = buildConnector({ timeout: timeoutMs })
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result
      if (socket) {
        watch(socket)
        skipContinue(socket)
      }
      callback(...result)
    })
}

function watch(socket: Socket): void {
  const bytesBefore = socket.bytesRead
  socket.prependListener('error', (error: Error) => {
    if (socket.bytesRead > bytesBefore) losses.add(error)
  })
}

export function isLossOfKept(error: Error): boolean {
  return losses.has(error) && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}
