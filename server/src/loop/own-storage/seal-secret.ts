// Secrets of buckets as the database keeps them: encrypted for one row and for the place that row names. Put into another
// row, or with another endpoint beside it, a secret cannot be opened.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

export type SealedFor = {
  id: string
  workspace_id: string
  endpoint: string
  bucket: string
  access_key_id: string
}

export function sealSecret(key: Uint8Array, place: SealedFor, secret: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(contextOf(place))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** Null when it was sealed for something else or with another key. */
export function openSecret(key: Uint8Array, place: SealedFor, sealed: Buffer): string | null {
  try {
    const nonce = sealed.subarray(0, nonceBytes)
    const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      .setAAD(contextOf(place))
      .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
    const opened = cipher.update(sealed.subarray(nonceBytes + tagBytes))
    return Buffer.concat([opened, cipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

function contextOf(place: SealedFor): Buffer {
  const { id, workspace_id, endpoint, bucket, access_key_id } = place
  return Buffer.from(JSON.stringify([id, workspace_id, endpoint, bucket, access_key_id]))
}
