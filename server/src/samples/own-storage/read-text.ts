// The text of a sample, from wherever it is kept; or why it cannot be read.
import type { ReadFailure } from '#contract/own-storage.ts'
import { Refusal } from '../../core/refusal.ts'
import { ObjectFailure } from '../../storage/objects/object-store.ts'
import type { Storage } from '../../storage/open-storage.ts'
import { readSampleText, type SampleRow } from '../sample/sample-store.ts'
import { isStorageAway, reasonOf } from './failure-reason.ts'
import type { OwnStorages } from './own-storages.ts'
import { digestOf, folderOf, liesIn, readReference } from './object-key.ts'

/** `storageAway`: other objects of the bucket probably cannot be read at the moment either. */
export type TextReading = { text: string } | { failure: ReadFailure; storageAway?: boolean }
type TextPorts = { storage: Pick<Storage, 'db'>; samples: { ownStorages: OwnStorages } }
type TextRow = Pick<SampleRow, 'workspace_id' | 'id' | 'object_key'>

export async function tryReadText(app: TextPorts, row: TextRow): Promise<TextReading> {
  if (row.object_key === null) {
    const text = await readSampleText(app.storage.db, row.id)
    return text === null ? { failure: 'missing' } : { text }
  }
  return tryReadObject(app, row.workspace_id, row.object_key)
}

/** By what the database remembers of an object of the workspace. */
export async function tryReadObject(
  app: Pick<TextPorts, 'samples'>,
  workspaceId: string,
  reference: string,
): Promise<TextReading> {
  const held = readReference(reference)
  if (!held) return { failure: 'missing' }
  const bucket = await app.samples.ownStorages.find(workspaceId, held.storageId)
  if (!bucket?.secret) return { failure: 'disconnected' }
  if (!liesIn(folderOf(bucket.prefix, bucket.workspace_id), held.key)) return { failure: 'missing' }
  try {
    const text = await app.samples.ownStorages
      .open({ ...bucket, secret: bucket.secret })
      .get(held.key)
    // Nobody downstream expects anything but what Hone wrote.
    return digestOf(text) === held.digest ? { text } : { failure: 'changed' }
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error
    return { failure: reasonOf(error.kind), storageAway: isStorageAway(error.kind) }
  }
}

/** It will not come back, so waiting for it makes no sense. */
export function isGone(failure: ReadFailure): boolean {
  return failure === 'missing' || failure === 'changed'
}

export async function readText(app: TextPorts, row: TextRow): Promise<string> {
  const reading = await tryReadText(app, row)
  if ('text' in reading) return reading.text
  throw new Refusal('CONFLICT', sentences[reading.failure], { extra: { reason: reading.failure } })
}

const sentences: Record<ReadFailure, string> = {
  missing: 'The text of this sample is no longer where it was stored.',
  changed: "The text of this sample was changed in the workspace's own storage.",
  credentials:
    "The workspace's own storage no longer accepts its access key; connect it again with a valid one.",
  unreachable: "The workspace's own storage does not answer right now; try again later.",
  disconnected:
    'The text of this sample is in a bucket that was disconnected; connect the bucket again to read it.',
}
