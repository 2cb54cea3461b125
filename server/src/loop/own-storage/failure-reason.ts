// Why the text of a sample cannot be read from a workspace's own bucket or written to it, as answers name it.
import type { ReadFailure } from '#contract/own-storage.ts'
import type { ObjectFailureKind } from '../../storage/objects/object-store.ts'

const reasons: Record<ObjectFailureKind, ReadFailure> = {
  unreachable: 'unreachable',
  credentials: 'credentials',
  refused: 'credentials',
  missing: 'missing',
  'no-such-bucket': 'missing',
  'too-large': 'changed',
}

export function reasonOf(kind: ObjectFailureKind): ReadFailure {
  return reasons[kind]
}
