// Networks and single addresses, as `10.0.0.0/8` or `192.0.2.7`, and whether an address lies in one of them.
import { BlockList, isIP } from 'node:net'

/** False when the entry is none. */
export function addNetwork(networks: BlockList, entry: string): boolean {
  const [network = '', bits, ...rest] = entry.split('/')
  const family = isIP(network)
  if (family === 0 || network.includes('%') || rest.length > 0) return false
  const bitsMax = family === 4 ? 32 : 128
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > bitsMax)) return false
  networks.addSubnet(network, Number(bits ?? bitsMax), family === 4 ? 'ipv4' : 'ipv6')
  return true
}

export function holdsAddress(networks: BlockList, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && networks.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** The list, or the first entry that is no network. */
export function readNetworkList(text: string): BlockList | { wrong: string } {
  const networks = new BlockList()
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry !== '' && !addNetwork(networks, entry)) return { wrong: entry }
  }
  return networks
}
