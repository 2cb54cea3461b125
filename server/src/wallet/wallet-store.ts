// The wallet's tables and functions; charges of calls have a file of their own beside it.
import { type Selectable, type Transaction as DbTransaction, sql } from 'kysely'
import { formatUsd, type Picodollars } from '../lib/money.ts'
import type { Transaction } from '#contract/wallet.ts'
import type { Db, Storage } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

export type Funds = {
  entryId: string
  walletId: string
  kind: 'top_up' | 'grant'
  amount: Picodollars
  workspaceId: string | null
  keyId: string | null
  idempotencyKey: string | null
  detail: Record<string, unknown>
  at: Date
}

export async function insertWallet(db: DbTransaction<Database>, walletId: string): Promise<void> {
  await db
    .insertInto('wallet')
    .values({ id: walletId, balance: '0', leased: '0', reserved: '0' })
    .execute()
}

/** The balance after, or null when the idempotency key was used before. */
export async function addFunds(
  db: Db | DbTransaction<Database>,
  funds: Funds,
): Promise<Picodollars | null> {
  const { rows } = await sql<{ balance_after: string }>`
    select balance_after from add_funds(
      ${funds.entryId}, ${funds.walletId}, ${funds.kind}, ${funds.amount.toString()},
      ${funds.workspaceId}, ${funds.keyId}, ${funds.idempotencyKey},
      ${JSON.stringify(funds.detail)}, ${funds.at})
  `.execute(db)
  return rows[0] ? BigInt(rows[0].balance_after) : null
}

export type Taking = Omit<Funds, 'kind' | 'keyId'> & { kind: 'storage'; idempotencyKey: string }

