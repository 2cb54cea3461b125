// Brings the database to this version's schema, one process at a time, all or nothing.
import { Kysely, Migrator, PostgresDialect } from 'kysely'
import pg from 'pg'
import { StartupProblem } from '../lib/startup-problem.ts'
import { checkRights, checkServer, checkSessions } from './check-server.ts'
import * as accounts from './migrations/001-accounts.ts'
import * as wallet from './migrations/002-wallet.ts'
import * as promptCache from './migrations/003-prompt-cache.ts'
import * as usage from './migrations/004-usage.ts'
import * as calls from './migrations/005-calls.ts'
import * as samples from './migrations/006-samples.ts'
import * as search from './migrations/007-search.ts'
import * as ownStorage from './migrations/008-own-storage.ts'
import * as captureWriters from './migrations/009-capture-writers.ts'
import * as importSpeed from './migrations/010-import-speed.ts'
import * as leanLedger from './migrations/011-lean-ledger.ts'
import * as leanCounting from './migrations/012-lean-counting.ts'
import * as queuedBatches from './migrations/013-queued-batches.ts'
import * as missedCalls from './migrations/014-missed-calls.ts'
import * as oneRowACall from './migrations/015-one-row-a-call.ts'
import * as hangUps from './migrations/016-hang-ups.ts'
import * as feedbackBytes from './migrations/017-feedback-bytes.ts'
import * as textsOnce from './migrations/018-texts-once.ts'
import * as doubtedDays from './migrations/019-doubted-days.ts'
import * as leaseSteps from './migrations/020-lease-steps.ts'
import * as leanIndexes from './migrations/021-lean-indexes.ts'
import * as plainTexts from './migrations/022-plain-texts.ts'
import * as ledgerOrder from './migrations/023-ledger-order.ts'
import * as workspaceIndexes from './migrations/024-workspace-indexes.ts'
import * as usageDays from './migrations/025-usage-days.ts'
import * as deployments from './migrations/026-deployments.ts'
import { settleSession } from './settle-session.ts'
import { mayComeBack, unreachable } from './until-reachable.ts'

const migrations = {
  '001-accounts': accounts,
  '002-wallet': wallet,
  '003-prompt-cache': promptCache,
  '004-usage': usage,
  '005-calls': calls,
  '006-samples': samples,
  '007-search': search,
  '008-own-storage': ownStorage,
  '009-capture-writers': captureWriters,
  '010-import-speed': importSpeed,
  '011-lean-ledger': leanLedger,
  '012-lean-counting': leanCounting,
  '013-queued-batches': queuedBatches,
  '014-missed-calls': missedCalls,
  '015-one-row-a-call': oneRowACall,
  '016-hang-ups': hangUps,
  '017-feedback-bytes': feedbackBytes,
  '018-texts-once': textsOnce,
  '019-doubted-days': doubtedDays,
  '020-lease-steps': leaseSteps,
  '021-lean-indexes': leanIndexes,
  '022-plain-texts': plainTexts,
  '023-ledger-order': ledgerOrder,
  '024-workspace-indexes': workspaceIndexes,
  '025-usage-days': usageDays,
  '026-deployments': deployments,
}

// The migrator makes its own tables before it migrates, outside of the transaction.
const dropUnusedBooks = `do $$ begin
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
  const migrator = new Migrator({
    db: new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }),
    provider: { getMigrations: () => Promise.resolve(migrations) },
  })
  const { error } = await migrator.migrateToLatest()
  if (!error) return
  await pool.query(dropUnusedBooks).catch(() => {})
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

function migrationProblem(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  if (/corrupted migrations/.test(why)) {
    return `The database was migrated by another version of Hone (${why}); start the version that made it, or a newer one.`
  }
  const next =
    error instanceof pg.DatabaseError && error.code === insufficientPrivilege
      ? '; let the role of DATABASE_URL create tables there, and make it the owner of the existing ones'
      : ''
  return `The database could not be migrated and was left as it was (${why})${next}.`
}
