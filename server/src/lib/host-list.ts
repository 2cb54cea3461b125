// Hosts that an operator trusts although their addresses are private: by name, as `host` or `host:port`, or by network,
// as `10.0.0.0/8`.
import { BlockList } from 'node:net'
import { isAllowedHost, isHostEntry } from './address-guard.ts'
import { addNetwork, holdsAddress } from './network-list.ts'

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
    if (entry.includes('/') && addNetwork(networks, entry)) continue
    if (!isHostEntry(entry)) return { wrong: entry }
    hosts.push(entry)
  }
  return {
    text,
    namesHost: (url) => isAllowedHost(url, hosts),
    holdsAddress: (address) => holdsAddress(networks, address),
  }
}
