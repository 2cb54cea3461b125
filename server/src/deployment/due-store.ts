// Which deployments are due, and which process works on them: a lease that runs out where its process dies.
import { sql } from 'kysely'
import type { Db } from '../storage/open-storage.ts'
import type { Claim } from '../storage/row-walker.ts'
import type { Database } from '../storage/schema.ts'

type StoredRow = Database['deployment']

/** Also deleted ones, until what they have is given back. */
export async function claimDue(
  db: Db,
  { now, until, processId, except, onlyEnding }: Claim,
): Promise<StoredRow | null> {
  const { rows } = await sql<StoredRow>`
    update deployment set leased_until = ${until}, leased_by = ${processId}
    where id = (
      select id from deployment
      where wake_at <= ${now} and id <> all(${except}::uuid[])
        and (leased_until is null or leased_until <= ${now} or leased_by = ${processId})
        and (not ${onlyEnding}::boolean or status in ('stopped', 'deleted'))
      order by wake_at limit 1 for update skip locked
    )
    returning *
  `.execute(db)
  return rows[0] ?? null
}

export async function readWalked(db: Db, id: string): Promise<StoredRow | null> {
  const row = await db.selectFrom('deployment').selectAll().where('id', '=', id).executeTakeFirst()
  return row ?? null
}

/** Puts it aside until then, unless it was changed meanwhile. */
export async function sleepUntil(
  db: Db,
  { id, revision }: Pick<StoredRow, 'id' | 'revision'>,
  until: Date | null,
): Promise<void> {
  await db
    .updateTable('deployment')
    .set({ wake_at: until, leased_until: null })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .execute()
}

/** Those that wait for funds of this organization ask the wallet again at once. */
export async function wakeForFunds(db: Db, orgId: string, at: Date): Promise<void> {
  await sql`
    with woken as (
      update deployment set wake_at = ${at}
      where status = 'paused_for_funds'
        and workspace_id in (select id from workspace where org_id = ${orgId})
      returning id
    )
    select pg_notify('deployment_due', '') from woken limit 1
  `.execute(db)
}