/** False when what is neither leased nor reserved does not cover it. */
export async function takeFunds(db: DbTransaction<Database>, taking: Taking): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select take_funds(
      ${taking.entryId}, ${taking.walletId}, ${taking.kind}, ${taking.amount.toString()},
      ${taking.workspaceId}, ${taking.idempotencyKey}, ${JSON.stringify(taking.detail)},
      ${taking.at}) as taken
  `.execute(db)
  return rows[0]?.taken ?? false
}

export async function readBalance(db: Db, walletId: string): Promise<Picodollars> {
  const row = await db
    .selectFrom('wallet')
    .select('balance')
    .where('id', '=', walletId)
    .executeTakeFirstOrThrow()
  return BigInt(row.balance)
}

/** Of these ids, which may be any text, those of wallets that are here. */
export async function presentWallets(
  storage: Storage,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await storage.pool.query<{ id: string }>(
    'present_wallets',
    'select id from wallet where id::text = any($1)',
    [ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** What the leases of other processes last said they hold; what was paid since is not held any more. */
export async function readHeldElsewhere(
  db: Db,
  walletId: string,
  processId: string,
): Promise<Picodollars> {
  const row = await db
    .selectFrom('wallet_lease')
    .select(sql<string | null>`sum(least(held, amount))`.as('held'))
    .where('wallet_id', '=', walletId)
    .where('process_id', '<>', processId)
    .executeTakeFirst()
  return BigInt(row?.held ?? 0)
}

/** The same step again changes nothing and says the same. */
export async function enlargeLease(
  storage: Storage,
  lease: { id: string; step: number; walletId: string; processId: string; lifetimeMs: number },
  wanted: Picodollars,
  spare: Picodollars,
): Promise<{ granted: Picodollars; others: Picodollars; lost: boolean }> {
  const [row] = await storage.pool.query<{ granted: string; others: string; lost: boolean }>(
    'enlarge_lease',
    `select granted, others, lost from enlarge_lease($1, $2, $3, $4, $5, $6, make_interval(secs => $7))`,
    [
      lease.id,
      lease.step,
      lease.walletId,
      lease.processId,
      wanted.toString(),
      spare.toString(),
      lease.lifetimeMs / 1000,
    ],
  )
  if (!row) throw new Error('enlarge_lease returned nothing')
  return { granted: BigInt(row.granted), others: BigInt(row.others), lost: row.lost }
}

/** The same step again changes nothing. */
export async function returnLease(
  storage: Storage,
  lease: { id: string; step: number; walletId: string },
  amount: Picodollars,
): Promise<void> {
  await storage.pool.query('return_lease', `select return_lease($1, $2, $3, $4)`, [
    lease.id,
    lease.step,
    lease.walletId,
    amount.toString(),
  ])
}

/** With whatever the database has in them. */
export async function endLeases(storage: Storage, ids: readonly string[]): Promise<void> {
  await storage.pool.query('end_leases', `select end_leases($1)`, [ids])
}

/** Ids of the leases that are still ours. */
export async function renewLeases(
  storage: Storage,
  leases: { id: string; held: Picodollars }[],
  lifetimeMs: number,
): Promise<Set<string>> {
  const rows = await storage.pool.query<{ id: string }>(
    'renew_leases',
    `update wallet_lease l
       set expires_at = clock_timestamp() + make_interval(secs => $3), held = v.held
       from unnest($1::uuid[], $2::numeric[]) as v (id, held)
       where l.id = v.id and l.expires_at > clock_timestamp()
       returning l.id`,
    [
      leases.map((lease) => lease.id),
      leases.map((lease) => lease.held.toString()),
      lifetimeMs / 1000,
    ],
  )
  return new Set(rows.map((row) => row.id))
}

export async function takeBackLeases(
  storage: Storage,
  ofEveryone: boolean,
): Promise<{ walletId: string; processId: string; amount: Picodollars }[]> {
  const rows = await storage.pool.query<{
    the_wallet: string
    process: string
    amount_returned: string
  }>('take_back_leases', `select the_wallet, process, amount_returned from take_back_leases($1)`, [
    ofEveryone,
  ])
  return rows.map((row) => ({
    walletId: row.the_wallet,
    processId: row.process,
    amount: BigInt(row.amount_returned),
  }))
}

export type LeaseSeen = { id: string; expires_at: string }

export async function readLeasesElsewhere(
  storage: Storage,
  walletId: string,
  processId: string | null,
): Promise<LeaseSeen[]> {
  return storage.pool.query<LeaseSeen>(
    'leases_elsewhere',
    `select id, expires_at::text from wallet_lease
       where wallet_id = $1 and process_id is distinct from $2`,
    [walletId, processId],
  )
}

export type SilentLeases = {
  /** In leases that nobody has renewed since they were seen. */
  amount: Picodollars
  /** Until the last of them runs out. */
  endsInSeconds: number
  /** What is free, and what other processes have leased and hold nothing in. */
  unheld: Picodollars
}

export async function readSilent(
  storage: Storage,
  walletId: string,
  processId: string | null,
  seen: readonly LeaseSeen[],
): Promise<SilentLeases> {
  const [row] = await storage.pool.query<{ amount: string; unheld: string; seconds: number }>(
    'silent_leases',
    `select coalesce(sum(l.amount) filter (where s.id is not null), 0) as amount,
       coalesce(sum(l.amount - least(l.held, l.amount)) filter (where s.id is null), 0)
         + (select balance - leased - reserved from wallet where id = $1) as unheld,
       coalesce(
         extract(epoch from max(l.expires_at) filter (where s.id is not null) - clock_timestamp()), 0
       )::float8 as seconds
       from wallet_lease l
       left join unnest($3::uuid[], $4::timestamptz[]) as s (id, expires_at)
         on s.id = l.id and s.expires_at = l.expires_at
       where l.wallet_id = $1 and l.process_id is distinct from $2`,
    [walletId, processId, seen.map(({ id }) => id), seen.map(({ expires_at }) => expires_at)],
  )
  return {
    amount: BigInt(row?.amount ?? 0),
    endsInSeconds: Math.max(0, row?.seconds ?? 0),
    unheld: BigInt(row?.unheld ?? 0),
  }
}

export async function recallLeases(storage: Storage, walletId: string): Promise<void> {
  await storage.pool.query('recall_leases', `select pg_notify('wallet_recall', $1)`, [walletId])
}

export async function listLedger(
  db: Db,
  walletId: string,
  page: { limit: number; beforeSeq: string | null },
): Promise<{ seq: string; transaction: Transaction }[]> {
  let query = entries(db).where('wallet_id', '=', walletId).orderBy('seq', 'desc').limit(page.limit)
  if (page.beforeSeq !== null) query = query.where('seq', '<', page.beforeSeq)
  return (await query.execute()).map((row) => ({ seq: row.seq, transaction: asTransaction(row) }))
}

export async function findByIdempotencyKey(
  db: Db,
  walletId: string,
  idempotencyKey: string,
): Promise<Transaction | null> {
  const row = await entries(db)
    .where('wallet_id', '=', walletId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst()
  return row ? asTransaction(row) : null
}

export type WalletSums = {
  walletId: string
  balance: Picodollars
  entries: Picodollars
  leased: Picodollars
  leases: Picodollars
  reserved: Picodollars
}

export async function readWalletSums(db: DbTransaction<Database>): Promise<WalletSums[]> {
  const { rows } = await sql<
    Record<'id' | 'balance' | 'entries' | 'leased' | 'leases' | 'reserved', string>
  >`
    select w.id, w.balance, w.leased, w.reserved,
      coalesce((select sum(amount) from ledger_entry e where e.wallet_id = w.id), 0) as entries,
      coalesce((select sum(amount) from wallet_lease l where l.wallet_id = w.id), 0) as leases
    from wallet w order by w.id
  `.execute(db)
  return rows.map((row) => ({
    walletId: row.id,
    balance: BigInt(row.balance),
    entries: BigInt(row.entries),
    leased: BigInt(row.leased),
    leases: BigInt(row.leases),
    reserved: BigInt(row.reserved),
  }))
}

function entries(db: Db) {
  return db
    .selectFrom('ledger_entry')
    .leftJoin('price_card', 'price_card.id', 'ledger_entry.price_card')
    .selectAll('ledger_entry')
    .select('prices')
}

type EntryRow = Selectable<Database['ledger_entry']> & {
  prices: Record<string, unknown> | null
}

function asTransaction(row: EntryRow): Transaction {
  return {
    id: row.id,
    kind: row.kind as Transaction['kind'],
    amount_usd: formatUsd(BigInt(row.amount)),
    workspace_id: row.workspace_id,
    key_id: row.key_id,
    request_id: row.request_id,
    detail: row.detail ?? callDetail(row),
    created_at: row.created_at.toISOString(),
  }
}

function callDetail(row: EntryRow): Record<string, unknown> {
  return {
    model: row.model,
    client_request_id: row.client_request_id,
    usage: {
      input_tokens: Number(row.input_tokens),
      cache_read_tokens: Number(row.cache_read_tokens),
      cache_write_5m_tokens: Number(row.cache_write_5m_tokens),
      cache_write_1h_tokens: Number(row.cache_write_1h_tokens),
      output_tokens: Number(row.output_tokens),
      thinking_tokens: Number(row.thinking_tokens),
    },
    prices_usd_per_token: row.prices,
  }
}
