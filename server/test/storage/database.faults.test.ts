// What callers see while the database is away, silent or slow, and what the ledger holds afterwards.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Client } from 'pg'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let upstream: ScriptedUpstream
let database: TestDatabase
let proxy: DatabaseProxy
let hone: TestHone
/** Past the proxy, to see what is really there. */
let direct: Client

before(async () => {
  upstream = await scriptedUpstream()
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  hone = await testHone({
    catalog: scriptedCatalog(upstream.baseUrl),
    databaseUrl: proxy.url,
    storage: {},
    // A short life, so that a lease nobody uses is given back within the test.
    leaseMs: 6000,
  })
  direct = new Client({ connectionString: database.url })
  await direct.connect()
})
after(async () => {
  await proxy.set('pass')
  await hone.stop()
  await proxy.close()
  await direct.end()
  await upstream.close()
})
beforeEach(recovered)

const ask = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 }
const costPicodollars = 13_000_000n

/** Hone finds its way back by itself; nobody restarts it. */
async function recovered(): Promise<void> {
  await proxy.set('pass')
  await until(async () => hone.app.storage.changes.connected && (await status('/readyz')) === 200)
}

async function status(path: string): Promise<number> {
  return (await hone.call('GET', path)).status
}

function chat(body: object = {}): Promise<Answer> {
  return hone.call('POST', '/v1/chat/completions', {
    bearer: hone.owner.key,
    body: { model: 'plain', ...ask, ...body },
  })
}

function everyKindOfCall(): Promise<Answer>[] {
  const { key } = hone.owner
  return [
    chat(),
    chat({ stream: true }),
    hone.call('POST', '/v1/messages', { bearer: key, body: { model: 'plain', ...ask } }),
    hone.call('GET', '/api/wallet', { key }),
    hone.call('GET', '/api/api-keys', { key }),
    hone.call('GET', '/api/wallet', { key: 'a-key-that-nobody-ever-made' }),
    hone.call('POST', '/v1/chat/completions', { bearer: 'a-key-that-nobody-ever-made', body: {} }),
    hone.call('POST', '/api/auth/login', { body: { email: 'a@b.c', password: 'a wrong one' } }),
    hone.call('POST', '/api/wallet/top-ups', {
      key,
      body: { amount_usd: '1' },
      headers: { 'idempotency-key': 'never-landed' },
    }),
  ]
}

function assertUnavailable(answers: Answer[]): void {
  for (const answer of answers) {
    assert.equal(answer.status, 503, answer.text)
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.doesNotMatch(answer.text, /ECONN|127\.0\.0\.1|timeout|pg|select/i)
  }
}

async function ledger(): Promise<{ charges: number; balance: bigint }> {
  const { rows } = await direct.query<{ charges: string; balance: string }>(
    `select (select count(*) from ledger_entry where kind = 'charge') as charges,
       (select balance from wallet) as balance`,
  )
  return { charges: Number(rows[0]?.charges), balance: BigInt(rows[0]?.balance ?? -1) }
}

async function chargedOnceSince(earlier: { charges: number; balance: bigint }): Promise<void> {
  await hone.quiet()
  assert.deepEqual(await ledger(), {
    charges: earlier.charges + 1,
    balance: earlier.balance - costPicodollars,
  })
  const wallet = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  assert.equal((wallet.json as unknown as { held_usd: string }).held_usd, '0')
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
}

test('a database that is away is a 503 on every surface, and Hone comes back with it', async () => {
  assert.equal((await chat()).status, 200)
  await proxy.set('refuse')
  assertUnavailable(await Promise.all(everyKindOfCall()))
  assert.equal(await status('/healthz'), 200)
  assert.equal(await status('/readyz'), 503)
  assert.equal(await status('/v1/models'), 200)
  await recovered()
  assert.equal((await chat()).status, 200)
  const { rows } = await direct.query(
    `select 1 from ledger_entry where idempotency_key = 'never-landed'`,
  )
  assert.deepEqual(rows, [])
})

test('connections that are cut in the middle of requests never become a 401, 402 or 404', async () => {
  const { key } = hone.owner
  let asking = true
  const seen = new Set<number>()
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    while (asking) {
      const answer =
        caller % 2 === 0
          ? await chat()
          : await hone.call('GET', '/api/wallet/transactions', { key })
      seen.add(answer.status)
    }
  })
  for (let round = 0; round < 20; round++) {
    proxy.cut()
    await chat()
  }
  asking = false
  await Promise.all(callers)
  seen.delete(503)
  assert.deepEqual([...seen], [200])
  await hone.quiet()
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
})

