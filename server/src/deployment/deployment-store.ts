// The table of deployments, which no other file names. Deleted ones stay as records, and their names are free again.
import { sql, type Transaction } from 'kysely'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'
import { keepReplaced } from './replaced-store.ts'

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

/** What a row has from its time on, and not from its beginning. */
const untouched = {
  detail: null,
  checked_at: null,
  started_at: null,
  ended_at: null,
  wake_at: null,
  leased_until: null,
  leased_by: null,
  tries: 0,
  paid_id: null,
  paid_price: null,
  paid_minutes: null,
  paid_from: null,
  revision: 1,
}

export type NewDeployment = Omit<StoredRow, keyof typeof untouched> & Partial<StoredRow>

export async function insertDeployment(db: Writer, row: NewDeployment): Promise<DeploymentRow> {
  const stored = { ...untouched, ...row }
  await db.insertInto('deployment').values(stored).execute()
  return stored as DeploymentRow
}

/** Does nothing where its name is taken. */
export async function insertDeploymentOnce(db: Writer, row: NewDeployment): Promise<void> {
  await db
    .insertInto('deployment')
    .values({ ...untouched, ...row })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'name']).where('status', '<>', 'deleted').doNothing(),
    )
    .execute()
}

export type LiveDeployment = Pick<
  StoredRow,
  'workspace_id' | 'name' | 'model' | 'base_revision' | 'adapter' | 'merged' | 'machine'
> & { pipeline_id: string; version_no: number }

/** The name of a pipeline answers with this version from then on. What answered before is kept open for calls that have begun. */
export async function putLive(
  db: Writer,
  { id, at, ...live }: LiveDeployment & { id: string; at: Date },
): Promise<void> {
  await keepReplaced(db, live, at)
  const served = {
    ...live,
    status: 'serving' as const,
    detail: null,
    started_at: at,
    ended_at: null,
    tries: 0,
    // A machine whose time has a price is paid for from then on.
    wake_at: at,
  }
  await db
    .insertInto('deployment')
    .values({ ...untouched, ...served, id, attempt_id: null, created_at: at })
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

/** What it still owes is charged behind this. */
export async function deleteLiveDeployment(
  db: Writer,
  pipelineId: string,
  at: Date,
): Promise<void> {
  await db
    .updateTable('deployment')
    .set({
      status: 'deleted',
      ended_at: sql`coalesce(ended_at, ${at})`,
      wake_at: at,
      revision: sql`revision + 1`,
    })
    .where('pipeline_id', '=', pipelineId)
    .where('attempt_id', 'is', null)
    .where('status', '<>', 'deleted')
    .execute()
}

/** It goes on serving as a deployment of its own. */
export async function detachLiveDeployment(db: Writer, pipelineId: string): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ pipeline_id: null, version_no: null, revision: sql`revision + 1` })
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

/** When the first of those came that are still there; null where none is. */
export async function findFirstOfAttempt(db: Writer, attemptId: string): Promise<Date | null> {
  const row = await db
    .selectFrom('deployment')
    .select((eb) => eb.fn.min('created_at').as('first'))
    .where('attempt_id', '=', attemptId)
    .where('status', '<>', 'deleted')
    .executeTakeFirst()
  return row?.first ?? null
}

export async function deleteDeploymentsOfAttempt(db: Writer, attemptId: string): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ status: 'deleted', revision: sql`revision + 1` })
    .where('attempt_id', '=', attemptId)
    .where('status', '<>', 'deleted')
    .execute()
}

export type DeploymentChange = Partial<
  Omit<StoredRow, 'id' | 'workspace_id' | 'name' | 'created_at' | 'revision'>
>

/** In one statement; false where it was changed meanwhile. */
export async function changeDeployment(
  db: Writer,
  { id, revision }: Pick<StoredRow, 'id' | 'revision'>,
  change: DeploymentChange,
): Promise<boolean> {
  const result = await db
    .updateTable('deployment')
    .set({ ...change, revision: revision + 1 })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export async function findDeployment(
  db: Writer,
  workspaceId: string,
  id: string,
): Promise<DeploymentRow | null> {
  const row = await one(db, workspaceId).where('id', '=', id).executeTakeFirst()
  return (row as DeploymentRow | undefined) ?? null
}

export async function findDeploymentNamed(
  db: Writer,
  workspaceId: string,
  name: string,
): Promise<DeploymentRow | null> {
  const row = await one(db, workspaceId).where('name', '=', name).executeTakeFirst()
  return (row as DeploymentRow | undefined) ?? null
}

/** Until the transaction ends, no other one changes it. */
export async function lockDeployment(
  tx: Transaction<Database>,
  workspaceId: string,
  id: string,
): Promise<DeploymentRow | null> {
  const row = await one(tx, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst()
  return (row as DeploymentRow | undefined) ?? null
}

function one(db: Writer, workspaceId: string) {
  return db
    .selectFrom('deployment')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('status', '<>', 'deleted')
}

/** Those that take up the room of a workspace; what is there for a test takes none of it. */
export async function countRunning(db: Writer, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('deployment')
    .select(sql<string>`count(*)`.as('running'))
    .where('workspace_id', '=', workspaceId)
    .where('status', 'not in', ['stopped', 'failed', 'deleted'])
    .where('attempt_id', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(row.running)
}

/** Whether a deployment that runs stands for the same on the same machine. */
export async function isServed(
  db: Writer,
  target: Pick<StoredRow, 'model' | 'base_revision' | 'adapter' | 'merged' | 'machine'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('deployment')
    .select('id')
    .where('status', 'in', ['serving', 'starting'])
    .where('model', '=', target.model)
    .where('machine', '=', target.machine)
    .where((eb) =>
      eb.and(
        (['base_revision', 'adapter', 'merged'] as const).map((column) =>
          eb(column, 'is not distinct from', target[column]),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** What these machines serve under any name, the latest first. */
export async function listServedOn(
  db: Writer,
  machines: readonly string[],
  limit: number,
): Promise<Pick<StoredRow, 'model' | 'base_revision' | 'adapter' | 'merged' | 'machine'>[]> {
  if (machines.length === 0) return []
  return db
    .selectFrom('deployment')
    .select(['model', 'base_revision', 'adapter', 'merged', 'machine'])
    .where('status', '=', 'serving')
    .where('machine', 'in', machines)
    .orderBy('started_at', 'desc')
    .limit(limit)
    .execute()
}

/** Until the transaction ends, no other deployment of the workspace begins to run. */
export async function lockRoom(tx: Transaction<Database>, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`room of ${workspaceId}`}, 0))`.execute(
    tx,
  )
}

/** Whose wallet pays. */
export async function readOrganization(db: Writer, workspaceId: string): Promise<string> {
  const row = await db
    .selectFrom('workspace')
    .select('org_id')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return row.org_id
}

export type NamedWeights = Pick<StoredRow, 'base_revision' | 'adapter' | 'merged'>

/** What deployments of all workspaces stand for. */
export async function listNamedWeights(db: Writer): Promise<NamedWeights[]> {
  return db
    .selectFrom('deployment')
    .select(['base_revision', 'adapter', 'merged'])
    .where('status', '<>', 'deleted')
    .union(db.selectFrom('replaced_target').select(['base_revision', 'adapter', 'merged']))
    .execute()
}
