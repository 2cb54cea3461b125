// What can be wrong when Hone starts: each is told in one sentence, ends with code 1, and leaves nothing
// running and nothing half done.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '#server/config.ts'
import { migrate } from '#server/storage/migrate.ts'
import { isRoot, nobody } from '#test/storage/embedded-postgres/scratch.ts'
import {
  honeFolder,
  honeProcess,
  type HoneProcessOptions,
  isQuiet,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { emptyDatabase } from '#test/support/test-database.ts'
import { callHttp } from '#test/support/test-hone.ts'

// What a slow or changed start says on its way; none of it is a problem.
const progress = [
  'Preparing the database for its first start.',
  'Stopping the database server that an earlier run left behind.',
  'The database was not shut down cleanly and is recovering.',
]

async function problemOf(options: HoneProcessOptions): Promise<string> {
  const hone = honeProcess(options)
  assert.deepEqual(await hone.ended, { code: 1, signal: null }, hone.stderr)
  assert.ok(isQuiet(hone))
  assert.doesNotMatch(hone.stdout, /set up|listens/)
  const said = hone.stderr.split('\n').filter((line) => line !== '' && !progress.includes(line))
  assert.equal(said.length, 1, `one line, not: ${hone.stderr}`)
  assert.doesNotMatch(said[0] ?? '', /^\s*at |node:internal|\w+Error:/)
  return said[0] ?? ''
}

async function takenPort(t: TestContext): Promise<number> {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.after(() => other.close())
  return (other.address() as AddressInfo).port
}

test('a taken port is named, and the next start still shows the owner once', async (t) => {
  const port = await takenPort(t)
  const dataDir = join(honeFolder(), 'data')
  assert.equal(
    await problemOf({ dataDir, env: { PORT: String(port) } }),
    `Port ${port} on 127.0.0.1 is taken; stop what uses it or set PORT to another.`,
  )
  const next = honeProcess({ dataDir })
  const url = await next.listening()
  const key = /API key +(\S+)/.exec(next.stdout)?.[1] ?? assert.fail('no key was shown')
  assert.equal((await callHttp(url, 'GET', '/api/wallet', { key })).status, 200)
  next.kill('SIGTERM')
  await next.ended
})

test('a host that is not of this machine is named', async () => {
  const problem = await problemOf({
    dataDir: await preparedFolder(),
    env: { HONE_HOST: '192.0.2.1' },
  })
  assert.match(problem, /^Cannot listen on 192\.0\.2\.1:0 \(.*\); check HONE_HOST and PORT\.$/)
})

test('a data folder below a file is named', async () => {
  const file = join(honeFolder(), 'file')
  writeFileSync(file, '')
  const dataDir = join(file, 'data')
  const problem = await problemOf({ dataDir })
  assert.ok(problem.includes(dataDir) && problem.includes('HONE_DATA_DIR'), problem)
})

test(
  'a folder on a file system that makes none is named',
  { skip: !existsSync('/proc/self') },
  async () => {
    const problem = await problemOf({ dataDir: '/proc/none/data' })
    assert.match(problem, /^Cannot make the data folder \/proc\/none\/data \(ENOENT.*HONE_DATA_DIR/)
    const env = { HONE_CATALOG: '/proc/none/catalog.json' }
    assert.match(
      await problemOf({ dataDir: await preparedFolder(), env }),
      /^Cannot write the catalog \/proc\/none\/catalog\.json \(ENOENT.*; set HONE_CATALOG/,
    )
  },
)

/** A folder that exists and cannot be written: root needs a read-only disk for that, or to step down. */
function unwritableFolder(t: TestContext): HoneProcessOptions {
  const folder = honeFolder()
  if (!isRoot) {
    chmodSync(folder, 0o500)
    return { dataDir: folder }
  }
  const dataDir = join(folder, 'disk')
  mkdirSync(dataDir)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,ro', 'tmpfs', dataDir]).status === 0) {
    t.after(() => spawnSync('umount', [dataDir]))
    return { dataDir }
  }
  chmodSync(folder, 0o755)
  return { dataDir, user: nobody }
}

test('a data folder that cannot be written is named', async (t) => {
  const options = unwritableFolder(t)
  const problem = await problemOf(options)
  assert.ok(problem.includes(options.dataDir) && /HONE_DATA_DIR/.test(problem), problem)
})

test('a data folder that cannot be written is named beside a database elsewhere too', async (t) => {
  const options = unwritableFolder(t)
  const { url } = await emptyDatabase()
  const problem = await problemOf({ ...options, env: { DATABASE_URL: url } })
  assert.ok(problem.includes(options.dataDir), problem)
  const tables = `select relname from pg_class where relnamespace = 'public'::regnamespace`
  assert.deepEqual(await inDatabase(url, tables), [])
})

test('a command on a database that cannot be reached tells the reason', async () => {
  const dataDir = honeFolder()
  for (const host of ['127.0.0.1', 'localhost']) {
    const problem = await problemOf({
      dataDir,
      command: ['audit-ledger'],
      env: { DATABASE_URL: `postgres://hone:canary-password@${host}:1/hone` },
    })
    assert.match(problem, /^Cannot reach the database \(.*ECONNREFUSED.*\); check DATABASE_URL/)
    assert.doesNotMatch(problem, /canary/)
  }
})

test('an address of a database that is none is told with what may be wrong in it', async () => {
  for (const wrong of ['hone:canary#1@127.0.0.1:1', 'hone:canary@127.0.0.1:99999']) {
    const env = { DATABASE_URL: `postgres://${wrong}/hone` }
    const problem = await problemOf({ dataDir: honeFolder(), env })
    assert.match(
      problem,
      /^DATABASE_URL is not a valid URL; percent-encode special characters .*%23/,
    )
    assert.doesNotMatch(problem, /canary/)
  }
})

test('a database that refuses the name is told with the reason', async () => {
  const database = await emptyDatabase()
  const url = new URL(database.url)
  url.pathname = '/no_such_database'
  const problem = await problemOf({ dataDir: honeFolder(), env: { DATABASE_URL: url.href } })
  assert.match(problem, /^Cannot reach the database \(.*no_such_database.*\); check DATABASE_URL/)
})

test('a database that a newer version migrated is left alone', async () => {
  const { url } = await emptyDatabase()
  await migrate(url)
  await inDatabase(url, `insert into kysely_migration values ('999-from-the-future', now())`)
  const problem = await problemOf({ dataDir: honeFolder(), env: { DATABASE_URL: url } })
  assert.match(problem, /^The database was migrated by another version of Hone \(.*999-from-the/)
  assert.deepEqual(await inDatabase(url, 'select id from org'), [])
})

test('a migration that cannot run leaves the database as it was', async () => {
  const { url } = await emptyDatabase()
  await inDatabase(url, 'create table org (shape text)')
  const things = `select relname as name from pg_class where relnamespace = 'public'::regnamespace
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace order by 1`
  const before = await inDatabase(url, things)
  const problem = await problemOf({ dataDir: honeFolder(), env: { DATABASE_URL: url } })
  assert.match(
    problem,
    /^The database could not be migrated and was left as it was \(.*"org".*\)\.$/,
  )
  assert.deepEqual(await inDatabase(url, things), before)
})

const upstreamModel = { id: 'm', context_window: 100, max_output_tokens: 10 }
const upstreamRoute = (api_key_env: string) => ({
  engine: 'openai-compatible',
  base_url: 'http://127.0.0.1:1/v1',
  api_key_env,
  pricing: { input: 1, output: 1 },
})

const badSettings: [name: string, values: string[], problem: RegExp][] = [
  [
    'PORT',
    ['http', '65536', '-1', '1.5'],
    /^PORT must be a whole number from 0 to 65535, not ".+"\.$/,
  ],
  ['HONE_LOG_LEVEL', ['loud'], /^HONE_LOG_LEVEL must be one of trace, debug, /],
  ['HONE_ADMIN_EMAIL', ['nobody', 'a b@c'], /^HONE_ADMIN_EMAIL must be an e-mail address\.$/],
  ['HONE_ADMIN_PASSWORD', ['short'], /^HONE_ADMIN_PASSWORD must have at least \d+ characters\.$/],
  ['HONE_ADMIN_KEY', ['short', 'with spaces between its words'], /^HONE_ADMIN_KEY must have 20 to/],
  ['HONE_SECRET', ['short'], /^HONE_SECRET must have at least 32 characters/],
  ['HONE_GRACE_SECONDS', ['3601', '-1'], /^HONE_GRACE_SECONDS must be a whole number from 0 to/],
  ['HONE_LOOP', ['yes', 'OFF'], /^HONE_LOOP must be on or off, not ".+"\.$/],
  [
    'HONE_STORAGE_HOSTS',
    ['minio:9000,http://minio', '*.internal', '10.0.0.0/33'],
    /^HONE_STORAGE_HOSTS must list hosts as host, host:port or 10\.0\.0\.0\/8, .* is none of these\.$/,
  ],
  [
    'HONE_TRUSTED_PROXIES',
    [
      '10.0.0.1, proxy.internal',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0',
      '::1/129',
      '10.0.0.1 10.0.0.2',
    ],
    /^HONE_TRUSTED_PROXIES must list addresses as .* or networks as .*; ".+" is none of these\.$/,
  ],
  ['DATABASE_URL', ['mysql://localhost/x', 'x'], /^DATABASE_URL must begin with postgres:\/\/ or /],
  [
    'DATABASE_URL',
    ['postgres://localhost/x?sslmode=bogus', 'postgres://localhost/x?a=b&sslmode='],
    /^sslmode of DATABASE_URL must be one of disable, .*, not ".*"\.$/,
  ],
  ['HONE_CATALOG', ['~/catalog.json'], /^HONE_CATALOG begins with ~, .*; write the full path\.$/],
]

for (const [name, [value = '', ...more], expected] of badSettings) {
  test(`a bad ${name} is refused before anything is touched`, async () => {
    const dataDir = join(honeFolder(), 'data')
    const problem = await problemOf({ dataDir, env: { [name]: value } })
    assert.match(problem, expected)
    if (/PASSWORD|KEY|SECRET/.test(name)) assert.ok(!problem.includes(value))
    assert.ok(!existsSync(dataDir))
    for (const other of more)
      assert.throws(() => readConfig({ [name]: other }), { message: expected })
  })
}

test('an admin key that was copied wrong is refused, and the next start can set another', async () => {
  const dataDir = join(honeFolder(), 'data')
  const wrong = `hone_${'a'.repeat(46)}`
  const problem = await problemOf({ dataDir, env: { HONE_ADMIN_KEY: wrong } })
  assert.match(problem, /^HONE_ADMIN_KEY looks like a Hone key but its last six characters/)
  const next = honeProcess({ dataDir })
  await next.listening()
  assert.match(next.stdout, /shown once/)
  next.kill('SIGTERM')
  await next.ended
})

test('a catalog that cannot be used is named with what is wrong in it', async () => {
  const dataDir = await preparedFolder()
  const file = join(dataDir, 'catalog.json')
  for (const [text, expected] of [
    ['{"models": [', /: it is not JSON \(.*\)\.$/],
    ['{"models": [{"id": "m"}]}', /: file field models\[0\]\.\w+: must /],
    ['{"model": []}', /cannot be used: /],
  ] as const) {
    writeFileSync(file, text)
    const problem = await problemOf({ dataDir })
    assert.ok(problem.startsWith(`The catalog ${file} cannot be used: `), problem)
    assert.match(problem, expected)
  }
  const elsewhere = join(honeFolder(), 'none', 'file')
  writeFileSync(join(elsewhere, '../..', 'none'), '')
  assert.match(
    await problemOf({ dataDir, env: { HONE_CATALOG: elsewhere } }),
    /^Cannot (write|read) the catalog /,
  )
})

test('a file of the data folder that cannot be used is named', async () => {
  for (const [name, expected] of [
    ['secret', /^Cannot read .*secret \(EISDIR.*\); make it readable for this user, or set HONE_/],
    ['database-url', /^Hone could not prepare its database in .*database-url'\): correct that, or/],
  ] as const) {
    const dataDir = await preparedFolder()
    rmSync(join(dataDir, name), { force: true })
    mkdirSync(join(dataDir, name))
    assert.match(await problemOf({ dataDir }), expected)
  }
})

test('a second Hone on the folder is told so, and the first goes on', async () => {
  const dataDir = await preparedFolder()
  const first = honeProcess({ dataDir })
  const url = await first.listening()
  const second = honeProcess({ dataDir })
  assert.deepEqual(await second.ended, { code: 1, signal: null })
  assert.equal(
    second.stderr,
    `The data folder ${dataDir} is in use by another Hone process (pid ${first.pid}): stop that one first, or set HONE_DATA_DIR to another folder.\n`,
  )
  assert.equal((await callHttp(url, 'GET', '/readyz')).status, 200)
  first.kill('SIGTERM')
  assert.equal((await first.ended).code, 0)
})

test('an unknown command is named, and no command explains the ones there are', async () => {
  const dataDir = join(honeFolder(), 'data')
  assert.match(
    await problemOf({ dataDir, command: ['frobnicate'] }),
    /^There is no command "frobnicate"; use serve or audit-ledger\b.*\.$/,
  )
  assert.match(
    await problemOf({ dataDir, command: ['toString'] }),
    /^There is no command "toString"/,
  )
  const none = honeProcess({ dataDir, command: [] })
  assert.equal((await none.ended).code, 1)
  assert.match(none.stderr, /^Usage: [^]*serve[^]*audit-ledger/)
})

test('help is no problem, and arguments that would be passed over are', async () => {
  const dataDir = join(honeFolder(), 'data')
  for (const command of [['help'], ['-h'], ['reset-password', '--help']]) {
    const help = honeProcess({ dataDir, command })
    assert.deepEqual(await help.ended, { code: 0, signal: null })
    assert.match(help.stdout, /^Usage: [^]*serve[^]*docs\/configuration\.md/)
  }
  assert.match(
    await problemOf({ dataDir, command: ['serve', '--port', '9000'] }),
    /^serve takes no arguments, so "--port 9000" means nothing; .*PORT=9000/,
  )
  assert.ok(!existsSync(dataDir))
})

test('a catalog that is written somewhere else than into the data folder is told of', async () => {
  const file = join(honeFolder(), 'mistyped.json')
  for (const [env, said] of [
    [{ HONE_CATALOG: file }, true],
    [{ HONE_CATALOG: file }, false],
    [{}, false],
  ] as const) {
    const dataDir = await preparedFolder()
    rmSync(join(dataDir, 'catalog.json'), { force: true })
    const hone = honeProcess({ dataDir, env })
    await hone.listening()
    assert.equal(hone.stdout.includes('HONE_CATALOG names did not exist'), said)
    hone.kill('SIGTERM')
    await hone.ended
  }
})

test('a variable that looks like a setting and is none is named once Hone runs', async () => {
  const hone = honeProcess({
    dataDir: await preparedFolder(),
    env: {
      HONE_GRACE_SECOND: '5',
      HONE_PORT: '80',
      HONE_KEY: 'for clients',
      HONE_VLLM: 'a key',
      HONE_BENCH_ROUNDS: '1',
    },
  })
  const catalog = { models: [{ ...upstreamModel, routes: [upstreamRoute('HONE_VLLM')] }] }
  writeFileSync(join(hone.dataDir, 'catalog.json'), JSON.stringify(catalog))
  await hone.listening()
  assert.equal(
    hone.stderr,
    'Ignored unknown settings: HONE_GRACE_SECOND, HONE_PORT; docs/configuration.md lists the known ones.\n',
  )
  hone.kill('SIGTERM')
  await hone.ended
})

test('an audit of a folder without a database says so, and makes none', async () => {
  const dataDir = join(honeFolder(), 'data')
  const expected = `There is no database in ${dataDir}; set HONE_DATA_DIR to the data folder of the Hone you mean, or DATABASE_URL.`
  assert.equal(await problemOf({ dataDir, command: ['audit-ledger'] }), expected)
  assert.ok(!existsSync(dataDir))
  mkdirSync(dataDir)
  assert.equal(await problemOf({ dataDir, command: ['audit-ledger'] }), expected)
  assert.deepEqual(readdirSync(dataDir), [])
})
