// A database of its own for a test, on one server that all test files of a run share. The test
// runner starts that server and names it in HONE_TEST_DATABASE_URL; a test file that is run alone
// starts one for itself.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '#server/storage/migrate.ts'
import { startEmbeddedPostgres } from '#server/storage/embedded-postgres/start-embedded-postgres.ts'

/** It goes with the server at the end of the run: dropping each one costs more than keeping them. */
export interface TestDatabase {
  url: string
}

export interface TestServer {
  /** An admin URL, for HONE_TEST_DATABASE_URL. */
  url: string
  stop(): Promise<void>
}

/** A server in a passing folder. A test needs none of its rows after a power cut, so it does not wait for the disk. */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hone-test-database-'))
  const server = await startEmbeddedPostgres({
    dataDir,
    log: () => undefined,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      // It would visit the databases of all tests in turn, none of which lives long enough to need it.
      autovacuum: 'off',
    },
  })
  await execute(server.url, `create database ${migrated}`)
  await migrate(urlOf(server.url, migrated))
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A database as Hone leaves it after its migrations, which are made once for all tests and copied. */
export function testDatabase(): Promise<TestDatabase> {
  return copyOf(migrated)
}

export function emptyDatabase(): Promise<TestDatabase> {
  return copyOf('template1')
}

/** Nobody may be connected to the template. */
export async function copyOf(template: string): Promise<TestDatabase> {
  const admin = process.env.HONE_TEST_DATABASE_URL ?? (await ownServer()).url
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`
  await execute(admin, `create database ${name} template "${template}"`)
  return { url: urlOf(admin, name) }
}

let own: Promise<TestServer> | undefined

// Not a hook of node:test: the test runner imports this file too, and is no test. A process that is
// made to exit before this leaves its folder behind, but not the server, which never outlives it.
function ownServer(): Promise<TestServer> {
  own ??= startTestServer().then((server) => {
    process.once('beforeExit', () => void server.stop())
    return server
  })
  return own
}

const migrated = 'hone_migrated'

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, statement_timeout: 60_000 })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
