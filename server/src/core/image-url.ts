// An image as the one address that chat servers and stored conversations know it by.
import type { ImageBlock } from './block.ts'

export function imageUrl({ source }: ImageBlock): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.base64}`
}
