// Hosted images of a request, fetched here for models that cannot or may not fetch them. What is recorded, hashed and
// billed is the request as it came; only the engine sees the bytes.
import { hostedImageBytesMax, hostedImagesMax } from '#contract/limits.ts'
import type { CatalogModel } from '../catalog/catalog-file.ts'
import { type Block, type ImageBlock, imageMediaTypes } from '../core/block.ts'
import { Refusal } from '../core/refusal.ts'
import type { CallRequest } from '../core/request.ts'
import { grouped } from '../lib/grouped.ts'
import { FetchError, type FetchFailure, guardedFetch } from '../lib/guarded-fetch.ts'
import { imageTypeOf } from './image-type-of.ts'

type Hosting = {
  /** Hosts the operator lets callers name although they are private. */
  allow: readonly string[]
  signal: AbortSignal
}

export async function fetchImages(
  model: CatalogModel,
  request: CallRequest,
  hosting: Hosting,
): Promise<CallRequest> {
  const hosted = imagesToFetch(model, request)
  if (hosted.length === 0) return request
  if (hosted.length > hostedImagesMax) {
    throw bad(
      `A request may have at most ${hostedImagesMax} hosted images; send the others as base64 data.`,
    )
  }
  const fetched = await fetchAll(hosted, hosting)
  const inPlace = <Kind extends Block>(block: Kind): Kind | ImageBlock =>
    (block.type === 'image' && fetched.get(block)) || block
  const messages = request.messages.map((message) => ({
    ...message,
    blocks: message.blocks.map((block) =>
      block.type === 'tool-result'
        ? { ...block, content: block.content.map(inPlace) }
        : inPlace(block),
    ),
  }))
  return { ...request, messages }
}

export function hasImagesToFetch(model: CatalogModel, request: CallRequest): boolean {
  return imagesToFetch(model, request).length > 0
}

type HostedImage = { block: ImageBlock; url: string }

function imagesToFetch(model: CatalogModel, request: CallRequest): HostedImage[] {
  if (model.image_urls !== 'fetch') return []
  return request.messages.flatMap(({ blocks }) => blocks.flatMap(hostedImages))
}

function hostedImages(block: Block): HostedImage[] {
  if (block.type === 'tool-result') return block.content.flatMap(hostedImages)
  if (block.type !== 'image' || block.source.kind !== 'url') return []
  return [{ block, url: block.source.url }]
}

async function fetchAll(
  hosted: readonly HostedImage[],
  { allow, signal }: Hosting,
): Promise<Map<Block, ImageBlock>> {
  const budget = { bytes: hostedImageBytesMax }
  const others = new AbortController()
  const options = {
    types: imageMediaTypes,
    mayBe: mayBeImage,
    budget,
    allow,
    signal: AbortSignal.any([signal, others.signal]),
  }
  const fetching = hosted.map(async ({ block, url }, index) => {
    try {
      const bytes = await guardedFetch(url, options)
      const mediaType = imageTypeOf(bytes)
      if (mediaType === null) throw new FetchError('wrong-type')
      const source = { kind: 'bytes' as const, mediaType, base64: bytes.toString('base64') }
      return [block, { ...block, source }] as const
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      throw bad(`Hosted image ${index + 1} ${sentences[error.failure]}`, error)
    }
  })
  try {
    return new Map(await Promise.all(fetching))
  } finally {
    // One that failed is the end of the request, and the rest are of no use.
    others.abort()
  }
}

/** Object stores know no better than octets, and others name the wrong image; the bytes decide about all of these. */
function mayBeImage(type: string): boolean {
  return type === '' || type.startsWith('image/') || type.endsWith('/octet-stream')
}

const sentences: Record<FetchFailure, string> = {
  unreachable: 'cannot be fetched; send it as base64 data instead.',
  'too-large': `makes the images larger than ${grouped(hostedImageBytesMax)} bytes in total; send smaller ones.`,
  'wrong-type': `is not one of ${imageMediaTypes.join(', ')}.`,
}

function bad(message: string, cause?: FetchError): Refusal {
  return new Refusal('invalid_value', message, { param: 'messages', ...(cause ? { cause } : {}) })
}
