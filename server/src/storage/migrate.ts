// Brings the database to this version's schema, one process at a time, all or nothing.
import { Kysely, Migrator, PostgresDialect } from 'kysely'
import pg from 'pg'
import { StartupProblem } from '../lib/startup-problem.ts'
import { checkRights, checkServer, checkSessions } from './check-server.ts'
import { readMigrations } from './read-migrations.ts'
import { settleSession } from './settle-session.ts'
import { mayComeBack, unreachable } from './until-reachable.ts'

// The migrator makes its own tables before it migrates, outside of the transaction.
const dropUnusedTables = `do $$ begin
  lock table kysely_migration in access exclusive mode;
  if not exists (select 1 from kysely_migration) then
    drop table kysely_migration, kysely_migration_lock;
  end if;
end $$`

const answerMs = 5000

export async function migrate(url: string): Promise<void> {
  const checks = { query_timeout: answerMs }
  await withPool(url, checks, async (pool) => {
    await checkServer(pool)
    await checkSessions(pool)
  })
  // A limit that suits requests does not suit the change of a table that has grown for years.
  await withPool(url, { verify: settleSession('set statement_timeout to 0') }, migrateAll)
  await withPool(url, checks, checkRights)
}

async function migrateAll(pool: pg.Pool): Promise<void> {
  const migrations = await readMigrations()
  const migrator = new Migrator({
    db: new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }),
    provider: { getMigrations: () => Promise.resolve(migrations) },
  })
  const { error } = await migrator.migrateToLatest()
  if (!error) return
  await pool.query(dropUnusedTables).catch(() => {})
  if (mayComeBack(error)) throw unreachable(error)
  throw new StartupProblem(migrationProblem(error), { cause: error })
}

async function withPool(
  url: string,
  more: pg.PoolConfig,
  act: (pool: pg.Pool) => Promise<void>,
): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'hone-migrate',
    ...more,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  try {
    await act(pool)
  } finally {
    await pool.end()
  }
}

const insufficientPrivilege = '42501'

// Another first migration: no release can have made that, because the first migration of releases never changes.
const otherFirstSchema =
  'The database was made by a version of Hone from before the release of 0.1.0, whose tables this version cannot read; start with an empty one (set HONE_DATA_DIR to another folder, or DATABASE_URL to another database if you use that), or go on with the version that made it.'

function migrationProblem(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  if (/previously executed migration 001-\S+ is missing/.test(why)) return otherFirstSchema
  if (/corrupted migrations/.test(why)) {
    return `The database was migrated by another version of Hone (${why}); start the version that made it, or a newer one.`
  }
  const next =
    error instanceof pg.DatabaseError && error.code === insufficientPrivilege
      ? '; let the role of DATABASE_URL create tables there, and make it the owner of the existing ones'
      : ''
  return `The database could not be migrated and was left as it was (${why})${next}.`
}
