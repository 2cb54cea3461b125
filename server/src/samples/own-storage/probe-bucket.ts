// Proves that a bucket takes an object, gives it back and lets it go, by doing that.
import { randomBytes } from 'node:crypto'
import type { ConnectFailure } from '#contract/own-storage.ts'
import {
  ObjectFailure,
  type ObjectFailureKind,
  type ObjectStore,
} from '../../storage/objects/object-store.ts'

const reasons: Record<ObjectFailureKind, ConnectFailure> = {
  unreachable: 'unreachable',
  credentials: 'credentials',
  'no-such-bucket': 'no_such_bucket',
  missing: 'refused',
  refused: 'refused',
  'too-large': 'refused',
}

export type ProbeFailure = { reason: ConnectFailure; code: string | null }

/** Null when all of it works. */
export async function probeBucket(objects: ObjectStore, key: string): Promise<ProbeFailure | null> {
  const text = JSON.stringify({ probe: randomBytes(16).toString('hex') })
  try {
    await objects.put(key, text)
    if ((await objects.get(key)) !== text) return { reason: 'refused', code: null }
    await objects.delete(key)
    return null
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error
    return { reason: reasons[error.kind], code: error.code }
  }
}
