// Takes samples away for good: rows, text, labels and feedback in one transaction that also writes down their objects,
// which are then deleted, now or later.
import { setTimeout as delay } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { App } from '../../app.ts'
import type { Database } from '../../storage/schema.ts'
import { type Erasure, erasureOf, insertErasures } from '../own-storage/erasure-store.ts'
import { deleteSamples } from '../sample/sample-store.ts'
import { forgetPlaces } from '../search/segment-store.ts'
import { eraseObjects } from './erase-due-objects.ts'
import { lockObjectKeys } from './sample-object-store.ts'

/** How long whoever deletes a sample waits for its bucket. */
const patienceMs = 5_000

/** Writes down, with the deletion or not at all, that it happened. Everything is still there to be read. */
type Note = (tx: Transaction<Database>) => Promise<void>
const noNote: Note = async () => {}

/** Resolves once the samples are gone; a bucket that is slow or away loses its objects later. */
export async function eraseSamples(
  app: App,
  workspaceId: string,
  ids: readonly string[],
  note: Note = noNote,
): Promise<void> {
  const erasures = await dropSamples(app, workspaceId, ids, note)
  const erasing = eraseObjects(
    app,
    erasures.map((erasure) => ({ ...erasure, tries: 0 })),
  ).catch((error: unknown) => {
    app.log.warn({ err: error }, 'objects of deleted samples were left for later')
  })
  await Promise.race([erasing, delay(patienceMs, undefined, { ref: false })])
}

/** The objects that are left to delete, which are written down as well. */
export async function dropSamples(
  app: App,
  workspaceId: string,
  ids: readonly string[],
  note: Note = noNote,
): Promise<Erasure[]> {
  if (ids.length === 0) return []
  return app.storage.db.transaction().execute(async (tx) => {
    const keys = await lockObjectKeys(tx, workspaceId, ids)
    if (keys.size === 0) return []
    const found = [...keys.keys()]
    const texts = [...keys].flatMap(([id, key]) => erasureOf({ workspaceId, id }, key) ?? [])
    const erasures = [...texts, ...(await app.samples.derived.forget(tx, found))]
    await insertErasures(tx, erasures, app.clock.now())
    await note(tx)
    await forgetPlaces(tx, workspaceId, found)
    await deleteSamples(tx, workspaceId, found)
    return erasures
  })
}
