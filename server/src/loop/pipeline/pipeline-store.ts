// The table of pipelines. Deleted ones stay, so that their names and tags stay taken.
import type { Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export type PipelineRow = Database['pipeline']

type Reader = Db | Transaction<Database>

export async function insertPipeline(db: Reader, row: PipelineRow): Promise<void> {
  await db.insertInto('pipeline').values(row).execute()
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
    .where((eb) => eb.or([eb('name', '=', name), eb('tag', '=', tag)]))
    .execute()
}

export async function findPipeline(
  db: Reader,
  workspaceId: string,
  id: string,
): Promise<PipelineRow | null> {
  return (await pipelineQuery(db, workspaceId, id).executeTakeFirst()) ?? null
}

/** Until the transaction ends, nobody else changes or deletes it. */
export async function lockPipeline(
  tx: Transaction<Database>,
  workspaceId: string,
  id: string,
): Promise<PipelineRow | null> {
  return (await pipelineQuery(tx, workspaceId, id).forUpdate().executeTakeFirst()) ?? null
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
  return query.execute()
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
  await tx
    .updateTable('pipeline')
    .set({
      name: row.name,
      model: row.model,
      enabled: row.enabled,
      revision: row.revision,
      updated_at: row.updated_at,
      deleted_at: row.deleted_at,
    })
    .where('workspace_id', '=', row.workspace_id)
    .where('id', '=', row.id)
    .execute()
}
