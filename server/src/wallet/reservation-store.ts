// The table of reservations: funds of a wallet that jobs reserve before they begin.
import { type Transaction, sql } from 'kysely'
import type { ReservationPurpose } from '#contract/wallet.ts'
import type { Picodollars } from '../lib/money.ts'
import type { Db, Storage } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

export type Reserving = {
  id: string
  walletId: string
  workspaceId: string
  purpose: ReservationPurpose
  /** The attempt. */
  reference: string
  amount: Picodollars
  at: Date
}

export type ReserveOutcome =
  | { outcome: 'reserved' | 'ended' }
  | { outcome: 'short'; missing: Picodollars; leased: Picodollars }

export async function insertReservation(
  storage: Storage,
  reserving: Reserving,
): Promise<ReserveOutcome> {
  const { id, walletId, workspaceId, purpose, reference, amount, at } = reserving
  const [row] = await storage.pool.query<{
    outcome: ReserveOutcome['outcome']
    missing: string
    in_leases: string
  }>(
    'reserve_funds',
    `select outcome, missing, in_leases from reserve_funds($1, $2, $3, $4, $5, $6, $7)`,
    [id, walletId, workspaceId, purpose, reference, amount.toString(), at],
  )
  if (!row) throw new Error('reserve_funds returned nothing')
  const { outcome } = row
  if (outcome !== 'short') return { outcome }
  return { outcome, missing: BigInt(row.missing), leased: BigInt(row.in_leases) }
}

export type Ending = {
  purpose: ReservationPurpose
  reference: string
  charge: Picodollars
  detail: Record<string, unknown>
  at: Date
}

/** What was charged when it first ended; null where nothing was reserved. */
export async function endReservation(
  storage: Storage,
  { purpose, reference, charge, detail, at }: Ending,
): Promise<Picodollars | null> {
  const [row] = await storage.pool.query<{ charged: string | null }>(
    'end_reservation',
    `select end_reservation($1, $2, $3, $4, $5) as charged`,
    [purpose, reference, charge.toString(), JSON.stringify(detail), at],
  )
  return row?.charged ? BigInt(row.charged) : null
}

export async function sumOpen(db: Db, walletId: string): Promise<Picodollars> {
  const row = await db
    .selectFrom('reservation')
    .select(sql<string | null>`sum(amount)`.as('reserved'))
    .where('wallet_id', '=', walletId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return BigInt(row?.reserved ?? 0)
}

export async function listCharged(
  db: Db,
  references: readonly string[],
): Promise<{ reference: string; purpose: ReservationPurpose; charged: Picodollars }[]> {
  const rows = await db
    .selectFrom('reservation')
    .select(['reference', 'purpose', 'charged'])
    .where('reference', 'in', references)
    .execute()
  return rows.map(({ reference, purpose, charged }) => ({
    reference,
    purpose: purpose as ReservationPurpose,
    charged: BigInt(charged ?? 0),
  }))
}

/** What is open, by wallet. */
export async function readOpenSums(db: Transaction<Database>): Promise<Map<string, Picodollars>> {
  const { rows } = await sql<{ wallet_id: string; open: string }>`
    select wallet_id, sum(amount) as open from reservation where ended_at is null
    group by wallet_id
  `.execute(db)
  return new Map(rows.map(({ wallet_id, open }) => [wallet_id, BigInt(open)]))
}

export type UnmatchedCharge = { walletId: string; purpose: string; reservation: string | null }

/** Charges that no ledger entry says the same of, and entries of jobs (`reservation` is null) that no reservation was charged for. */
export async function readUnmatchedCharges(db: Transaction<Database>): Promise<UnmatchedCharge[]> {
  const { rows } = await sql<{ wallet_id: string; purpose: string; reservation: string | null }>`
    select coalesce(r.wallet_id, e.wallet_id) as wallet_id, coalesce(r.purpose, e.kind) as purpose,
      r.id as reservation
    from (select * from reservation where charged > 0) r
    full join (
      select * from ledger_entry where kind in ('training', 'serving', 'scoring', 'retest')
    ) e on e.id = r.id and e.wallet_id = r.wallet_id and e.kind = r.purpose
      and e.workspace_id = r.workspace_id and e.amount = -r.charged
    where r.id is null or e.id is null
    order by 1, 2, 3
  `.execute(db)
  return rows.map(({ wallet_id, purpose, reservation }) => ({
    walletId: wallet_id,
    purpose,
    reservation,
  }))
}

export async function findReservation(
  db: Db,
  { purpose, reference }: Pick<Reserving, 'purpose' | 'reference'>,
): Promise<{ ended_at: Date | null } | null> {
  const row = await db
    .selectFrom('reservation')
    .select('ended_at')
    .where('purpose', '=', purpose)
    .where('reference', '=', reference)
    .executeTakeFirst()
  return row ?? null
}
