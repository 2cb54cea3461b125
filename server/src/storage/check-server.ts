// What a database must be and must allow for Hone to work on it. Each thing it lacks is told at the start: later it would be
// an internal error of some request, and a text that is lost.
import type pg from 'pg'
import { StartupProblem } from '../lib/startup-problem.ts'
import type { Database } from './schema.ts'
import { asStorageError } from './storage-unavailable.ts'
import { unreachable } from './until-reachable.ts'

const versionMin = 15

/** Before anything is made in it. */
export async function checkServer(pool: pg.Pool): Promise<void> {
  const { version, encoding } = await serverFacts(pool)
  if (version < versionMin) {
    throw new StartupProblem(
      `The database is PostgreSQL ${version}; Hone needs ${versionMin} or newer, so point DATABASE_URL at one.`,
    )
  }
  if (encoding !== 'UTF8') {
    throw new StartupProblem(
      `The database has the encoding ${encoding}, which cannot store every character; point DATABASE_URL at one with the encoding UTF8.`,
    )
  }
}

const rounds = 4

/**
 * A pooler that lends its connections for a transaction gives itself away: one connection is served by several sessions of the
 * server, or two by one. Behind it nobody would hear that a key was revoked elsewhere, because what listens is a session.
 */
export async function checkSessions(pool: pg.Pool): Promise<void> {
  const clients: pg.PoolClient[] = []
  try {
    // One by one: if there is no second connection, the first has to be given back.
    while (clients.length < 2) clients.push(await pool.connect().catch(failUnreachable))
    const sessions = clients.map(() => new Set<number>())
    for (let round = 0; round < rounds; round += 1) {
      for (const [of, client] of clients.entries()) sessions[of]?.add(await sessionOf(client))
    }
    const all = new Set(sessions.flatMap((ofClient) => [...ofClient]))
    if (all.size === clients.length && sessions.every(({ size }) => size === 1)) return
  } finally {
    for (const client of clients) client.release()
  }
  throw new StartupProblem(
    'DATABASE_URL leads to a connection pooler in transaction mode, over which Hone cannot receive notifications; point it at the server itself, or at a pooler in session mode.',
  )
}

async function sessionOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client
    .query<{ session: number }>('select pg_backend_pid() as session')
    .catch(failUnreachable)
  return rows[0]?.session ?? 0
}

async function serverFacts(pool: pg.Pool): Promise<{ version: number; encoding: string }> {
  try {
    const { rows } = await pool.query<{ version: string; encoding: string }>(
      `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding`,
    )
    return {
      version: Math.floor(Number(rows[0]?.version) / 10_000),
      encoding: rows[0]?.encoding ?? 'unknown',
    }
  } catch (error) {
    throw unreachable(error)
  }
}

function failUnreachable(error: unknown): never {
  throw unreachable(error)
}

/** Every call writes into these, and rows of some are changed. */
const writtenTables: (keyof Database)[] = ['wallet', 'ledger_entry', 'usage_record', 'api_key']
const changedTables: (keyof Database)[] = ['wallet', 'usage_record', 'api_key']

/** Once the tables are there: another role may have made them. */
export async function checkRights(pool: pg.Pool): Promise<void> {
  const { rows } = await pool
    .query<{ name: string }>(
      `select name from unnest($1::text[]) as name where not has_table_privilege(name, 'insert')
        or (name = any($2::text[]) and not has_table_privilege(name, 'update'))`,
      [writtenTables, changedTables],
    )
    .catch((error: unknown) => {
      throw asStorageError(error)
    })
  if (rows.length === 0) return
  throw new StartupProblem(
    `The role of DATABASE_URL may not write into ${rows.map(({ name }) => name).join(', ')}; grant it select, insert, update and delete on all tables of Hone.`,
  )
}
