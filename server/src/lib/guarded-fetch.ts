// GET of an address that a stranger chose. It is checked before a connection is made and again on it, on every redirect,
// so that nothing inside the operator's network can be reached or even found out about: an address that may not be opened
// is never tried, and fails with the same words as one that does not answer.
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { checkUrl, isAllowedHost, isPublicAddress, literalOf } from './address-guard.ts'
import { pinnedTo } from './pinned-connector.ts'
import { resolveName, resolveTrustedName } from './resolve-name.ts'

export const redirectsMax = 3
const fetchMs = 10_000
const headerBytesMax = 16 * 1024

export type FetchFailure = 'unreachable' | 'too-large' | 'wrong-type'

export class FetchError extends Error {
  readonly failure: FetchFailure

  constructor(failure: FetchFailure, options?: ErrorOptions) {
    super(failure, options)
    this.name = 'FetchError'
    this.failure = failure
  }
}

export type FetchOptions = {
  /** Media types that are asked for. */
  types: readonly string[]
  /** Whether a body may be worth reading by the media type its host gives it, in small letters; empty without one. */
  mayBe: (type: string) => boolean
  /** How much may still be read; fetches that share the object share the limit. */
  budget: { bytes: number }
  signal: AbortSignal
  /** Hosts, as `host` or `host:port`, that may be private. */
  allow?: readonly string[]
  /** For everything together: names, connections, redirects, body. */
  timeMs?: number
  network?: Network
}

/** The world outside, which tests replace. */
export type Network = {
  resolve(name: string, trusted: boolean, signal: AbortSignal): Promise<readonly string[]>
  connector: typeof buildConnector
}

export const realNetwork: Network = {
  resolve: (name, trusted, signal) =>
    trusted ? resolveTrustedName(name) : resolveName(name, signal),
  connector: buildConnector,
}

/** The body alone: what a stranger says it is proves nothing. */
export async function guardedFetch(address: string, options: FetchOptions): Promise<Buffer> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeMs ?? fetchMs)])
  try {
    let next = address
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const url = checkUrl(next, options.allow)
      if (!url) break
      const answer = await get(url, options, signal)
      if (typeof answer !== 'string') return answer
      next = answer
    }
    throw new FetchError('unreachable')
  } catch (error) {
    options.signal.throwIfAborted()
    if (error instanceof FetchError) throw error
    throw new FetchError('unreachable', { cause: error })
  }
}

/** What one address answers, or the address it redirects to. */
async function get(url: URL, options: FetchOptions, signal: AbortSignal): Promise<Buffer | string> {
  const network = options.network ?? realNetwork
  const trusted = isAllowedHost(url, options.allow ?? [])
  const addresses = await orAborted(resolve(url, trusted, network, signal), signal)
  if (addresses.length === 0) throw new FetchError('unreachable')
  if (!trusted && !addresses.every(isPublicAddress)) throw new FetchError('unreachable')
  // A connection of its own, so that none is shared with a request that was allowed more.
  const agent = new Agent({
    connect: pinnedTo(
      addresses,
      (address) => trusted || isPublicAddress(address),
      network.connector,
    ),
    maxHeaderSize: headerBytesMax,
    connections: 1,
  })
  try {
    const answer = await agent.request({
      method: 'GET',
      origin: url.origin,
      path: url.pathname + url.search,
      headers: {
        accept: options.types.join(', '),
        'accept-encoding': 'identity',
        'user-agent': 'Hone',
      },
      signal,
    })
    answer.body.on('error', () => {})
    return redirectOf(answer, url) ?? (await readBody(answer, options))
  } finally {
    void agent.destroy().catch(() => {})
  }
}

function resolve(
  url: URL,
  trusted: boolean,
  network: Network,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const literal = literalOf(url)
  if (literal !== null) return Promise.resolve([literal])
  return network.resolve(url.hostname, trusted, signal)
}

function redirectOf(answer: Dispatcher.ResponseData, from: URL): string | null {
  if (answer.statusCode === 200) return null
  const { location } = answer.headers
  const redirects = [301, 302, 303, 307, 308].includes(answer.statusCode)
  if (!redirects || typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw new FetchError('unreachable')
  }
  return new URL(location, from).href
}

async function readBody(answer: Dispatcher.ResponseData, options: FetchOptions): Promise<Buffer> {
  const { headers, body } = answer
  const type = String(headers['content-type'] ?? '')
    .replace(/;.*/s, '')
    .trim()
    .toLowerCase()
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!options.mayBe(type) || encoding !== 'identity') throw new FetchError('wrong-type')
  const { budget } = options
  if (Number(headers['content-length']) > budget.bytes) throw new FetchError('too-large')
  const pieces: Buffer[] = []
  for await (const piece of body as AsyncIterable<Buffer>) {
    budget.bytes -= piece.length
    if (budget.bytes < 0) throw new FetchError('too-large')
    pieces.push(piece)
  }
  if (pieces.length === 0) throw new FetchError('wrong-type')
  return Buffer.concat(pieces)
}

/** Not every resolver can be called off. */
function orAborted<Value>(working: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    working.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
