// One moment of the database, for several statements that must fit together: a segment that is replaced meanwhile is still
// there. Every statement is bounded in time, and so are all together.
import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import { Refusal } from '../../core/refusal.ts'
import type { Storage } from '../../storage/open-storage.ts'
import { codeOf, isCancelled } from '../../storage/storage-unavailable.ts'

/** Longer than any list should take, and shorter than what the pool takes for a database that does not answer. */
const statementMs = 2500
const turnMs = 2000

// Rows are found one by one, in the order that lists have; a plan that reads a whole table at first is never the better one.
const begin = `begin isolation level repeatable read read only;
  set local statement_timeout = ${statementMs};
  set local enable_seqscan = off; set local enable_hashjoin = off;
  set local enable_mergejoin = off; set local jit = off`

export type Snapshot = {
  rows<Row>(query: RawBuilder<Row>): Promise<Row[]>
  /** A statement whose plan is kept, for one that is always the same. */
  prepared<Row>(name: string, text: string, values: readonly unknown[]): Promise<Row[]>
}

export async function inSnapshot<T>(
  storage: Pick<Storage, 'db' | 'pool'>,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const client = await storage.pool.connect()
  const snapshot: Snapshot = {
    async rows<Row>(query: RawBuilder<Row>) {
      const { sql: text, parameters } = query.compile(storage.db)
      return (await client.query<Row & pg.QueryResultRow>(text, parameters)).rows
    },
    async prepared<Row>(name: string, text: string, values: readonly unknown[]) {
      const config = { name, text, values: [...values] }
      return (await client.query<Row & pg.QueryResultRow>(config)).rows
    },
  }
  try {
    await client.query(begin)
    const result = await work(snapshot)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw explained(error)
  } finally {
    client.release()
  }
}

/** Waits for its turn: one search of a workspace at a time, in all processes together. */
export async function takeTurn(snapshot: Snapshot, workspaceId: string): Promise<void> {
  try {
    await snapshot.rows(sql`
      select set_config('lock_timeout', ${String(turnMs)}, true),
        pg_advisory_xact_lock(hashtextextended('searching ' || ${workspaceId}, 0))::text
    `)
  } catch (error) {
    throw codeOf(error) === lockNotAvailable ? searchIsRunning() : error
  }
}

const lockNotAvailable = '55P03'

function explained(error: unknown): unknown {
  return isCancelled(error) || codeOf(error) === lockNotAvailable ? tookTooLong() : error
}

export function tookTooLong(): Refusal {
  return new Refusal(
    'UNAVAILABLE',
    'Reading took too long and was stopped; ask for less, for example a shorter time span, a longer text or no exact count.',
    { retryAfterSeconds: 2 },
  )
}

export function searchIsRunning(): Refusal {
  return new Refusal(
    'RATE_LIMITED',
    'Too many searches are running at once; wait a second and try again.',
    { retryAfterSeconds: 1 },
  )
}
