// Puts the texts of new samples into the workspace's own bucket, where it has one. Before an object is written, the
// database learns that it must go again unless a sample holds it within the hour: so a process that dies in between, and a
// sample that turns out to be there already, leave nothing behind.
import type { ReadFailure } from '#contract/own-storage.ts'
import type { App, Samples } from '../../app.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { ObjectFailure, type ObjectStore } from '../../storage/objects/object-store.ts'
import type { NewSample } from '../sample/sample.ts'
import { asJson } from '../sample/stored-text.ts'
import { insertErasures } from './erasure-store.ts'
import { reasonOf } from './failure-reason.ts'
import { digestOf, folderOf, sampleKey, writeReference } from './object-key.ts'
import type { StorageRow } from './own-storage-store.ts'

const uploadsAtOnce = 16
/** An object that no row holds after this time is deleted. */
export const unheldMs = 3_600_000

export type PlacingPorts = Pick<App, 'clock'> & {
  samples: Pick<Samples, 'ownStorages'>
  storage: Pick<App['storage'], 'db'>
  log: { warn(about: object, sentence: string): void }
}

export type Placing = {
  placed: NewSample[]
  failed: NewSample[]
  /** Why some could not be written; null when all were. */
  failure: ReadFailure | null
}

export async function placeTexts(
  app: PlacingPorts,
  workspaceId: string,
  samples: NewSample[],
): Promise<Placing> {
  const row = await app.samples.ownStorages.defaultOf(workspaceId)
  if (!row || samples.length === 0) return { placed: samples, failed: [], failure: null }
  const resting = app.samples.ownStorages.restingFor(row.id)
  if (resting) return { placed: [], failed: samples, failure: resting }
  const objects = openOrNull(app, row)
  if (!objects) return { placed: [], failed: samples, failure: 'credentials' }
  const folder = folderOf(row.prefix, workspaceId)
  const uploads = samples.map((sample) => ({
    // Whoever looks into the bucket finds JSON.
    sample: { ...sample, text: asJson(sample.text) },
    key: sampleKey(folder, sample.id, sample.createdAt),
  }))
  await insertErasures(
    app.storage.db,
    uploads.map(({ sample, key }) => ({
      storage_id: row.id,
      object_key: key,
      workspace_id: workspaceId,
      sample_id: sample.id,
    })),
    new Date(app.clock.now().getTime() + unheldMs),
  )
  const { references, failure } = await upload(app, row, objects, uploads)
  return {
    placed: uploads.flatMap(({ sample }) => {
      const objectKey = references.get(sample.id)
      return objectKey === undefined ? [] : [{ ...sample, objectKey }]
    }),
    failed: samples.filter(({ id }) => !references.has(id)),
    failure,
  }
}

/** What to remember of those that could be written; after one that could not, the others are not tried. */
async function upload(
  app: PlacingPorts,
  row: StorageRow,
  objects: ObjectStore,
  uploads: { sample: NewSample; key: string }[],
): Promise<{ references: Map<string, string>; failure: ReadFailure | null }> {
  const references = new Map<string, string>()
  try {
    await inParallel(uploads, uploadsAtOnce, async ({ sample, key }) => {
      const { conversation } = sample.text
      await objects.put(key, conversation)
      const digest = digestOf(conversation)
      references.set(sample.id, writeReference({ storageId: row.id, digest, key }))
    })
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error
    const failure = reasonOf(error.kind)
    app.samples.ownStorages.rest(row.id, failure)
    report(app, row, error)
    return { references, failure }
  }
  return { references, failure: null }
}

/** Null when the secret can no longer be read. */
function openOrNull(app: PlacingPorts, row: StorageRow): ObjectStore | null {
  try {
    return row.secret && app.samples.ownStorages.open({ ...row, secret: row.secret })
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error
    report(app, row, error)
    return null
  }
}

function report(app: PlacingPorts, row: StorageRow, { kind, code }: ObjectFailure): void {
  app.log.warn(
    { workspace_id: row.workspace_id, storage_id: row.id, failure: kind, code },
    "samples could not be put into their workspace's own bucket",
  )
}
