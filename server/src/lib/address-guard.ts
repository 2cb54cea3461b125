// Which addresses a caller may make this server open. Pure: a name is somebody else's to resolve, and its addresses come
// back here.
import { BlockList, isIP } from 'node:net'

type Subnet = [network: string, prefixBits: number]

const notPublicV4: Subnet[] = [
  ['0.0.0.0', 8], // unspecified, "this network"
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's metadata, on a public address
  ['169.254.0.0', 16], // link-local; most clouds' metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; Oracle's metadata
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]

/** Loopback, link-local, unique-local, multicast and IPv4-compatible addresses all lie outside of these. */
const reachableV6: Subnet[] = [
  ['2000::', 3],
  [mapped('0.0.0.0'), 96],
  [translated('0.0.0.0'), 96],
]

const notPublicV6: Subnet[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which no longer has relays but would carry any IPv4 address
  ['3fff::', 20], // documentation
]

const reachable = listOf([], reachableV6)
const blocked = listOf(notPublicV4, [
  ...notPublicV6,
  // An IPv4 address inside of an IPv6 one is the same machine in the end.
  ...notPublicV4.flatMap(([network, bits]): Subnet[] => [
    [mapped(network), 96 + bits],
    [translated(network), 96 + bits],
  ]),
])

export function isPublicAddress(address: string): boolean {
  // A zone, as in fe80::1%eth0, makes sense on this machine's own links only.
  if (address.includes('%')) return false
  const family = isIP(address)
  if (family === 4) return !blocked.check(address, 'ipv4')
  return family === 6 && reachable.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
}

/**
 * The address as it will be opened, or null when it may not be: parsed once, so that nobody later reads another host
 * out of the same text. Parsing also turns 0x7f.1 and 2130706433 into the address they are.
 */
export function checkUrl(text: string, allow: readonly string[] = []): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (url.username !== '' || url.password !== '') return null
  const literal = literalOf(url)
  if (literal !== null && !isAllowedHost(url, allow) && !isPublicAddress(literal)) return null
  return url
}

/** The host when it is an address and no name. */
export function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? null : host
}

/** Entries are `host` for its usual port, or `host:port`. */
export function isAllowedHost(url: URL, allow: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return allow.includes(url.host) || allow.includes(`${url.hostname}:${port}`)
}

/** Whether an entry of an allow-list is written as a URL would show it, so that it can ever match. */
export function isHostEntry(entry: string): boolean {
  // A star is a name to a URL and a mistake in a list of exact hosts.
  if (entry.includes('*')) return false
  return ['http', 'https'].some((scheme) => {
    const text = `${scheme}://${entry}`
    return URL.canParse(text) && new URL(text).host === entry
  })
}

function mapped(v4: string): string {
  return `::ffff:${v4}`
}

/** As DNS64 gives it out in networks without IPv4. */
function translated(v4: string): string {
  return `64:ff9b::${v4}`
}

function listOf(v4: readonly Subnet[], v6: readonly Subnet[]): BlockList {
  const list = new BlockList()
  for (const [network, bits] of v4) list.addSubnet(network, bits, 'ipv4')
  for (const [network, bits] of v6) list.addSubnet(network, bits, 'ipv6')
  return list
}
