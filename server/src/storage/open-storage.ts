// One process's way to the database: typed queries, prepared statements for the hot path, and changes heard
// from other processes.
import { Kysely, PostgresDialect } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { afterStatement } from '../lib/crash-point.ts'
import { within } from '../lib/within.ts'
import { Changes } from './changes.ts'
import { GuardedPool } from './guarded-pool.ts'
import type { Database } from './schema.ts'
import { asStorageError } from './storage-unavailable.ts'

// A database that has stalled does not answer a goodbye either.
const closeMsMax = 3000

export type Db = Kysely<Database>

export type Storage = {
  db: Db
  pool: GuardedPool
  changes: Changes
  /** How long the answer to one statement is waited for. */
  queryMs: number
  close(): Promise<void>
}

export type StorageOptions = {
  connectionsMax?: number
  /** How long anybody waits for a connection, and for the answer to one statement. */
  connectMs?: number
  queryMs?: number
}

export async function openStorage(
  url: string,
  clock: Clock,
  options: StorageOptions = {},
): Promise<Storage> {
  const storage = makeStorage(url, clock, options)
  await hearChanges(storage)
  return storage
}

/** Until it hears of changes it can be asked, and nothing that was asked may be remembered. */
export async function hearChanges({ changes }: Storage): Promise<void> {
  try {
    await changes.open()
  } catch (error) {
    throw asStorageError(error)
  }
}

/** Goes to the database only once it is asked something. */
export function makeStorage(url: string, clock: Clock, options: StorageOptions = {}): Storage {
  const queryMs = options.queryMs ?? 4000
  const pool = new GuardedPool({
    url,
    connectionsMax: options.connectionsMax ?? 16,
    connectMs: options.connectMs ?? 3000,
    queryMs,
  })
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    ...(afterStatement && { log: ({ query }) => afterStatement?.(query.sql) }),
  })
  const changes = new Changes(url, clock)
  return {
    db,
    pool,
    changes,
    queryMs,
    async close() {
      await within(closeMsMax, Promise.all([changes.close(), db.destroy()]))
    },
  }
}
