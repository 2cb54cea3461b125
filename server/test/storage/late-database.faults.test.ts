// A database that is not there when Hone starts: nobody is told anything wrong meanwhile, and the start goes on by itself.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DatabaseError } from 'pg'
import { firstStart, planSetUp } from '#server/first-start.ts'
import { systemClock } from '#server/lib/clock.ts'
import { openStorage } from '#server/storage/open-storage.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import {
  DatabaseUnreachable,
  mayComeBack,
  untilReachable,
} from '#server/storage/until-reachable.ts'
import { type DatabaseProxy, databaseProxy, type ProxyMode } from '#test/support/database-proxy.ts'
import { chosenOwner, honeFolder, honeProcess, ownerEnv } from '#test/support/hone-process.ts'
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { callHttp, type CallOptions } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

async function proxied(t: TestContext, database: TestDatabase): Promise<DatabaseProxy> {
  const proxy = await databaseProxy(database.url)
  t.after(async () => {
    await proxy.close()
  })
  return proxy
}

/** A start on a database in that mode, once it says that it waits. */
async function waitingHone(proxy: DatabaseProxy, mode: ProxyMode) {
  await proxy.set(mode)
  const hone = honeProcess({
    dataDir: honeFolder(),
    env: { DATABASE_URL: proxy.url, ...ownerEnv },
  })
  const said = () =>
    /^Cannot reach the database \(.+\); check DATABASE_URL and that the server runs\. Until then (http:\S+) answers 503\.$/m.exec(
      hone.stderr,
    )
  await until(() => said() !== null)
  return { hone, url: said()?.[1] ?? '' }
}

const { key } = chosenOwner
const ask = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }

const refused: [what: string, method: string, path: string, options: CallOptions, code: string][] =
  [
    ['a chat call', 'POST', '/v1/chat/completions', { bearer: key, body: ask }, 'unavailable'],
    ['a messages call', 'POST', '/v1/messages', { key, body: ask }, 'overloaded_error'],
    ['a body of 5 MB', 'POST', '/v1/messages', { key, raw: ' '.repeat(5e6) }, 'overloaded_error'],
    ['a wrong key', 'POST', '/v1/chat/completions', { bearer: 'x', body: ask }, 'unavailable'],
    ['no key', 'GET', '/v1/models', {}, 'unavailable'],
    ['the wallet', 'GET', '/api/wallet', { key }, 'UNAVAILABLE'],
    ['a sign-in', 'POST', '/api/auth/login', { body: chosenOwner }, 'UNAVAILABLE'],
    ['an unknown path', 'GET', '/api/nothing', { key }, 'UNAVAILABLE'],
    ['readiness', 'GET', '/readyz', {}, 'UNAVAILABLE'],
  ]

test('a start waits for a database that is down, and goes on when it is there', async (t) => {
  const proxy = await proxied(t, await emptyDatabase())
  const { hone, url } = await waitingHone(proxy, 'refuse')
  for (const [what, method, path, options, code] of refused) {
    const answer = await callHttp(url, method, path, options)
    assert.equal(answer.status, 503, what)
    assert.ok(Number(answer.headers.get('retry-after')) > 0, what)
    assert.ok(answer.text.includes(`"${code}"`), `${what}: ${answer.text}`)
    assert.ok(answer.headers.get('x-request-id'), what)
  }
  for (const path of ['/healthz', '/metrics', '/docs', '/openapi.json']) {
    assert.equal((await callHttp(url, 'GET', path)).status, 200, path)
  }
  assert.equal(hone.stdout.match(/shown once|listens on/), null)

  await proxy.set('pass')
  assert.equal(await hone.listening(), url)
  assert.match(hone.stdout, /shown once/)
  assert.match(hone.stderr, /^The database answers; the start continues\.$/m)
  assert.equal((await callHttp(url, 'GET', '/readyz')).status, 200)
  assert.equal((await callHttp(url, 'GET', '/api/wallet', { key })).status, 200)
  hone.kill('SIGTERM')
  assert.deepEqual(await hone.ended, { code: 0, signal: null })
})

for (const mode of ['refuse', 'stall'] as const) {
  test(`a start that waits can be stopped: ${mode}`, async (t) => {
    const proxy = await proxied(t, await testDatabase())
    const { hone, url } = await waitingHone(proxy, mode)
    assert.equal((await callHttp(url, 'GET', '/api/wallet', { key })).status, 503)
    hone.kill('SIGTERM')
    assert.deepEqual(await hone.ended, { code: 0, signal: null })
    assert.match(hone.stderr, /^Stopped before the start was complete\.$/m)
  })
}

test('a database that goes away in the middle of a start is waited for, and nothing is half done', async (t) => {
  const proxy = await proxied(t, await emptyDatabase())
  const steps = ['create table org', 'listen', 'take_back_leases', 'insert into "org"']
  proxy.loseReplyTo(...steps)
  const hone = honeProcess({
    dataDir: honeFolder(),
    env: { DATABASE_URL: proxy.url, ...ownerEnv },
  })
  const url = await hone.listening()
  assert.equal(proxy.repliesLost, steps.length)
  assert.match(hone.stdout, /shown once/)
  assert.equal((await callHttp(url, 'GET', '/api/wallet', { key })).status, 200)
  hone.kill('SIGTERM')
  await hone.ended
})

