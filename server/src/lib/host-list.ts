// Hosts that an operator trusts although their addresses are private: by name, as `host` or `host:port`, or by network,
// as `10.0.0.0/8`.
import { BlockList, isIP } from 'node:net'
import { isAllowedHost, isHostEntry } from './address-guard.ts'

export type HostList = {
  /** What it was read from. */
  readonly text: string
  namesHost(url: URL): boolean
  holdsAddress(address: string): boolean
}

/** The list, or the first entry that can never match. */
export function readHostList(text: string): HostList | { wrong: string } {
  const hosts: string[] = []
  const networks = new BlockList()
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue
    if (addNetwork(networks, entry)) continue
    if (!isHostEntry(entry)) return { wrong: entry }
    hosts.push(entry)
  }
  return {
    text,
    namesHost: (url) => isAllowedHost(url, hosts),
    holdsAddress(address) {
      const family = isIP(address)
      return family !== 0 && networks.check(address, family === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

function addNetwork(networks: BlockList, entry: string): boolean {
  const [network = '', bits = '', ...rest] = entry.split('/')
  const family = isIP(network)
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false
  if (Number(bits) > (family === 4 ? 32 : 128)) return false
  networks.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6')
  return true
}
