// The life of a real process: the first start, the next ones, the ways it ends, and the audit beside it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isAlive, serversUnder, watchdogOf } from '#test/storage/embedded-postgres/scratch.ts'
import {
  chosenOwner,
  databasePidIn,
  databaseUrlIn,
  type Env,
  honeFolder,
  honeProcess,
  type HoneProcess,
  isQuiet,
  ownerEnv,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { emptyDatabase } from '#test/support/test-database.ts'
import { callHttp } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const mainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const catalogOf = (upstream: Server): object => ({
  models: [
    {
      id: 'm',
      context_window: 1000,
      max_output_tokens: 100,
      routes: [
        {
          engine: 'openai-compatible',
          base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
          pricing: { input: 1, output: 1 },
        },
      ],
    },
  ],
})

async function stopped(hone: HoneProcess, signal: NodeJS.Signals): Promise<void> {
  const database = databasePidIn(hone.dataDir)
  const watchdog = watchdogOf(database)
  hone.kill(signal)
  assert.deepEqual(await hone.ended, { code: 0, signal: null }, hone.stderr)
  assert.ok(!isAlive(database) && isQuiet(hone))
  assert.ok(watchdog !== undefined && !isAlive(watchdog))
  assert.ok(!existsSync(join(hone.dataDir, 'database-url')))
  assert.match(hone.stderr, /Finishing the calls in flight \.\.\.\n$/)
}

async function audit(dataDir: string): Promise<{ code: number | null; said: string }> {
  const command = honeProcess({ dataDir, command: ['audit-ledger'] })
  const { code } = await command.ended
  assert.doesNotMatch(command.stderr, /Error|\n\s+at /)
  return { code, said: command.stdout }
}

test('a first start shows what is needed once, it works, and the next start keeps it', async () => {
  const dataDir = join(honeFolder(), 'data')
  const first = honeProcess({ dataDir })
  const url = await first.listening()
  const shown = (name: string): string =>
    new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(first.stdout)?.[1] ?? assert.fail(`no ${name}`)
  assert.equal(shown('Address'), url)
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
  const [email, password, key] = [shown('E-mail'), shown('Password'), shown('API key')]
  assert.match(first.stderr, /^Preparing the database for its first start\.\n/)
  const login = await callHttp(url, 'POST', '/api/auth/login', { body: { email, password } })
  assert.equal(login.status, 200)
  const topUp = await callHttp(url, 'POST', '/api/wallet/top-ups', {
    key,
    body: { amount_usd: '5' },
    headers: { 'idempotency-key': 'first' },
  })
  assert.equal(topUp.status, 201)
  await stopped(first, 'SIGINT')

  const second = await first.restart()
  const again = await second.listening()
  for (const secret of [password, key, email, 'shown once']) {
    assert.ok(!(second.stdout + second.stderr).includes(secret))
  }
  const wallet = await callHttp(again, 'GET', '/api/wallet', { key })
  assert.equal((wallet.json as unknown as { balance_usd: string }).balance_usd, '105')
  // The signing secret is kept too, so nobody has to sign in again.
  const { access_token, orgs } = login.json as unknown as {
    access_token: string
    orgs: { id: string; workspaces: { id: string }[] }[]
  }
  const asPerson = await callHttp(again, 'GET', '/api/wallet', {
    bearer: access_token,
    headers: { 'x-org-id': orgs[0]?.id ?? '', 'x-workspace-id': orgs[0]?.workspaces[0]?.id ?? '' },
  })
  assert.equal(asPerson.status, 200)
  await stopped(second, 'SIGTERM')
})

test('secrets that somebody chose are not repeated in what a first start prints, and open it', async () => {
  const database = await emptyDatabase()
  const env = { ...ownerEnv, DATABASE_URL: database.url }
  const hone = honeProcess({ dataDir: honeFolder(), env })
  const url = await hone.listening()
  const { email, password, key } = chosenOwner
  assert.match(hone.stdout, new RegExp(`^  E-mail +${email}$`, 'm'))
  assert.match(hone.stdout, /^  Password +\(as set in HONE_ADMIN_PASSWORD\)$/m)
  assert.match(hone.stdout, /^  API key +\(as set in HONE_ADMIN_KEY\)$/m)
  const login = await callHttp(url, 'POST', '/api/auth/login', { body: { email, password } })
  assert.equal(login.status, 200)
  assert.equal((await callHttp(url, 'GET', '/api/wallet', { key })).status, 200)
  hone.kill('SIGTERM')
  assert.equal((await hone.ended).code, 0)
  for (const secret of [password, key]) {
    assert.ok(!(hone.stdout + hone.stderr).includes(secret))
  }
})

test('Ctrl-C during a slow first start leaves no process, and the next start is a first one', async () => {
  const dataDir = join(honeFolder(), 'data')
  const cut = honeProcess({ dataDir })
  await until(() => cut.stderr.includes('Preparing the database'))
  // As a terminal does: to every process of the group, whatever it is doing.
  process.kill(-cut.pid, 'SIGINT')
  assert.deepEqual(await cut.ended, { code: 0, signal: null }, cut.stderr)
  await until(() => isQuiet(cut))
  assert.doesNotMatch(cut.stderr, /Error|\n\s+at /)
  const wasSetUp = cut.stdout.includes('shown once')
  const next = await cut.restart()
  await next.listening()
  assert.equal(next.stdout.includes('shown once'), !wasSetUp)
  assert.ok(!readdirSync(dataDir).some((name) => name.startsWith('postgres.new-')))
  await stopped(next, 'SIGTERM')
})

test('a second Ctrl-C ends a start at once, and nothing is left either', async () => {
  const dataDir = await preparedFolder()
  const cut = honeProcess({ dataDir })
  await until(() => existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
  cut.kill('SIGINT')
  cut.kill('SIGTERM')
  const { signal } = await cut.ended
  assert.equal(signal, null)
  await until(() => isQuiet(cut))
  const next = await cut.restart()
  await next.listening()
  await stopped(next, 'SIGTERM')
})

test('a second signal stops it at once, in the middle of a call, and its database with it', async (t) => {
  const silent = createServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => silent.closeAllConnections())
  t.after(() => silent.close())
  const asked = new Promise((resolve) => silent.once('request', resolve))
  const dataDir = await preparedFolder()
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalogOf(silent)))
  const hone = honeProcess({ dataDir })
  const url = await hone.listening()
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
  const call = callHttp(url, 'POST', '/v1/chat/completions', { bearer: chosenOwner.key, body })
  const cut = assert.rejects(call)
  await asked
  hone.kill('SIGTERM')
  await until(() => hone.stderr.includes('Finishing'))
  hone.kill('SIGTERM')
  assert.deepEqual(await hone.ended, { code: null, signal: 'SIGKILL' })
  assert.match(hone.stderr, /Stopping at once\.\n$/)
  await cut
  await until(() => isQuiet(hone), 30_000)
})

