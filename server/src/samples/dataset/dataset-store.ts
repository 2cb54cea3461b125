// The table of datasets.
import type { Transaction } from 'kysely'
import type { Conditions } from '#contract/dataset.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import { nameKey } from '../../lib/name-key.ts'

export type DatasetRow = Omit<Database['dataset'], 'conditions' | 'name_key'> & {
  conditions: Conditions
}

type Reader = Db | Transaction<Database>

export async function insertDataset(db: Reader, row: DatasetRow): Promise<void> {
  await db.insertInto('dataset').values(written(row)).execute()
}

export async function findDataset(
  db: Reader,
  workspaceId: string,
  id: string,
): Promise<DatasetRow | null> {
  const row = await datasetQuery(db, workspaceId, id).executeTakeFirst()
  return row ? read(row) : null
}

/** Until the transaction ends, nobody else changes or deletes it. */
export async function lockDataset(
  tx: Transaction<Database>,
  workspaceId: string,
  id: string,
): Promise<DatasetRow | null> {
  const row = await datasetQuery(tx, workspaceId, id).forUpdate().executeTakeFirst()
  return row ? read(row) : null
}

function datasetQuery(db: Reader, workspaceId: string, id: string) {
  return db
    .selectFrom('dataset')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
}

/** By their ids, of those that there are. */
export async function findConditions(
  db: Reader,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, Conditions>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('dataset')
    .select(['id', 'conditions'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, conditions }) => [id, conditions as Conditions]))
}

export async function listDatasetRows(
  db: Reader,
  workspaceId: string,
  page: { limit: number; before: string | null },
): Promise<DatasetRow[]> {
  let query = db
    .selectFrom('dataset')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.before !== null) query = query.where('id', '<', page.before)
  return (await query.execute()).map(read)
}

/** Of a row that is locked. */
export async function replaceDataset(tx: Transaction<Database>, row: DatasetRow): Promise<void> {
  const { name, name_key, revision, updated_at } = written(row)
  await tx
    .updateTable('dataset')
    .set((eb) => ({
      name,
      name_key,
      revision,
      updated_at,
      conditions: eb.cast(eb.val(JSON.stringify(row.conditions)), 'jsonb') as never,
    }))
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .execute()
}

export async function deleteDatasetRow(
  db: Reader,
  workspaceId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('dataset')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

function written(row: DatasetRow) {
  return { ...row, name_key: nameKey(row.name), conditions: JSON.stringify(row.conditions) }
}

function read({
  name_key: _,
  ...row
}: { name_key: string; conditions: unknown } & Omit<DatasetRow, 'conditions'>): DatasetRow {
  return { ...row, conditions: row.conditions as Conditions }
}
