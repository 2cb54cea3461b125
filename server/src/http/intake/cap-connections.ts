// Caps the connections that one address may have open, so that idle ones cannot take them all. A proxy in front, which may
// be on this machine or be named by the operator, speaks for many and has no cap.
import type { BlockList, Server, Socket } from 'node:net'
import { holdsAddress } from '../../lib/network-list.ts'

export type ConnectionOptions = {
  perAddressMax: number
  capLoopback?: boolean
  trustedProxies?: BlockList
}

const loopback = /^(?:::ffff:)?127\.|^::1$/

export function capConnections(server: Server, options: ConnectionOptions): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (address === undefined || (!options.capLoopback && loopback.test(address))) return
    if (options.trustedProxies && holdsAddress(options.trustedProxies, address)) return
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
    if (count > options.perAddressMax) socket.destroy()
  })
}
