// Reads what is sent to the platform as bytes, bounded in size and pace like the bodies of calls to models.
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/refusal.ts'
import { bodyDefaults, type BodyOptions, eachChunk } from './read-body.ts'

export async function readPlatformBody(
  { raw, routeOptions }: FastifyRequest,
  options: Partial<BodyOptions> = {},
): Promise<Buffer> {
  const bytesMax = routeOptions.bodyLimit
  if (Number(raw.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const chunks: Buffer[] = []
  let received = 0
  await eachPlatformChunk(raw, options, (chunk) => {
    received += chunk.length
    if (received > bytesMax) return tooLarge(bytesMax)
    chunks.push(chunk)
    return null
  })
  return Buffer.concat(chunks, received)
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
  return new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${bytesMax} bytes.`)
}
