// The address that a request comes from. Behind proxies that the operator trusts it is the nearest one they report that is
// not such a proxy itself: everything further away was written by whoever wanted to.
import type { IncomingMessage } from 'node:http'
import { type BlockList, isIPv4, isIPv6 } from 'node:net'
import { holdsAddress } from '../lib/network-list.ts'

export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trustedProxies: BlockList,
): string {
  let address = plainAddress(socket.remoteAddress ?? '') ?? ''
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return address
  for (const reported of forwarded.split(',').reverse()) {
    if (!holdsAddress(trustedProxies, address)) break
    const next = plainAddress(reported.trim())
    if (next === null) break
    address = next
  }
  return address
}

const withPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/
const inBrackets = /^\[(.+)\](?::\d+)?$/
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** One spelling for each address, without the port that some proxies add; null for what is no address. */
function plainAddress(text: string): string | null {
  const bare = withPort.exec(text)?.[1] ?? inBrackets.exec(text)?.[1] ?? text
  const v4 = mapped.exec(bare)?.[1] ?? bare
  if (isIPv4(v4)) return v4
  if (!isIPv6(bare) || bare.includes('%')) return null
  return new URL(`http://[${bare}]`).hostname.slice(1, -1)
}
