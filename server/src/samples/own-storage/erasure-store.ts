// The table of objects that must leave a bucket.
import { sql, type Transaction } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import { readReference } from './object-key.ts'

type ErasureRow = Database['object_erasure']
export type Erasure = Pick<ErasureRow, 'storage_id' | 'object_key' | 'workspace_id' | 'sample_id'>
/** Of an object of a sample, by what the database remembers of it; null where that is nothing of Hone's. */
export function erasureOf(
  sample: { workspaceId: string; id: string },
  reference: string | null,
): Erasure | null {
  const held = reference === null ? null : readReference(reference)
  return (
    held && {
      storage_id: held.storageId,
      object_key: held.key,
      workspace_id: sample.workspaceId,
      sample_id: sample.id,
    }
  )
}

export type ClaimedErasure = Erasure & Pick<ErasureRow, 'tries'>

export async function insertErasures(
  db: Db | Transaction<Database>,
  erasures: readonly Erasure[],
  dueAt: Date,
): Promise<void> {
  if (erasures.length === 0) return
  const column = (name: keyof Erasure): string[] => erasures.map((erasure) => erasure[name])
  await sql`
    insert into object_erasure (storage_id, object_key, workspace_id, sample_id, tries, due_at)
    select g.*, 0, ${dueAt} from unnest(
      ${column('storage_id')}::uuid[], ${column('object_key')}::text[],
      ${column('workspace_id')}::uuid[], ${column('sample_id')}::uuid[]
    ) as g (storage_id, object_key, workspace_id, sample_id)
    where exists (select 1 from own_storage o where o.id = g.storage_id)
    on conflict (storage_id, object_key) do update set tries = 0, due_at = excluded.due_at
  `.execute(db)
}

/** Takes those whose time has come; nobody else takes them until the claim is over. */
export async function claimErasures(
  db: Db,
  claim: { now: Date; until: Date; limit: number },
): Promise<ClaimedErasure[]> {
  const { rows } = await sql<ClaimedErasure>`
    update object_erasure e set due_at = ${claim.until}, tries = e.tries + 1
    from (
      select storage_id, object_key from object_erasure
      where due_at <= ${claim.now} order by due_at limit ${claim.limit}
      for update skip locked
    ) due
    where e.storage_id = due.storage_id and e.object_key = due.object_key
    returning e.storage_id, e.object_key, e.workspace_id, e.sample_id, e.tries
  `.execute(db)
  return rows
}

export async function removeErasures(db: Db, erasures: readonly Erasure[]): Promise<void> {
  if (erasures.length === 0) return
  await sql`
    delete from object_erasure e
    using unnest(
      ${erasures.map(({ storage_id }) => storage_id)}::uuid[],
      ${erasures.map(({ object_key }) => object_key)}::text[]
    ) as d (storage_id, object_key)
    where e.storage_id = d.storage_id and e.object_key = d.object_key
  `.execute(db)
}

export async function postponeErasures(
  db: Db,
  erasures: readonly Erasure[],
  dueAt: Date,
): Promise<void> {
  if (erasures.length === 0) return
  await sql`
    update object_erasure e set due_at = ${dueAt}
    from unnest(
      ${erasures.map(({ storage_id }) => storage_id)}::uuid[],
      ${erasures.map(({ object_key }) => object_key)}::text[]
    ) as d (storage_id, object_key)
    where e.storage_id = d.storage_id and e.object_key = d.object_key
  `.execute(db)
}

/** Lets what must leave a disconnected bucket wait for it to be connected again; looks whether it was meanwhile. */
export async function parkErasures(
  db: Db,
  storageId: string,
  erasures: readonly Erasure[],
): Promise<void> {
  await sql`
    with disconnected as (
      select id from own_storage where id = ${storageId} and secret is null for share
    )
    update object_erasure set due_at = null
    where storage_id = (select id from disconnected)
      and object_key = any(${erasures.map(({ object_key }) => object_key)}::text[])
  `.execute(db)
}

/** A bucket that was just connected is asked at once for what it did not let go or could not be asked for. */
export async function wakeErasures(
  tx: Transaction<Database>,
  storageId: string,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('object_erasure')
    .set({ due_at: now })
    .where('storage_id', '=', storageId)
    .where((eb) => eb.or([eb('due_at', 'is', null), eb('tries', '>', 0)]))
    .execute()
}

/** Objects whose sample is gone, counted up to a limit. */
export async function countErasures(db: Db, workspaceId: string, max: number): Promise<number> {
  const { rows } = await sql<{ waiting: string }>`
    select count(*) as waiting from (
      select 1 from object_erasure e
      where e.workspace_id = ${workspaceId} and not exists (
        select 1 from sample s where s.workspace_id = e.workspace_id and s.id = e.sample_id
      )
      limit ${max}
    ) counted
  `.execute(db)
  return Number(rows[0]?.waiting ?? 0)
}
