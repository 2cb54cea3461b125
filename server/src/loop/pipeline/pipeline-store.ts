// The table of pipelines. Deleted ones stay, so that their names and tags stay taken.
import type { Selectable, Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import { nameKey } from '../../lib/name-key.ts'
import type { PipelineRow } from './pipeline.ts'

export type Reader = Db | Transaction<Database>

export async function insertPipeline(db: Reader, row: PipelineRow): Promise<void> {
  await db.insertInto('pipeline').values(written(row)).execute()
}

/** Any pipeline that ever had this name or this tag. */
export async function findTaken(
  db: Reader,
  workspaceId: string,
  { name, tag }: { name: string; tag: string },
): Promise<Pick<PipelineRow, 'id' | 'name' | 'tag'>[]> {
  return db
    .selectFrom('pipeline')
    .select(['id', 'name', 'tag'])
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('name_key', '=', nameKey(name)), eb('tag', '=', tag)]))
    .execute()
}

export async function findPipeline(
  db: Reader,
  workspaceId: string,
  id: string,
): Promise<PipelineRow | null> {
  const row = await pipelineQuery(db, workspaceId, id).executeTakeFirst()
  return row ? read(row) : null
}

/** Until the transaction ends, nobody else changes or deletes it. */
export async function lockPipeline(
  tx: Transaction<Database>,
  workspaceId: string,
  id: string,
): Promise<PipelineRow | null> {
  const row = await pipelineQuery(tx, workspaceId, id).forUpdate().executeTakeFirst()
  return row ? read(row) : null
}

function pipelineQuery(db: Reader, workspaceId: string, id: string) {
  return db
    .selectFrom('pipeline')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
}

export async function listPipelineRows(
  db: Reader,
  workspaceId: string,
  page: { limit: number; before: string | null },
): Promise<PipelineRow[]> {
  let query = db
    .selectFrom('pipeline')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.before !== null) query = query.where('id', '<', page.before)
  return (await query.execute()).map(read)
}

/** Of all workspaces. */
export async function listEnabledPipelines(db: Reader): Promise<PipelineRow[]> {
  const rows = await db
    .selectFrom('pipeline')
    .selectAll()
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(read)
}

export async function listPipelineTags(db: Reader, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('pipeline')
    .select('tag')
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map(({ tag }) => tag)
}

/** The names of the pipelines by their tags. */
export async function listPipelineNames(
  db: Reader,
  workspaceId: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('pipeline')
    .select(['tag', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ tag, name }) => [tag, name]))
}

/** Of a row that is locked. */
export async function replacePipeline(tx: Transaction<Database>, row: PipelineRow): Promise<void> {
  const { id, workspace_id, tag: _tag, created_at: _created, ...changing } = written(row)
  await tx
    .updateTable('pipeline')
    .set(changing)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .execute()
}

function written(row: PipelineRow) {
  return {
    ...row,
    name_key: nameKey(row.name),
    conditions: row.conditions && JSON.stringify(row.conditions),
    training: JSON.stringify(row.training),
    schedule: row.schedule && JSON.stringify(row.schedule),
    test_sizes: row.test_sizes && JSON.stringify(row.test_sizes),
    shortfall: row.shortfall && JSON.stringify(row.shortfall),
  }
}

function read({ name_key: _, ...row }: Selectable<Database['pipeline']>): PipelineRow {
  return row as PipelineRow
}

/** Whether a pipeline names this deployment as its model. */
export async function isDeploymentNamed(
  db: Reader,
  workspaceId: string,
  deployment: string,
): Promise<boolean> {
  const named = await db
    .selectFrom('pipeline')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('model_deployment', '=', deployment)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return named !== undefined
}

/** The revisions that pipelines train on: their weights are kept. */
export async function listPinnedRevisions(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('pipeline')
    .select(['model_revision', 'challenger_revision'])
    .where('deleted_at', 'is', null)
    .execute()
  return rows
    .flatMap(({ model_revision, challenger_revision }) => [model_revision, challenger_revision])
    .filter((revision) => revision !== null)
}

/** What its last selection found. No change of settings, so the revision stays. */
export async function setMeasured(
  db: Reader,
  id: string,
  { last_skipped, ...found }: Pick<PipelineRow, 'last_skipped' | 'test_sizes' | 'shortfall'>,
): Promise<void> {
  const test_sizes = found.test_sizes && JSON.stringify(found.test_sizes)
  const shortfall = found.shortfall && JSON.stringify(found.shortfall)
  const measured = { last_skipped, test_sizes, shortfall }
  await db.updateTable('pipeline').set(measured).where('id', '=', id).execute()
}

/** A time of its schedule has come; false where another process has seen that first. */
export async function setScheduleSeen(
  db: Reader,
  { id, schedule_seen_at: before }: Pick<PipelineRow, 'id' | 'schedule_seen_at'>,
  at: Date,
): Promise<boolean> {
  const result = await db
    .updateTable('pipeline')
    .set({ schedule_seen_at: at })
    .where('id', '=', id)
    .where('schedule_seen_at', 'is not distinct from', before)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}