test('a terminal that closes, which says so twice, stops it in order', async () => {
  const hone = honeProcess({ dataDir: await preparedFolder() })
  await hone.listening()
  hone.kill('SIGHUP')
  await until(() => hone.stderr.includes('Finishing'))
  hone.kill('SIGHUP')
  assert.deepEqual(await hone.ended, { code: 0, signal: null }, hone.stderr)
  assert.ok(isQuiet(hone))
})

/** A Hone as the child of a shell, once it runs: the shell, and the process id of Hone. */
async function underShell(t: TestContext, dataDir: string, env: Env) {
  const shell = spawn('sh', ['-c', '"$0" "$1" serve; true', process.execPath, mainFile], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, PORT: '0', HONE_DATA_DIR: dataDir, ...env },
  })
  t.after(() => shell.kill('SIGKILL'))
  await until(() => existsSync(join(dataDir, 'database-url')), 60_000)
  const hone = Number(readFileSync(join(dataDir, 'hone.pid'), 'utf8'))
  t.after(() => isAlive(hone) && process.kill(hone, 'SIGKILL'))
  return { shell, hone }
}

test('an npm that is told to stop takes Hone along, although its shell passes nothing on', async (t) => {
  const dataDir = await preparedFolder()
  const { shell, hone } = await underShell(t, dataDir, { npm_lifecycle_event: 'start' })
  shell.kill('SIGTERM')
  await until(() => !isAlive(hone), 60_000)
  assert.ok(!existsSync(join(dataDir, 'database-url')), 'it stopped in order')
  assert.deepEqual(serversUnder(dataDir), [])
})

test('without npm Hone outlives the shell that started it', async (t) => {
  const dataDir = await preparedFolder()
  const { shell, hone } = await underShell(t, dataDir, {})
  shell.kill('SIGKILL')
  await once(shell, 'exit')
  // Longer than it takes until an end of npm is noticed.
  await delay(1500)
  assert.ok(isAlive(hone))
  assert.ok(existsSync(join(dataDir, 'database-url')))
  process.kill(hone, 'SIGTERM')
  await until(() => !isAlive(hone), 60_000)
  assert.deepEqual(serversUnder(dataDir), [])
})

