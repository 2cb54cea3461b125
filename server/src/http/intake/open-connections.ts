// The connections of a server, to close those at its end on which nobody waits for an answer. Node looks only at those that
// had a request before, and no longer at how slowly one is coming.
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { isAnswering } from '../malformed-request.ts'

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

/** Nobody new is let in. The server's own `close` would also cut connections on which a request may be on its way. */
export function stopListening(server: Server): void {
  NetServer.prototype.close.call(server)
}

export function closeUnused(server: Server): void {
  for (const socket of open.get(server) ?? []) if (!isAnswering(socket)) socket.destroy()
}
