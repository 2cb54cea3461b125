// The endpoint a workspace names, as it will be opened, or null when it may not be. What its name stands for is checked
// again on every connection.
import { isPublicAddress, literalOf } from '../../lib/address-guard.ts'
import type { HostList } from '../../lib/host-list.ts'

export function checkEndpoint(text: string, hosts: HostList): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (url.username !== '' || url.password !== '') return null
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return null
  const literal = literalOf(url)
  const trusted = hosts.namesHost(url) || (literal !== null && hosts.holdsAddress(literal))
  if (!trusted && literal !== null && !(url.protocol === 'https:' && isPublicAddress(literal))) {
    return null
  }
  return url.origin
}
