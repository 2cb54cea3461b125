// Which attempts are due, and which process works on them: a lease that runs out where its process dies.
import { sql } from 'kysely'
import type { Db } from '../../storage/open-storage.ts'
import { tables } from './attempt-tables.ts'
import type { AttemptRow } from './attempt.ts'

/** What waits for a decision is closed when its time has passed. */
const isWalked = sql<boolean>`(result = 'running' or decide_by is not null)`

/**
 * Those whose time has come and that no other process works on, one at a time: what is being stopped or ends first, then the longest due
 * first. `onlyEnding`: none but the former.
 */
export async function claimDue(
  db: Db,
  claim: {
    now: Date
    until: Date
    processId: string
    except: readonly string[]
    onlyEnding?: boolean
  },
): Promise<AttemptRow | null> {
  const { now, until, processId, except, onlyEnding = false } = claim
  const isEnding = sql`(cancelled_at is not null or state->'closing' is not null)`
  const { rows } = await sql<AttemptRow>`
    update attempt set leased_until = ${until}, leased_by = ${processId}
    where id = (
      select id from attempt
      where ${isWalked} and wake_at <= ${now} and id <> all(${except}::uuid[])
        and (leased_until is null or leased_until <= ${now} or leased_by = ${processId})
        and (${isEnding} or not ${onlyEnding}::boolean)
      order by ${isEnding} desc, wake_at limit 1 for update skip locked
    )
    returning *
  `.execute(db)
  return rows[0] ?? null
}

/** Puts it aside until then. One that was cancelled meanwhile stays due. */
export async function sleepUntil(
  db: Db,
  { id, revision, cancelled_at }: AttemptRow,
  { until, leasedUntil, processId }: { until: Date; leasedUntil: Date | null; processId: string },
): Promise<void> {
  await sql`
    update attempt set leased_until = ${leasedUntil},
      wake_at = case when cancelled_at is not distinct from ${cancelled_at}::timestamptz
        then ${until} else wake_at end
    where id = ${id} and revision = ${revision} and leased_by = ${processId}
  `.execute(db)
}

/** Those that wait for funds ask the wallet again at once. */
export async function wakeForFunds(db: Db, orgId: string, at: Date): Promise<void> {
  const longAgo = JSON.stringify(new Date(0))
  await sql`
    with woken as (
      update attempt set wake_at = ${at}, revision = revision + 1,
        state = jsonb_set(state, '{funds,asked_at}', ${longAgo}::jsonb)
      where org_id = ${orgId} and result = 'running' and state->>'phase' = 'waiting_for_funds'
      returning id
    )
    select pg_notify('attempt_due', '') from woken limit 1
  `.execute(db)
}

/** Since when the longest due one waits that no process works on. */
export async function readOldestDue(db: Db, now: Date): Promise<Date | null> {
  const row = await tables(db)
    .selectFrom('attempt')
    .select('wake_at')
    .where(isWalked)
    .where('wake_at', '<=', now)
    .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', now)]))
    .orderBy('wake_at')
    .limit(1)
    .executeTakeFirst()
  return row?.wake_at ?? null
}
