// Adds calls to the sums of their days, each call once and always many at a time: fewer than that are read one by one as fast. What
// the sums know is said in the same transaction as the sums.
import { type RawBuilder, type Transaction, sql } from 'kysely'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'
import {
  dayOfCall,
  freeCalls,
  nameOfGroup,
  paidCalls,
  sumColumns,
  sumsOfCalls,
} from './call-rows.ts'

type Sql = RawBuilder<unknown>

const walletsAtOnce = 500

/** The last entry of the wallet's ledger that the sums know. */
export async function foldedUpTo(tx: Transaction<Database>, walletId: string): Promise<string> {
  const row = await tx
    .selectFrom('usage_fold')
    .select('seq')
    .where('wallet_id', '=', walletId)
    .executeTakeFirst()
  return row?.seq ?? '0'
}

/** Of the next wallets in order of id, those with entries enough or that were not seen; null after the last. */
export async function walletsToFold(
  db: Db,
  after: string,
  enough: number,
): Promise<{ last: string; ids: string[] } | null> {
  const { rows } = await sql<{ id: string; has_more: boolean }>`
    select w.id, coalesce(f.seen, 0) >= ${enough}
      or (select max(seq) from ledger_entry e where e.wallet_id = w.id) > coalesce(f.seen_seq, 0)
      as has_more
    from (select id from wallet where id > ${after} order by id limit ${walletsAtOnce}) as w
    left join usage_fold f on f.wallet_id = w.id order by w.id
  `.execute(db)
  const last = rows.at(-1)?.id
  if (last === undefined) return null
  return { last, ids: rows.filter((row) => row.has_more).map(({ id }) => id) }
}

/** Adds the next entries, or only counts them where they are too few. False then, and while another process is at it. */
export async function foldEntries(db: Db, walletId: string, atOnce: number): Promise<boolean> {
  await db
    .insertInto('usage_fold')
    .values({ wallet_id: walletId, seq: '0', seen_seq: '0', seen: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.transaction().execute(async (tx) => {
    const fold = await tx
      .selectFrom('usage_fold')
      .selectAll()
      .where('wallet_id', '=', walletId)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!fold) return false
    const next = await countEntries(tx, fold, Math.max(0, atOnce - fold.seen))
    const seen = fold.seen + next.count
    const isEnough = seen >= atOnce
    if (isEnough) {
      const entries = sql`(
        select * from ledger_entry
        where wallet_id = ${walletId} and seq > ${fold.seq} and seq <= ${next.last}
      ) as entry`
      await addToDays(tx, paidCalls(entries))
    }
    await tx
      .updateTable('usage_fold')
      .set({ seen_seq: next.last, ...(isEnough ? { seq: next.last, seen: 0 } : { seen }) })
      .where('wallet_id', '=', walletId)
      .execute()
    return isEnough
  })
}

async function countEntries(
  tx: Transaction<Database>,
  fold: { wallet_id: string; seen_seq: string },
  most: number,
): Promise<{ count: number; last: string }> {
  const { rows } = await sql<{ count: string; last: string | null }>`
    select count(*), max(seq) as last from (
      select seq from ledger_entry where wallet_id = ${fold.wallet_id} and seq > ${fold.seen_seq}
      order by seq limit ${most}
    ) as next
  `.execute(tx)
  return { count: Number(rows[0]?.count), last: rows[0]?.last ?? fold.seen_seq }
}

/** False when too few are left that no other process is at. */
export async function foldRecords(db: Db, atOnce: number): Promise<boolean> {
  const unfolded = sql`select request_id from usage_record where not folded limit ${atOnce}`
  const { rows } = await sql`select from (${unfolded} offset ${atOnce - 1}) as last`.execute(db)
  if (rows.length === 0) return false
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ request_id: string }>`${unfolded} for update skip locked`.execute(
      tx,
    )
    if (rows.length < atOnce) return false
    const ids = sql`${rows.map((row) => row.request_id)}::uuid[]`
    await sql`update usage_record set folded = true where request_id = any(${ids})`.execute(tx)
    await addToDays(tx, freeCalls(sql`usage_record where request_id = any(${ids})`))
    return true
  })
}

/** In the order in which all change them, so that no two wait for each other. */
const keys = sql`workspace_id, grouping, day, name`

async function addToDays(tx: Transaction<Database>, calls: Sql): Promise<void> {
  const named = sql`
    select *, ${dayOfCall} as day, ${nameOfGroup.model} as of_model, ${nameOfGroup.key} as of_key
    from (${calls}) as call`
  // Of what is not grouped by, there is none.
  const group = sql`workspace_id, day, coalesce(of_model, of_key, day::text) as name,
    case when of_model is not null then 'model' when of_key is not null then 'key' else 'day' end as grouping`
  const columns = sql.join(sumColumns.map((name) => sql.ref(name)))
  const added = sql.join(
    sumColumns.map((name) => {
      const [column, known, more] = [name, `usage_day.${name}`, `excluded.${name}`].map((of) =>
        sql.ref(of),
      )
      return sql`${column} = ${known} + ${more}`
    }),
  )
  // How many groups there are is not known before, and for thousands of them this is the one plan that takes minutes.
  await sql`set local enable_nestloop = off`.execute(tx)
  await sql`
    with named as materialized (${named}), days as (
      insert into usage_day (${keys}, ${columns})
      select ${keys}, ${columns} from (
        select ${group}, ${sumsOfCalls} from named
        group by grouping sets (
          (workspace_id, day), (workspace_id, day, of_model), (workspace_id, day, of_key))
      ) as sums order by ${keys}
      on conflict (${keys}) do update set ${added}
      returning id, ${keys}
    ), durations as (
      select ${group}, ms, sum(latencies) as latencies, sum(first_tokens) as first_tokens from (
        select workspace_id, day, of_model, of_key, latency as ms, 1 as latencies, 0 as first_tokens
        from named
        union all
        select workspace_id, day, of_model, of_key, first_token, 0, 1
        from named where first_token is not null
      ) as part
      group by grouping sets (
        (workspace_id, day, ms), (workspace_id, day, of_model, ms), (workspace_id, day, of_key, ms))
    )
    insert into usage_day_duration as known (day_id, ms, latencies, first_tokens)
    select id, ms, latencies, first_tokens from days join durations using (${keys})
    order by id, ms
    on conflict (day_id, ms) do update set latencies = known.latencies + excluded.latencies,
      first_tokens = known.first_tokens + excluded.first_tokens
  `.execute(tx)
}
