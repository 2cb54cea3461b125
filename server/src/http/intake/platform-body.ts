// Reads what is sent to the platform as bytes, bounded in size, in pace and in what all of it holds together, like the bodies
// of calls to models.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import {
  bodyBytesSmall,
  platformBytesInFlightMax,
  platformBytesPerWorkspaceMax,
} from '#contract/limits.ts'
import { Refusal } from '../../core/refusal.ts'
import { grouped } from '../../lib/grouped.ts'
import { ByteBudget } from './byte-budget.ts'
import { bodyDefaults, type BodyOptions, eachChunk } from './read-body.ts'

const retryAfterSeconds = 2

export class PlatformBodies {
  readonly #options: Partial<BodyOptions>
  readonly #budget = new ByteBudget(platformBytesInFlightMax, platformBytesPerWorkspaceMax)

  constructor(options: Partial<BodyOptions> = {}) {
    this.#options = options
  }

  /** A request holds its body until it is answered. */
  async read(
    { raw, routeOptions, caller }: FastifyRequest,
    response: ServerResponse,
  ): Promise<Buffer> {
    const bytesMax = routeOptions.bodyLimit
    refuseEncoded(raw.headers)
    const declared = Number(raw.headers['content-length'] ?? 0)
    if (declared > bytesMax) throw tooLarge(bytesMax)
    const share = this.#budget.share(caller?.workspace.id ?? '')
    response.once('close', () => share.giveBack())
    if (declared > bodyBytesSmall && !share.growTo(declared)) throw noRoom()
    const chunks: Buffer[] = []
    let received = 0
    await eachPlatformChunk(raw, this.#options, (chunk) => {
      received += chunk.length
      if (received > bytesMax) return tooLarge(bytesMax)
      if (received > bodyBytesSmall && !share.growTo(received)) return noRoom()
      chunks.push(chunk)
      return null
    })
    return Buffer.concat(chunks, received)
  }
}

function noRoom(): Refusal {
  return new Refusal(
    'UNAVAILABLE',
    'The server has as many large requests as it can hold; try again in a moment.',
    { retryAfterSeconds },
  )
}

/** Nothing here unpacks a body, and what is packed would be refused as JSON that is none. */
export function refuseEncoded({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): void {
  if (!['', 'identity'].includes(encoding.toLowerCase())) {
    throw new Refusal('BAD_REQUEST', 'The body must be sent without a Content-Encoding.')
  }
}

/** What is wrong with how a body comes is said in the codes of the platform. */
export async function eachPlatformChunk(
  request: IncomingMessage,
  options: Partial<BodyOptions>,
  take: (chunk: Buffer) => Refusal | null,
): Promise<void> {
  try {
    await eachChunk(request, { ...bodyDefaults, ...options }, take)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_body') {
      throw new Refusal('BAD_REQUEST', error.message)
    }
    throw error
  }
}

export function tooLarge(bytesMax: number): Refusal {
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${grouped(bytesMax)} bytes.`)
}
