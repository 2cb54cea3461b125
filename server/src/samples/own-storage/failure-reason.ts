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

/** The storage as a whole fails. A refusal may be about one object: without `ListBucket`, a store refuses to say that one is gone. */
export function isStorageAway(kind: ObjectFailureKind): boolean {
  return kind === 'unreachable' || kind === 'credentials'
}

const writeSentences: Record<ReadFailure, string> = {
  unreachable: 'Your storage does not answer right now',
  credentials: 'Your storage does not allow its access key to write',
  missing: 'The bucket of your storage is gone',
  changed: 'Your storage does not take texts of this size',
  disconnected: 'Your storage was disconnected',
}

/** Why a text could not be written; whoever says so goes on with what became of it and what to do. */
export function writeFailureSentence(reason: ReadFailure): string {
  return writeSentences[reason]
}
