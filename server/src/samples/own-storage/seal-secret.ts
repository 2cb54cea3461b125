// Secrets of buckets as the database keeps them: encrypted for one row and for the place that row names. Put into another
// row, or with another endpoint beside it, a secret cannot be opened.
import { openSealed, seal } from '../../lib/seal.ts'

export type SealedFor = {
  id: string
  workspace_id: string
  endpoint: string
  bucket: string
  access_key_id: string
}

export function sealSecret(key: Uint8Array, row: SealedFor, secret: string): Buffer {
  return seal(key, placeOf(row), secret)
}

/** Null when it was sealed for something else or with another key. */
export function openSecret(key: Uint8Array, row: SealedFor, sealed: Buffer): string | null {
  return openSealed(key, placeOf(row), sealed)
}

function placeOf({ id, workspace_id, endpoint, bucket, access_key_id }: SealedFor): string {
  return JSON.stringify([id, workspace_id, endpoint, bucket, access_key_id])
}
