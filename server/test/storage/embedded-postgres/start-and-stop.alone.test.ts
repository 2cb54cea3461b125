// An ordinary life: the first start, the settings it runs with, a stop that leaves nothing, the
// next start.

import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { honeProcess } from './hone-process.ts'
import { isAlive, scratchFolder, serversUnder, watchdogOf } from './scratch.ts'

const dataDir = join(scratchFolder(), 'data')

test('a first start makes a database, a stop leaves no process, and the next start has the rows', async () => {
  const first = honeProcess({ dataDir, durable: true })
  const { pid } = await first.next('started')
  assert.deepEqual(first.logged, ['Preparing the database for its first start.'])
  const watchdog = watchdogOf(pid)
  assert.ok(watchdog)
  await first.query('create table kept as select 7 as value')
  await first.stop()
  await assert.rejects(first.next('exited'), 'one that was stopped did not end by itself')
  assert.ok(!isAlive(pid) && !isAlive(watchdog))
  assert.deepEqual(serversUnder(dataDir), [])
  assert.deepEqual(readdirSync(dataDir).sort(), [
    'hone.lock',
    'postgres',
    'postgres-socket',
    'postgres.log',
  ])

  const second = honeProcess({ dataDir, durable: true })
  await second.next('started')
  assert.deepEqual(second.logged, [])
  assert.deepEqual(await second.query('select value from kept'), [{ value: 7 }])
  await second.stop()
})

test('the database is durable, in UTF-8 and reachable through a private socket only', async () => {
  // As a restored backup may be, which the server would refuse.
  chmodSync(join(dataDir, 'postgres'), 0o755)
  const hone = honeProcess({ dataDir, durable: true })
  const { url } = await hone.next('started')
  const wanted = {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    max_connections: '100',
    shared_buffers: '128MB',
    autovacuum: 'on',
    jit: 'off',
    listen_addresses: '',
    log_error_verbosity: 'terse',
    log_timezone: 'UTC',
    server_encoding: 'UTF8',
    unix_socket_permissions: '0700',
    wal_level: 'replica',
  }
  const names = Object.keys(wanted).map((name) => `current_setting('${name}') as ${name}`)
  assert.deepEqual(await hone.query(`select ${names.join(', ')}`), [wanted])
  assert.deepEqual(
    await hone.query(
      `select datlocprovider as provider, datlocale as locale from pg_database where datname = 'hone'`,
    ),
    [{ provider: 'b', locale: 'C.UTF-8' }],
  )
  assert.equal(statSync(join(dataDir, 'postgres-socket')).mode & 0o777, 0o700)
  assert.equal(statSync(join(dataDir, 'postgres')).mode & 0o777, 0o700)
  assert.equal(statSync(join(dataDir, 'postgres.log')).mode & 0o777, 0o600)
  assert.equal(statSync(join(dataDir, 'database-url')).mode & 0o777, 0o600)
  assert.ok(url.startsWith('postgres://hone@%2F'))
  await hone.stop()
})

test('any name of a folder will do, and variables meant for another database change nothing', async () => {
  const dataDir = join(scratchFolder(), `a "b", 'c' é%20=`)
  const env = { PGPORT: '1', PGHOST: 'nowhere', PGDATA: '/nowhere', PGSSLMODE: 'require' }
  const options = { PGOPTIONS: '-c search_path=elsewhere -c no.such=1' }
  const hone = honeProcess({ dataDir, env: { ...env, ...options, LC_ALL: 'xx_XX' } })
  await hone.next('started')
  assert.deepEqual(await hone.query('select 1 as one'), [{ one: 1 }])
  assert.deepEqual(await hone.query('show search_path'), [{ search_path: 'public' }])
  await hone.stop()
})

test(
  'the server knows nothing of the secrets of Hone',
  { skip: process.platform !== 'linux' },
  async () => {
    const env = { HONE_SECRET: 'kept from others', UPSTREAM_KEY: 'kept from others too' }
    const hone = honeProcess({ dataDir, env })
    const { pid } = await hone.next('started')
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const names = entries.map((entry) => entry.split('=')[0] ?? '')
    assert.ok(names.includes('PATH'), String(names))
    assert.deepEqual(
      names.filter((name) => name in env),
      [],
    )
    await hone.stop()
  },
)

test('a path too long for a socket gets a private folder among the temporary ones', async () => {
  const dataDir = join(scratchFolder(), 'a-rather-long-name-'.repeat(5))
  const tmp = scratchFolder(0o755)
  const hone = honeProcess({ dataDir, env: { TMPDIR: tmp } })
  const { url } = await hone.next('started')
  const folder = decodeURIComponent(new URL(url).hostname)
  assert.equal(dirname(folder), tmp)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  await hone.stop()

  const again = honeProcess({ dataDir, env: { TMPDIR: tmp } })
  assert.equal((await again.next('started')).url, url)
  await again.stop()
})

test('what a start that was cut short has left is gone after the next', async () => {
  const unfinished = join(dataDir, 'postgres.new-abc123')
  mkdirSync(join(unfinished, 'base'), { recursive: true })
  writeFileSync(join(unfinished, 'PG_VERSION'), '18')
  const hone = honeProcess({ dataDir })
  await hone.next('started')
  await hone.stop()
  assert.equal(existsSync(unfinished), false)
})

test('a log over ten megabytes begins anew', async () => {
  truncateSync(join(dataDir, 'postgres.log'), 11 * 1024 * 1024)
  const hone = honeProcess({ dataDir })
  await hone.next('started')
  await hone.stop()
  assert.ok(statSync(join(dataDir, 'postgres.log')).size < 100_000)
})

test('without Unix sockets the server listens on 127.0.0.1 and wants its password', async () => {
  const dataDir = scratchFolder()
  const hone = honeProcess({ dataDir, system: { transport: 'loopback' } })
  const { url } = await hone.next('started')
  assert.deepEqual(await hone.query('select 1 as one'), [{ one: 1 }])
  assert.equal(statSync(join(dataDir, 'postgres-password')).mode & 0o777, 0o600)

  const wrong = new URL(url)
  assert.equal(wrong.hostname, '127.0.0.1')
  wrong.password = 'wrong'
  const client = new Client({ connectionString: wrong.href })
  await assert.rejects(client.connect(), /password authentication failed/)
  await hone.stop()
})
