// Create, read, change and delete datasets.
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { createDatasetBody, Dataset, updateDatasetBody } from '#contract/dataset.ts'
import type { CountChoice } from '#contract/route.ts'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { newId } from '../../lib/id.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { isUniqueViolation } from '../../storage/storage-unavailable.ts'
import { recordNotFound, requireRecordId, revisionMismatch } from '../../core/record-refusals.ts'
import { requireStorableName } from '../sample/require-storable-name.ts'
import { countSelected, countSelectedExactly } from '../search/count-selected.ts'
import * as store from './dataset-store.ts'
import { storableConditions } from './storable-conditions.ts'

export async function createDataset(
  app: App,
  caller: Caller,
  body: z.infer<typeof createDatasetBody>,
): Promise<{ dataset: Dataset }> {
  requireStorableName(body.name)
  const now = app.clock.now()
  const row: store.DatasetRow = {
    id: newId(now),
    workspace_id: caller.workspace.id,
    name: body.name,
    conditions: storableConditions(body.conditions),
    revision: 1,
    created_at: now,
    updated_at: now,
  }
  await refusingTakenName(row.name, () =>
    app.storage.db.transaction().execute(async (tx) => {
      await store.insertDataset(tx, row)
      const event = { action: 'dataset.created', targetId: row.id, detail: { name: row.name } }
      await recordAudit(tx, actorOf(caller), event, now)
    }),
  )
  return { dataset: await describe(app, row) }
}

/** Each is counted on a connection of its own, and others need some too. */
const countsAtOnce = 4

/** Their rows; a list describes only those that it shows. */
export async function listDatasets(
  app: App,
  caller: Caller,
  page: { limit: number; before: string | null },
): Promise<store.DatasetRow[]> {
  return store.listDatasetRows(app.storage.db, caller.workspace.id, page)
}

export async function describeDatasets(
  app: App,
  rows: readonly store.DatasetRow[],
  count: CountChoice,
): Promise<Dataset[]> {
  return inParallel(rows, countsAtOnce, (row) => describe(app, row, count))
}

export async function readDataset(
  app: App,
  caller: Caller,
  id: string,
  count: CountChoice,
): Promise<{ dataset: Dataset }> {
  return { dataset: await describe(app, await requireDataset(app, caller, id), count) }
}

/** Nobody else changes the dataset meanwhile, so whoever sends no revision is never told of another. */
export async function updateDataset(
  app: App,
  caller: Caller,
  id: string,
  body: z.infer<typeof updateDatasetBody>,
): Promise<{ dataset: Dataset }> {
  if (body.name !== undefined) requireStorableName(body.name)
  const conditions = body.conditions && storableConditions(body.conditions)
  const row = await refusingTakenName(body.name ?? '', () =>
    app.storage.db.transaction().execute(async (tx) => {
      const before = await store.lockDataset(
        tx,
        caller.workspace.id,
        requireRecordId('dataset', id),
      )
      if (!before) throw recordNotFound('dataset')
      if (body.expected_revision !== undefined && body.expected_revision !== before.revision) {
        throw revisionMismatch('dataset', before.revision)
      }
      const { name = before.name } = body
      const changed = { ...before, name, conditions: conditions ?? before.conditions }
      // Those who read the dataset still know it as it is, so their revision stays good.
      if (isDeepStrictEqual(changed, before)) return before
      const now = app.clock.now()
      const written = { ...changed, revision: before.revision + 1, updated_at: now }
      await store.replaceDataset(tx, written)
      const event = { action: 'dataset.updated', targetId: before.id, detail: { name } }
      await recordAudit(tx, actorOf(caller), event, now)
      return written
    }),
  )
  return { dataset: await describe(app, row) }
}

export async function deleteDataset(app: App, caller: Caller, id: string): Promise<void> {
  const row = await requireDataset(app, caller, id)
  await app.storage.db.transaction().execute(async (tx) => {
    if (!(await store.deleteDatasetRow(tx, caller.workspace.id, row.id)))
      throw recordNotFound('dataset')
    const event = { action: 'dataset.deleted', targetId: row.id, detail: { name: row.name } }
    await recordAudit(tx, actorOf(caller), event, app.clock.now())
  })
}

export async function requireDataset(
  app: App,
  caller: Caller,
  id: string,
): Promise<store.DatasetRow> {
  const row = await store.findDataset(
    app.storage.db,
    caller.workspace.id,
    requireRecordId('dataset', id),
  )
  if (!row) throw recordNotFound('dataset')
  return row
}

async function describe(app: App, row: store.DatasetRow, choice?: CountChoice): Promise<Dataset> {
  const countAs = choice === 'exact' ? countSelectedExactly : countSelected
  const { count, isMinimum } = await countAs(app, row.workspace_id, row.conditions)
  return {
    id: row.id,
    name: row.name,
    conditions: row.conditions,
    revision: row.revision,
    samples: count,
    samples_is_minimum: isMinimum,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

async function refusingTakenName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Refusal(
      'DATASET_NAME_TAKEN',
      `A dataset called ${JSON.stringify(name)} exists, ignoring case; choose another name.`,
    )
  }
}
