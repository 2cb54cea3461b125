// The addresses of a host's name.
import { lookup, Resolver } from 'node:dns/promises'

const tryMs = 2_000
const tries = 2

/**
 * Asks the name servers only: no hosts file, no search domains. It does not use the system's resolver, because slow names
 * of strangers would then occupy the few threads that file access and password hashing share with it.
 */
export async function resolveName(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: tryMs, tries })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** As every program on this machine sees the name, for hosts that the operator trusts. */
export async function resolveTrustedName(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}