test('after kill -9 everything committed is there', async () => {
  const { key } = chosenOwner
  let hone = honeProcess({ dataDir: await preparedFolder() })
  for (let round = 1; round <= 2; round++) {
    const url = await hone.listening()
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        callHttp(url, 'POST', '/api/wallet/top-ups', {
          key,
          body: { amount_usd: '1' },
          headers: { 'idempotency-key': `round ${round} top-up ${i}` },
        }),
      ),
    )
    assert.ok(answers.every((answer) => answer.status === 201))
    const database = databasePidIn(hone.dataDir)
    // Once with the database's own orderly end, once with everything gone at the same moment.
    if (round === 2) process.kill(database, 'SIGKILL')
    hone.kill('SIGKILL')
    hone = await hone.restart()
    const wallet = await callHttp(await hone.listening(), 'GET', '/api/wallet', { key })
    assert.equal(
      (wallet.json as unknown as { balance_usd: string }).balance_usd,
      String(100 + 8 * round),
    )
  }
  await stopped(hone, 'SIGTERM')
})

test('a database that ends by itself ends Hone with one sentence and code 1', async () => {
  const hone = honeProcess({ dataDir: await preparedFolder() })
  const url = await hone.listening()
  assert.equal((await callHttp(url, 'GET', '/readyz')).status, 200)
  process.kill(databasePidIn(hone.dataDir), 'SIGKILL')
  assert.deepEqual(await hone.ended, { code: 1, signal: null })
  assert.match(hone.stderr, /^The database server ended by itself by SIGKILL \(.*\): read .*\.\n$/)
  await until(() => isQuiet(hone))
})

test('the audit passes beside a running server and alone, and names a wallet that was tampered with', async () => {
  const hone = honeProcess({ dataDir: await preparedFolder() })
  await hone.listening()
  const passed = { code: 0, said: 'The ledger adds up for the only wallet.\n' }
  assert.deepEqual(await audit(hone.dataDir), passed)
  await inDatabase(databaseUrlIn(hone.dataDir), 'update wallet set balance = balance + 1')
  const beside = await audit(hone.dataDir)
  assert.equal(beside.code, 1)
  assert.match(
    beside.said,
    /^wallet [0-9a-f-]{36}: the balance is 100\.000000000001 USD but its entries add up to 100\n$/,
  )
  await stopped(hone, 'SIGTERM')
  assert.deepEqual(await audit(hone.dataDir), beside)
  const repaired = await hone.restart()
  await repaired.listening()
  await inDatabase(
    databaseUrlIn(hone.dataDir),
    'update wallet set balance = balance - 1, leased = 3',
  )
  assert.match((await audit(hone.dataDir)).said, /: 0\.000000000003 USD are marked as leased but/)
  await inDatabase(databaseUrlIn(hone.dataDir), 'update wallet set leased = 0')
  await stopped(repaired, 'SIGTERM')
  assert.deepEqual(await audit(hone.dataDir), passed)
})

test('the audit of a copy that cannot be opened says so, and is not that of the running original', async () => {
  const hone = honeProcess({ dataDir: await preparedFolder() })
  await hone.listening()
  const copy = join(honeFolder(), 'copy')
  cpSync(hone.dataDir, copy, {
    recursive: true,
    filter: (path) => !path.includes('postgres-socket') && !path.endsWith('postmaster.pid'),
  })
  assert.equal(databaseUrlIn(copy), databaseUrlIn(hone.dataDir))
  writeFileSync(join(copy, 'postgres', 'PG_VERSION'), '9\n')
  const command = honeProcess({ dataDir: copy, command: ['audit-ledger'] })
  assert.deepEqual(await command.ended, { code: 1, signal: null })
  assert.match(command.stderr, /^The database in .*copy\/postgres was made by PostgreSQL 9 /)
  assert.equal(command.stdout, '')
  assert.ok(!existsSync(join(copy, 'database-url')))
  await stopped(hone, 'SIGTERM')
})

test('the ledger refuses to be changed', async () => {
  const hone = honeProcess({ dataDir: await preparedFolder() })
  await hone.listening()
  for (const change of ['update ledger_entry set amount = 1', 'delete from ledger_entry']) {
    await assert.rejects(inDatabase(databaseUrlIn(hone.dataDir), change), /append-only/)
  }
  await stopped(hone, 'SIGTERM')
})
