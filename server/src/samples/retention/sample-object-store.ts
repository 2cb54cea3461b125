// What erasing has to know of the tables of samples: whose time is over, which object each one holds, and by which other
// ids it is known.
import { sql, type Transaction } from 'kysely'
import { newId } from '../../lib/id.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'

export type ExpiredSample = {
  workspace_id: string
  id: string
  /** Of its text, wherever that is, and of all corrections. */
  bytes: number
  signals: number
}

/** Those whose time was over first. */
export async function listExpired(db: Db, now: Date, limit: number): Promise<ExpiredSample[]> {
  const { rows } = await sql<ExpiredSample>`
    select s.workspace_id, s.id, f.signals,
      (s.bytes + f.correction_bytes)::float8 as bytes
    from (
      select workspace_id, id, bytes from sample where expires_at <= ${now}
      order by expires_at limit ${limit}
    ) s cross join lateral (
      select count(*)::integer as signals, coalesce(sum(octet_length(correction)), 0) as correction_bytes
      from signal where sample_id = s.id
    ) f
  `.execute(db)
  return rows
}

/** The objects of those samples that exist, by sample; null where the text is on the platform. */
export async function readObjectKeys(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  return objectKeys(await objectKeyQuery(db, workspaceId, ids).execute())
}

/** The same, and until the transaction ends nobody else changes or deletes these samples. */
export async function lockObjectKeys(
  tx: Transaction<Database>,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  // Always in the same order, so that no two who delete some of the same samples wait for each other.
  return objectKeys(await objectKeyQuery(tx, workspaceId, ids).orderBy('id').forUpdate().execute())
}

function objectKeyQuery(
  db: Db | Transaction<Database>,
  workspaceId: string,
  ids: readonly string[],
) {
  return db
    .selectFrom('sample')
    .select(['id', 'object_key'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
}

function objectKeys(rows: { id: string; object_key: string | null }[]): Map<string, string | null> {
  return new Map(rows.map(({ id, object_key }) => [id, object_key]))
}

/** Ids that repeated calls since then were given for the same sample, the newest first. */
export async function listOtherIds(
  tx: Transaction<Database>,
  sample: { workspaceId: string; id: string },
  since: Date,
  limit: number,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('sample_alias')
    .select('id')
    .where('workspace_id', '=', sample.workspaceId)
    .where('sample_id', '=', sample.id)
    .where('id', '>=', newId(since))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