test('the first moments after an outage ask about a key a few times, not once per request', async () => {
  await proxy.set('refuse')
  assertUnavailable([await chat()])
  await recovered()
  const { pool } = hone.app.storage
  const query = pool.query.bind(pool)
  let lookups = 0
  pool.query = (name, ...rest) => {
    // While changes cannot be heard nothing may be remembered, and everybody is looked up.
    if (name === 'find_key' && hone.app.storage.changes.connected) lookups += 1
    return query(name, ...rest)
  }
  const answers = await Promise.all(Array.from({ length: 200 }, () => chat()))
  pool.query = query
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]))
  assert.ok(lookups <= 3, `${lookups} lookups`)
})

test('a database that accepts and never answers costs every caller a bounded wait', async () => {
  await hone.quiet()
  const { charges } = await ledger()
  await proxy.set('stall')
  const answers = await Promise.all(everyKindOfCall())
  // Until the silence is noticed, a known key may be served from memory; everything else is refused.
  assert.deepEqual(new Set(answers.slice(3).map((answer) => answer.status)), new Set([503]))
  for (const answer of answers.slice(0, 3)) assert.ok([200, 503].includes(answer.status))
  assert.equal(await status('/healthz'), 200)
  assert.equal(await status('/readyz'), 503)
  await recovered()
  assert.equal((await chat()).status, 200)
  await hone.quiet()
  // What was served is billed, and nothing else.
  const served = answers.filter((answer) => answer.status === 200).length
  assert.equal((await ledger()).charges, charges + served + 1)
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
})

test('more callers than may wait for a silent database are turned away at once', async () => {
  await proxy.set('stall')
  const { key } = hone.owner
  await until(() => !hone.app.storage.changes.connected)
  const answers = await Promise.all(
    Array.from({ length: 1200 }, () => hone.call('GET', '/api/wallet', { key })),
  )
  assertUnavailable(answers)
})

test('a charge whose reply is lost is in the ledger once', async () => {
  assert.equal((await chat()).status, 200)
  await hone.quiet()
  for (const body of [{}, { stream: true }]) {
    const earlier = await ledger()
    const lost = proxy.repliesLost
    proxy.loseReplyTo('post_charges')
    assert.equal((await chat(body)).status, 200)
    await until(() => proxy.repliesLost === lost + 1)
    await chargedOnceSince(earlier)
  }
})

test('a lease whose reply is lost is not a hold: the call is refused and the next one served', async () => {
  await until(async () => {
    await hone.app.money.wallets.renew()
    return (await direct.query('select 1 from wallet_lease')).rows.length === 0
  }, 30_000)
  const earlier = await ledger()
  const lost = proxy.repliesLost
  proxy.loseReplyTo('enlarge_lease')
  assertUnavailable([await chat()])
  assert.equal(proxy.repliesLost, lost + 1)
  await recovered()
  assert.equal((await chat()).status, 200)
  await chargedOnceSince(earlier)
})

test('a top-up whose reply is lost is added once when it is sent again', async () => {
  const { balance } = await ledger()
  const topUp = () =>
    hone.call('POST', '/api/wallet/top-ups', {
      key: hone.owner.key,
      body: { amount_usd: '2' },
      headers: { 'idempotency-key': 'sent-again' },
    })
  proxy.loseReplyTo('commit')
  assertUnavailable([await topUp()])
  await recovered()
  assert.equal((await topUp()).status, 201)
  assert.equal((await ledger()).balance, balance + 2_000_000_000_000n)
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
})

test('a stream outlives its database and is charged once when that is back', async () => {
  const earlier = await ledger()
  const response = await fetch(`${hone.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hone.owner.key}` },
    body: JSON.stringify({ model: 'slow', ...ask, stream: true }),
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  await proxy.set('refuse')
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += Buffer.from(value).toString()
  }
  assert.ok(text.endsWith('data: [DONE]\n\n'))
  assert.deepEqual(await ledger(), earlier)
  const measured = async (): Promise<string[]> => {
    const { text: metrics } = await hone.call('GET', '/metrics')
    return metrics.match(/^hone_(storage_connected|charges_pending) .*$/gm)?.sort() ?? []
  }
  assert.deepEqual(await measured(), ['hone_charges_pending 1', 'hone_storage_connected 0'])
  await recovered()
  await chargedOnceSince(earlier)
  await until(
    async () => (await measured()).join() === 'hone_charges_pending 0,hone_storage_connected 1',
  )
})

test('a slow database makes calls slow and nothing else', async () => {
  const earlier = await ledger()
  await proxy.set('slow')
  assert.equal((await chat()).status, 200)
  await chargedOnceSince(earlier)
})
