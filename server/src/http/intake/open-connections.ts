// The connections of a server, to close those at its end on which nobody waits for an answer. Node looks only at those that
// had a request before, and no longer at how slowly one is coming.
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { isAnswering } from '../malformed-request.ts'

/** The event loop accepts one connection in each iteration, so none waits after these many without a new one. */
const iterationsWithoutNew = 10

const open = new WeakMap<Server, Set<Socket>>()

export function rememberConnections(server: Server): void {
  const sockets = new Set<Socket>()
  open.set(server, sockets)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
}

export function hasConnections(server: Server): boolean {
  return (open.get(server)?.size ?? 0) > 0
}

/**
 * Closes the port. The system resets connections that wait to be accepted then, so these are accepted first, until `deadline` at the
 * latest. The server's own `close` would also cut connections on which a request may be on its way.
 */
export async function stopListening(server: Server, deadline: number): Promise<void> {
  let iterations = 0
  const startAgain = (): void => void (iterations = 0)
  server.on('connection', startAgain)
  for (; iterations < iterationsWithoutNew && performance.now() < deadline; iterations++) {
    await nextIteration()
  }
  server.off('connection', startAgain)
  NetServer.prototype.close.call(server)
}

export function closeUnused(server: Server): void {
  for (const socket of open.get(server) ?? []) if (!isAnswering(socket)) socket.destroy()
}
