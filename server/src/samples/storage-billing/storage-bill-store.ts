// The tables of what storing costs: each day, and for each workspace what all days cost and how much of that was charged.
import { sql, type Transaction } from 'kysely'
import type { Picodollars } from '../../lib/money.ts'
import type { Db } from '../../storage/open-storage.ts'
import type { Database } from '../../storage/schema.ts'
import type { Day, DayUse, Meter } from './day-cost.ts'

export type WorkspaceMeter = Meter & { workspaceId: string }

/** Workspaces that were not looked at today and have a bill; with `others`, also those that have something stored. */
export async function readMeters(
  db: Db,
  today: Day,
  { others, limit }: { others: boolean; limit: number },
): Promise<WorkspaceMeter[]> {
  const { rows } = await sql<{
    workspace_id: string
    bytes: string
    last_day: string | null
    last_bytes: string | null
    doubted: string | null
  }>`
    select workspace_id, coalesce(s.bytes, 0) as bytes, b.day::text as last_day,
      b.bytes as last_bytes, b.doubted::text as doubted
    from (
      select workspace_id, sum(bytes) as bytes from sample_storage
      where tag = '' and place = 'platform' group by workspace_id
    ) s
    full join storage_bill b using (workspace_id)
    where (b.day <> ${today}::date and b.doubted is distinct from ${today}::date)
      or (${others} and b.day is null and s.bytes > 0)
    order by workspace_id limit ${limit}
  `.execute(db)
  return rows.map((row) => ({
    workspaceId: row.workspace_id,
    bytes: BigInt(row.bytes),
    last:
      row.last_day === null || row.last_bytes === null
        ? null
        : { day: row.last_day, bytes: BigInt(row.last_bytes) },
    doubted: row.doubted,
  }))
}

export type Booking = { workspaceId: string; bytes: bigint; days: DayUse[] }

/** Each workspace and day counts once, whoever books it and how often. */
export async function bookDays(
  db: Db,
  today: Day,
  price: Picodollars,
  bookings: readonly Booking[],
): Promise<void> {
  if (bookings.length === 0) return
  const days = bookings.flatMap(({ workspaceId, days }) =>
    days.map((day) => ({ workspaceId, ...day })),
  )
  await sql`
    with booked as (
      insert into storage_day (workspace_id, day, bytes, price, cost)
      select d.workspace_id, d.day, d.bytes, ${price.toString()}::numeric, d.cost
      from unnest(
        ${days.map(({ workspaceId }) => workspaceId)}::uuid[], ${days.map(({ day }) => day)}::date[],
        ${days.map(({ bytes }) => bytes.toString())}::bigint[],
        ${days.map(({ cost }) => cost.toString())}::numeric[]
      ) as d (workspace_id, day, bytes, cost)
      on conflict (workspace_id, day) do nothing
      returning workspace_id, cost
    )
    insert into storage_bill as b (workspace_id, day, bytes, accrued, charged)
    select w.workspace_id, ${today}::date, w.bytes,
      coalesce((select sum(cost) from booked where booked.workspace_id = w.workspace_id), 0), 0
    from unnest(
      ${bookings.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${bookings.map(({ bytes }) => bytes.toString())}::bigint[]
    ) as w (workspace_id, bytes)
    on conflict (workspace_id) do update set
      day = excluded.day, bytes = excluded.bytes, doubted = null,
      accrued = b.accrued + excluded.accrued
  `.execute(db)
}

export async function doubtDay(db: Db, day: Day, workspaceIds: readonly string[]): Promise<void> {
  if (workspaceIds.length === 0) return
  await sql`
    update storage_bill set doubted = ${day}::date where workspace_id = any(${workspaceIds}::uuid[])
  `.execute(db)
}

export const centPicodollars = 10_000_000_000n

/** Workspaces that owe a whole cent or more, with the wallet that pays. */
export async function listDueBills(
  db: Db,
  after: string | null,
  limit: number,
): Promise<{ workspaceId: string; walletId: string }[]> {
  const { rows } = await sql<{ workspace_id: string; org_id: string }>`
    select b.workspace_id, w.org_id from storage_bill b join workspace w on w.id = b.workspace_id
    where b.accrued - b.charged >= 10000000000 and (${after}::uuid is null or b.workspace_id > ${after}::uuid)
    order by b.workspace_id limit ${limit}
  `.execute(db)
  return rows.map((row) => ({ workspaceId: row.workspace_id, walletId: row.org_id }))
}

/** Nobody else charges this workspace until the transaction ends. */
export async function lockBill(
  tx: Transaction<Database>,
  workspaceId: string,
): Promise<{ accrued: Picodollars; charged: Picodollars }> {
  const row = await tx
    .selectFrom('storage_bill')
    .select(['accrued', 'charged'])
    .where('workspace_id', '=', workspaceId)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { accrued: BigInt(row.accrued), charged: BigInt(row.charged) }
}

export async function markCharged(
  tx: Transaction<Database>,
  workspaceId: string,
  charged: Picodollars,
): Promise<void> {
  await tx
    .updateTable('storage_bill')
    .set({ charged: charged.toString() })
    .where('workspace_id', '=', workspaceId)
    .execute()
}
