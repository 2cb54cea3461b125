// The table of workspaces' own buckets.
import { sql, type Transaction } from 'kysely'
import type { Db, Storage } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export type StorageRow = Database['own_storage']
type Tx = Transaction<Database>

export async function listStorages(db: Db | Tx, workspaceId: string): Promise<StorageRow[]> {
  return db
    .selectFrom('own_storage')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
}

/** Which of these workspaces have a bucket for new samples. */
export async function findOwners(
  { pool }: Pick<Storage, 'pool'>,
  workspaceIds: readonly string[],
): Promise<Set<string>> {
  const rows = await pool.query<{ workspace_id: string }>(
    'find-storage-owners',
    'select workspace_id from own_storage where is_default and workspace_id = any($1::uuid[])',
    [workspaceIds],
  )
  return new Set(rows.map((row) => row.workspace_id))
}

/** Whoever changes the buckets of a workspace does it alone, until the end of the transaction. */
export async function lockStorages(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`own_storage ${workspaceId}`}, 0))`.execute(
    tx,
  )
}

/** Makes this the bucket for new samples; one that is known by its id is changed. */
export async function saveDefault(tx: Tx, row: StorageRow): Promise<void> {
  await tx
    .updateTable('own_storage')
    .set({ is_default: false })
    .where('workspace_id', '=', row.workspace_id)
    .where('is_default', '=', true)
    .where('id', '<>', row.id)
    .execute()
  const { id: _, created_at: __, ...changed } = row
  await tx
    .insertInto('own_storage')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
    .execute()
  await tell(tx, row.workspace_id)
}

/** Forgets how to reach all buckets of a workspace; false when that was forgotten before. */
export async function forgetSecrets(tx: Tx, workspaceId: string, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('own_storage')
    .set({ is_default: false, secret: null, access_key_id: '', updated_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('secret', 'is not', null)
    .executeTakeFirst()
  await tell(tx, workspaceId)
  return numUpdatedRows > 0n
}

/** Forgets how to reach buckets that are no longer used for new samples and in which nothing is left. */
export async function forgetEmptyStorages(db: Db): Promise<number> {
  const { rows } = await sql<{ workspace_id: string }>`
    update own_storage o set secret = null, access_key_id = ''
    where not o.is_default and o.secret is not null
      and not exists (select 1 from object_erasure e where e.storage_id = o.id)
      and coalesce((
        select sum(s.samples) from sample_storage s
        where s.workspace_id = o.workspace_id and s.tag = '' and s.place = o.id::text
      ), 0) = 0
    returning o.workspace_id
  `.execute(db)
  return rows.length
}

async function tell(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_notify('own_storage_changed', ${workspaceId})`.execute(tx)
}
