// Counts bad tries to sign in, per address and per account, across all processes. A try is counted before the
// password is looked at and struck out if it was right, so that a burst at once cannot slip past the limit.
import { sql, type Transaction } from 'kysely'
import { loginTriesPerMinute } from '#contract/limits.ts'
import { newId } from '../lib/id.ts'
import type { Db } from '../storage/open-storage.ts'
import type { Database } from '../storage/schema.ts'

const windowMs = 60_000

export type LoginTry =
  { kind: 'counted'; id: string } | { kind: 'limited'; retryAfterSeconds: number }

export async function countLoginTry(
  db: Db,
  address: string,
  account: string,
  now: Date,
): Promise<LoginTry> {
  const since = new Date(now.getTime() - windowMs)
  return db.transaction().execute(async (tx) => {
    // One lock per address and account, always in the same order.
    for (const name of [`address ${address}`, `account ${account}`].sort()) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
    }
    const tries = await tx
      .selectFrom('login_try')
      .select(['created_at', 'address', 'account'])
      .where('created_at', '>', since)
      // Those of a clock that was ahead and is put right count no more, or nobody could sign in until it is that late.
      .where('created_at', '<', new Date(now.getTime() + windowMs))
      .where((eb) => eb.or([eb('address', '=', address), eb('account', '=', account)]))
      .orderBy('created_at')
      .execute()
    const full = [
      tries.filter((row) => row.address === address),
      tries.filter((row) => row.account === account),
    ].filter((rows) => rows.length >= loginTriesPerMinute)
    if (full.length > 0) {
      const freeAt = Math.max(
        ...full.map(
          (rows) => (rows.at(-loginTriesPerMinute)?.created_at.getTime() ?? 0) + windowMs,
        ),
      )
      const seconds = Math.ceil((freeAt - now.getTime()) / 1000)
      return { kind: 'limited', retryAfterSeconds: Math.min(60, Math.max(1, seconds)) }
    }
    const id = newId(now)
    await tx.insertInto('login_try').values({ id, address, account, created_at: now }).execute()
    return { kind: 'counted', id }
  })
}

export async function strikeOutLoginTry(db: Db, id: string): Promise<void> {
  await db.deleteFrom('login_try').where('id', '=', id).execute()
}

export async function deleteLoginTriesOf(tx: Transaction<Database>, userId: string): Promise<void> {
  await tx.deleteFrom('login_try').where('account', '=', userId).execute()
}

export async function deleteOldLoginTries(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('login_try').where('created_at', '<', before).execute()
}
