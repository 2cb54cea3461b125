// Puts what was said about a sample in a test into the bucket that has the sample. Before it is written, the database learns that it must
// go again unless a row holds it within the hour, as with the texts of samples.
import { newId } from '../../lib/id.ts'
import { ObjectFailure } from '../../storage/objects/object-store.ts'
import { insertErasures } from './erasure-store.ts'
import { reasonOf } from './failure-reason.ts'
import { digestOf, folderOf, readReference, testWordsKey, writeReference } from './object-key.ts'
import { type PlacingPorts, unheldMs } from './place-texts.ts'

export type WordsPlace = {
  workspaceId: string
  attemptId: string
  sampleId: string
  /** Where the text of the sample is. */
  sampleObject: string
}

/** What to remember of the object; null when it could not be written. */
export async function placeWords(
  app: PlacingPorts,
  { workspaceId, attemptId, sampleId, sampleObject }: WordsPlace,
  words: string,
): Promise<string | null> {
  const storageId = readReference(sampleObject)?.storageId
  const bucket = storageId ? await app.samples.ownStorages.find(workspaceId, storageId) : null
  if (!bucket?.secret || app.samples.ownStorages.restingFor(bucket.id)) return null
  const now = app.clock.now()
  const key = testWordsKey(folderOf(bucket.prefix, workspaceId), attemptId, newId(now))
  const of = { storage_id: bucket.id, workspace_id: workspaceId, sample_id: sampleId }
  const dueAt = new Date(now.getTime() + unheldMs)
  await insertErasures(app.storage.db, [{ ...of, object_key: key }], dueAt)
  try {
    await app.samples.ownStorages.open({ ...bucket, secret: bucket.secret }).put(key, words)
    return writeReference({ storageId: bucket.id, digest: digestOf(words), key })
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error
    app.samples.ownStorages.rest(bucket.id, reasonOf(error.kind))
    app.log.warn(
      { ...of, failure: error.kind, code: error.code },
      "answers of a test could not be put into the workspace's own bucket",
    )
    return null
  }
}
