// Connects to addresses that were checked before, whatever their name says by now, and looks at where it arrived.
import { isIP, type LookupFunction } from 'node:net'
import type { buildConnector } from 'undici'

/** `connector` is undici's own, which tests replace. */
export function pinnedTo(
  addresses: readonly string[],
  mayReach: (address: string) => boolean,
  connector: typeof buildConnector,
): buildConnector.connector {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  const lookup: LookupFunction = (_name, { all: wantsAll }, callback) => {
    if (wantsAll) callback(null, all)
    else callback(null, all[0]?.address ?? '', all[0]?.family)
  }
  const connect = connector({ lookup, maxCachedSessions: 0 })
  return (target, callback) => {
    connect(target, (error, socket) => {
      if (error) return callback(error, null)
      if (mayReach(socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(new Error('the connection arrived at an address that may not be reached'), null)
    })
  }
}
