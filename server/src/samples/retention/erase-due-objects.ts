// Deletes objects from buckets, only those that Hone wrote down as its own. A bucket that is away, or does not let one of
// them go, is asked again later, at growing distances, until it does.
import type { App } from '../../app.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { ObjectFailure, type ObjectStore } from '../../storage/objects/object-store.ts'
import {
  type ClaimedErasure,
  claimErasures,
  type Erasure,
  parkErasures,
  postponeErasures,
  removeErasures,
} from '../own-storage/erasure-store.ts'
import { folderOf, liesIn, readReference } from '../own-storage/object-key.ts'
import { readObjectKeys } from './sample-object-store.ts'

const deletionsAtOnce = 8
const claimMs = 300_000
const claimedAtOnce = 500
const retryMsMin = 30_000
const retryMsMax = 3_600_000

export function retryMs(tries: number): number {
  return Math.min(retryMsMin * 2 ** Math.min(tries, 20), retryMsMax)
}

/** One round over what is due; true when there may be more. */
export async function eraseDueObjects(app: App): Promise<boolean> {
  const now = app.clock.now()
  const claimed = await claimErasures(app.storage.db, {
    now,
    until: new Date(now.getTime() + claimMs),
    limit: claimedAtOnce,
  })
  const free = await withoutHeld(app, claimed)
  await eraseObjects(app, free)
  return claimed.length === claimedAtOnce
}

/** What cannot be deleted now stays written down. */
export async function eraseObjects(app: App, erasures: readonly ClaimedErasure[]): Promise<void> {
  const byBucket = Map.groupBy(erasures, ({ storage_id }) => storage_id)
  await Promise.all([...byBucket.values()].map((group) => eraseIn(app, group)))
}

/** What was stored after all keeps its object. */
async function withoutHeld(app: App, erasures: ClaimedErasure[]): Promise<ClaimedErasure[]> {
  const { db } = app.storage
  const free: ClaimedErasure[] = []
  const held: Erasure[] = []
  for (const [workspaceId, group] of Map.groupBy(erasures, (one) => one.workspace_id)) {
    const ids = group.map(({ sample_id }) => sample_id)
    const keys = await readObjectKeys(db, workspaceId, ids)
    const words = new Set((await app.samples.derived.listObjects(db, group)).map(nameOf))
    for (const erasure of group) {
      const isHeld = holds(keys.get(erasure.sample_id), erasure) || words.has(nameOf(erasure))
      if (isHeld) held.push(erasure)
      else free.push(erasure)
    }
  }
  await removeErasures(db, held)
  return free
}

/** Of an object, among all buckets. */
function nameOf({ storage_id, object_key }: Erasure): string {
  return `${storage_id}:${object_key}`
}

function holds(objectKey: string | null | undefined, erasure: Erasure): boolean {
  if (objectKey === null || objectKey === undefined) return false
  const held = readReference(objectKey)
  return held?.storageId === erasure.storage_id && held.key === erasure.object_key
}

async function eraseIn(app: App, group: readonly ClaimedErasure[]): Promise<void> {
  const [first] = group
  if (!first) return
  const done: ClaimedErasure[] = []
  const refused: ObjectFailure[] = []
  try {
    const bucket = await app.samples.ownStorages.find(first.workspace_id, first.storage_id)
    if (!bucket?.secret) return await parkErasures(app.storage.db, first.storage_id, group)
    const folder = folderOf(bucket.prefix, bucket.workspace_id)
    const objects: ObjectStore = app.samples.ownStorages.open({ ...bucket, secret: bucket.secret })
    await inParallel(group, deletionsAtOnce, async (erasure) => {
      if (!liesIn(folder, erasure.object_key)) {
        app.log.error(
          { workspace_id: bucket.workspace_id },
          'an object outside of the folder of the workspace was not deleted',
        )
      } else {
        try {
          await objects.delete(erasure.object_key)
        } catch (error) {
          // One object may be locked while others may go.
          if (!(error instanceof ObjectFailure && error.kind === 'refused')) throw error
          refused.push(error)
          return
        }
      }
      done.push(erasure)
    })
    if (refused[0]) throw refused[0]
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error
    const { workspace_id, storage_id } = first
    const left = group.filter((erasure) => !done.includes(erasure))
    app.log.warn(
      { workspace_id, storage_id, failure: error.kind, code: error.code, objects: left.length },
      "objects of deleted samples could not be deleted from their workspace's own bucket yet",
    )
    const tries = Math.min(...left.map((erasure) => erasure.tries))
    const dueAt = new Date(app.clock.now().getTime() + retryMs(tries))
    await postponeErasures(app.storage.db, left, dueAt)
  } finally {
    await removeErasures(app.storage.db, done)
  }
}
