// Which of the image formats that models take bytes are in, by how they begin. Hosts are often wrong about it, and strict
// model servers refuse an image whose bytes are not what its media type says.

/** Where the longest beginning ends: that of WebP, behind its length. */
const beginningBytes = 12

/** Null for everything that is none of them. */
export function imageTypeOf(bytes: Buffer): string | null {
  const beginning = bytes.toString('latin1', 0, beginningBytes)
  if (beginning.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (beginning.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (beginning.startsWith('GIF87a') || beginning.startsWith('GIF89a')) return 'image/gif'
  if (beginning.startsWith('RIFF') && beginning.startsWith('WEBP', 8)) return 'image/webp'
  return null
}