test('a connection that falls silent after it was let in is given up, and another is tried', async (t) => {
  const proxy = await proxied(t, await emptyDatabase())
  proxy.silenceAt('server_version_num', 'pg_backend_pid', 'listen accounts_changed')
  const hone = honeProcess({
    dataDir: honeFolder(),
    env: { DATABASE_URL: proxy.url, ...ownerEnv },
  })
  await hone.listening()
  assert.match(hone.stderr, /^Cannot reach the database \(Query read timeout\)/m)
  hone.kill('SIGTERM')
  await hone.ended
})

test('what other processes change is heard again, also where the first to ask for it met silence', async (t) => {
  const proxy = await proxied(t, await testDatabase())
  const storage = await openStorage(proxy.url, systemClock)
  t.after(() => storage.close())
  proxy.silenceAt('listen accounts_changed')
  proxy.cut()
  await until(() => !storage.changes.connected)
  await until(() => storage.changes.connected)
})

test('a transaction on a connection that fell silent is not waited for a second time', async (t) => {
  const proxy = await proxied(t, await testDatabase())
  const storage = await openStorage(proxy.url, systemClock, { queryMs: 200 })
  t.after(() => storage.close())
  const client = await storage.pool.connect()
  await client.query('begin')
  await proxy.set('stall')
  const failures: unknown[] = []
  for (const statement of ['select 1', 'rollback', 'select 2']) {
    await client.query(statement).catch((error: unknown) => failures.push(error))
  }
  assert.ok(failures[0] instanceof StorageUnavailable)
  // The very same error: nothing was asked any more.
  assert.ok(failures.length === 3 && failures.every((error) => error === failures[0]))
  client.release()
  await proxy.set('pass')
})

test('a step of a start that takes long is said once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const said: string[] = []
  const stop = new AbortController()
  const waiting = untilReachable(() => new Promise<never>(() => {}), {
    say: (sentence) => void said.push(sentence),
    meanwhile: 'So.',
    signal: stop.signal,
  })
  t.mock.timers.tick(9_999)
  assert.deepEqual(said, [])
  t.mock.timers.tick(60_000)
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /for ten seconds, .* So\.$/)
  stop.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
})

test('an owner who was made while the answer was lost is shown all the same, and to nobody else', async (t) => {
  const proxy = await proxied(t, await testDatabase())
  const storage = await openStorage(proxy.url, systemClock)
  t.after(() => storage.close())
  const now = new Date()
  const setUp = planSetUp({}, now)
  proxy.loseReplyTo('commit')
  await assert.rejects(firstStart(storage, setUp, now), StorageUnavailable)
  assert.deepEqual(await firstStart(storage, setUp, now), setUp.owner)
  assert.equal(await firstStart(storage, planSetUp({}, now), now), null)
})

const databaseError = (code: string) =>
  Object.assign(new DatabaseError('no', 2, 'error'), { code, severity: 'FATAL' })
const systemError = (code: string, syscall?: string) =>
  Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) })

const failures: [what: string, error: unknown, comesBack: boolean][] = [
  ['nobody listens', systemError('ECONNREFUSED', 'connect'), true],
  ['a name that is not known yet', systemError('ENOTFOUND', 'getaddrinfo'), true],
  [
    'several addresses',
    new AggregateError([systemError('ECONNREFUSED', 'connect')], 'all failed'),
    true,
  ],
  ['cut before TLS', systemError('ECONNRESET'), true],
  ['no answer', new Error('Connection terminated due to connection timeout'), true],
  ['no connection', new Error('timeout exceeded when trying to connect'), true],
  [
    'lost on the way',
    new Error('Client has encountered a connection error and is not queryable'),
    true,
  ],
  ['starting up', databaseError('57P03'), true],
  ['too many connections', databaseError('53300'), true],
  ['a standby', databaseError('25006'), true],
  ['a wrong password', databaseError('28P01'), false],
  ['no such database', databaseError('3D000'), false],
  ['a certificate of nobody', systemError('DEPTH_ZERO_SELF_SIGNED_CERT'), false],
  ['no TLS there', new Error('The server does not support SSL connections'), false],
]

for (const [what, error, comesBack] of failures) {
  test(`at a start, ${what} is ${comesBack ? 'waited for' : 'the end of it'}`, () => {
    assert.equal(mayComeBack(error), comesBack)
  })
}

test('a wait says each reason once, and what else fails ends it', async () => {
  const said: string[] = []
  const errors = [
    new DatabaseUnreachable('One.'),
    new DatabaseUnreachable('One.'),
    new StorageUnavailable(new Error('two')),
  ]
  const patience = {
    say: (sentence: string) => void said.push(sentence),
    meanwhile: 'So.',
    signal: undefined,
  }
  const step = async (): Promise<string> => {
    const error = errors.shift()
    if (error) throw error
    return 'done'
  }
  assert.equal(await untilReachable(step, patience), 'done')
  assert.deepEqual(said, [
    'One. So.',
    'Cannot reach the database (two); check DATABASE_URL and that the server runs. So.',
    'The database answers; the start continues.',
  ])
  const broken = new Error('broken')
  await assert.rejects(
    untilReachable(() => Promise.reject(broken), patience),
    broken,
  )
})
