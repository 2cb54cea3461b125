// The table of deployments, which no other file names. Deleted ones stay as records, and their names are free again.
import { sql, type Transaction } from 'kysely'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

export type Writer = Db | Transaction<Database>

type StoredRow = Database['deployment']

/** One that was not deleted. */
export type DeploymentRow = StoredRow & { status: Exclude<StoredRow['status'], 'deleted'> }

export async function listDeployments(
  db: Writer,
  workspaceId: string,
): Promise<readonly DeploymentRow[]> {
  const rows = await db
    .selectFrom('deployment')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('status', '<>', 'deleted')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows as DeploymentRow[]
}

/** Newest first; `before` is the id of the last one of the page before. */
export async function listDeploymentRows(
  db: Writer,
  workspaceId: string,
  page: { limit: number; before: string | null },
): Promise<DeploymentRow[]> {
  let query = db
    .selectFrom('deployment')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('status', '<>', 'deleted')
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (page.before !== null) query = query.where('id', '<', page.before)
  return (await query.execute()) as DeploymentRow[]
}

export async function insertDeployment(db: Writer, row: StoredRow): Promise<void> {
  await db.insertInto('deployment').values(row).execute()
}

/** Does nothing where its name is taken. */
export async function insertDeploymentOnce(db: Writer, row: StoredRow): Promise<void> {
  await db
    .insertInto('deployment')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'name']).where('status', '<>', 'deleted').doNothing(),
    )
    .execute()
}

export type LiveDeployment = Pick<
  StoredRow,
  'workspace_id' | 'name' | 'model' | 'base_revision' | 'adapter' | 'merged' | 'machine'
> & { pipeline_id: string; version_no: number }

/** The name of a pipeline answers with this version from then on. */
export async function putLive(
  db: Writer,
  { id, at, ...live }: LiveDeployment & { id: string; at: Date },
): Promise<void> {
  const served = { ...live, status: 'serving' as const, started_at: at }
  await db
    .insertInto('deployment')
    .values({ ...served, id, attempt_id: null, created_at: at, revision: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'name'])
        .where('status', '<>', 'deleted')
        .doUpdateSet({ ...served, revision: sql`deployment.revision + 1` }),
    )
    .execute()
}

/** The one that serves its live version; null before the first. */
export async function findLiveDeployment(
  db: Writer,
  pipelineId: string,
): Promise<DeploymentRow | null> {
  const row = await db
    .selectFrom('deployment')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('attempt_id', 'is', null)
    .where('status', '<>', 'deleted')
    .executeTakeFirst()
  return (row as DeploymentRow | undefined) ?? null
}

export async function deleteLiveDeployment(db: Writer, pipelineId: string): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ status: 'deleted', revision: sql`revision + 1` })
    .where('pipeline_id', '=', pipelineId)
    .where('attempt_id', 'is', null)
    .where('status', '<>', 'deleted')
    .execute()
}

export async function listDeploymentsOfAttempt(
  db: Writer,
  attemptId: string,
): Promise<Pick<DeploymentRow, 'name' | 'status'>[]> {
  const rows = await db
    .selectFrom('deployment')
    .select(['name', 'status'])
    .where('attempt_id', '=', attemptId)
    .where('status', '<>', 'deleted')
    .orderBy('name')
    .execute()
  return rows as Pick<DeploymentRow, 'name' | 'status'>[]
}

export async function deleteDeploymentsOfAttempt(db: Writer, attemptId: string): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ status: 'deleted', revision: sql`revision + 1` })
    .where('attempt_id', '=', attemptId)
    .where('status', '<>', 'deleted')
    .execute()
}

type Change = Partial<
  Pick<StoredRow, 'base_revision' | 'adapter' | 'merged' | 'status' | 'machine' | 'started_at'>
>

/** Switches what it stands for, or how it is doing, in one statement; false where it was changed meanwhile. */
export async function changeDeployment(
  db: Writer,
  { id, revision }: Pick<StoredRow, 'id' | 'revision'>,
  change: Change,
): Promise<boolean> {
  const result = await db
    .updateTable('deployment')
    .set({ ...change, revision: revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export type NamedWeights = Pick<StoredRow, 'base_revision' | 'adapter' | 'merged'>

/** What deployments of all workspaces stand for. */
export async function listNamedWeights(db: Writer): Promise<NamedWeights[]> {
  return db
    .selectFrom('deployment')
    .select(['base_revision', 'adapter', 'merged'])
    .where('status', '<>', 'deleted')
    .execute()
}
