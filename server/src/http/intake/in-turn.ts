// Requests that a client sends before the ones before them are answered wait for those. Node reads all that came in one packet
// at once; answered at once, a thousand short requests of one connection would keep everybody else waiting.
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { earlyRequestsMax } from '#contract/limits.ts'

export function inTurn(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // Node gives a response its socket when it is the next to be written.
    if (response.socket !== null) return serve(request, response)
    const { socket } = request
    if (socket.destroyed) return
    const before = waiting.get(socket) ?? 0
    if (before === earlyRequestsMax) return void socket.destroy()
    waiting.set(socket, before + 1)
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      setImmediate(() => serve(request, response))
    })
  }
}
