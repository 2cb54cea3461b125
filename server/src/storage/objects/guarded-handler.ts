// HTTP for a client library whose endpoint a stranger chose. Only that endpoint is ever asked, only at addresses that were
// checked when the connection was made, without following a redirect, within a time and a size.
import { Readable } from 'node:stream'
import type { buildConnector } from 'undici'
import { Agent } from 'undici'
import { isPublicAddress, literalOf } from '../../lib/address-guard.ts'
import { type Network, realNetwork } from '../../lib/guarded-fetch.ts'
import type { HostList } from '../../lib/host-list.ts'
import { pinnedTo } from '../../lib/pinned-connector.ts'

const headerBytesMax = 16 * 1024
/** The library's parser takes time that grows with the square of what it reads of an error, and stores need a tenth of this. */
const errorBytesMax = 8 * 1024

export type Endpoint = {
  url: URL
  /** Some stores have a host for each bucket, below their own. */
  bucket: string
  /** Who may be private, and may be spoken to without TLS. */
  hosts: HostList
}

export type HandlerOptions = {
  requestMs: number
  answerBytesMax: number
  connectionsMax: number
  network?: Network
}

/** What the library asks, and what it is answered. */
type Asked = {
  protocol: string
  hostname: string
  port?: number
  method: string
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
  body?: unknown
}
type Answered = {
  statusCode: number
  headers: Record<string, string>
  body: Readable
}

export class AnswerTooLarge extends Error {}

export type GuardedHandler = {
  metadata: { handlerProtocol: string }
  handle(asked: Asked, options?: { abortSignal?: unknown }): Promise<{ response: Answered }>
  destroy(): void
  updateHttpClientConfig(): void
  httpHandlerConfigs(): Record<string, never>
}

export function guardedHandler(endpoint: Endpoint, options: HandlerOptions): GuardedHandler {
  const { url } = endpoint
  const hosts = [url.hostname, `${endpoint.bucket}.${url.hostname}`]
  const agent = new Agent({
    connect: guardedConnector(endpoint, options),
    maxHeaderSize: headerBytesMax,
    connections: options.connectionsMax,
  })
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(asked, { abortSignal } = {}) {
      if (!hosts.includes(asked.hostname) || asked.protocol !== url.protocol) {
        throw new Error('the library asked another host than the endpoint')
      }
      const answer = await agent.request({
        origin: `${url.protocol}//${asked.hostname}${url.port ? `:${url.port}` : ''}`,
        method: asked.method,
        path: pathOf(asked),
        headers: headersOf(asked),
        body: (asked.body ?? null) as Buffer | null,
        signal: AbortSignal.any([
          AbortSignal.timeout(options.requestMs),
          ...(abortSignal instanceof AbortSignal ? [abortSignal] : []),
        ]),
      })
      const body = answer.body as AsyncIterable<Buffer>
      const bytes =
        answer.statusCode < 300
          ? await readAtMost(body, options.answerBytesMax)
          : await readError(body)
      const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
      return {
        response: {
          statusCode: answer.statusCode,
          headers: Object.fromEntries(headers) as Record<string, string>,
          body: Readable.from([bytes]),
        },
      }
    },
    destroy: () => void agent.close().catch(() => {}),
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  }
}

function guardedConnector(endpoint: Endpoint, options: HandlerOptions): buildConnector.connector {
  const network = options.network ?? realNetwork
  const trusted = endpoint.hosts.namesHost(endpoint.url)
  const mayReach = (address: string): boolean =>
    trusted ||
    endpoint.hosts.holdsAddress(address) ||
    (endpoint.url.protocol === 'https:' && isPublicAddress(address))
  const addressesOf = async (hostname: string): Promise<readonly string[]> => {
    const literal = literalOf(
      new URL(`http://${hostname.includes(':') ? `[${hostname}]` : hostname}`),
    )
    const addresses =
      literal === null
        ? await network.resolve(hostname, trusted, AbortSignal.timeout(options.requestMs))
        : [literal]
    if (addresses.length === 0 || !addresses.every(mayReach)) {
      throw new Error('the endpoint may not be reached')
    }
    return addresses
  }
  return (target, callback) => {
    addressesOf(target.hostname).then(
      (addresses) => pinnedTo(addresses, mayReach, network.connector)(target, callback),
      (error: Error) => callback(error, null),
    )
  }
}

function pathOf({ path, query = {} }: Asked): string {
  const parts = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${escape(name)}=${escape(value ?? '')}`),
  )
  return parts.length > 0 ? `${path}?${parts.join('&')}` : path
}

/** As signatures are made over it. */
function escape(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The body follows at once, so nobody waits to be told to go on; the signature does not cover this header. */
function headersOf({ headers }: Asked): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'expect'),
  )
}

/** Nothing where it is larger than any store's; its status says enough then. */
async function readError(body: AsyncIterable<Buffer>): Promise<Buffer> {
  try {
    return await readAtMost(body, errorBytesMax)
  } catch (error) {
    if (error instanceof AnswerTooLarge) return Buffer.alloc(0)
    throw error
  }
}

async function readAtMost(body: AsyncIterable<Buffer>, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > bytesMax) throw new AnswerTooLarge()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
