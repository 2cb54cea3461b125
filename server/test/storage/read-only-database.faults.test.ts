// A database that answers and takes no changes: after a failover to a standby, or because its operator said so. What only
// looks goes on, what changes something is 503, and everything is as before once changes are taken again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { honeFolder, honeProcess } from '#test/support/hone-process.ts'
import { inDatabase } from '#test/support/in-database.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let upstream: ScriptedUpstream
let database: TestDatabase
let hone: TestHone

before(async () => {
  upstream = await scriptedUpstream()
  database = await testDatabase()
  hone = await testHone({
    catalog: scriptedCatalog(upstream.baseUrl),
    databaseUrl: database.url,
    storage: {},
  })
})
after(async () => {
  await setReadOnly(false)
  await hone.stop()
  await upstream.close()
})

/** As a failover does: every connection breaks, and new ones find what the database is now. */
async function setReadOnly(on: boolean): Promise<void> {
  const name = new URL(database.url).pathname.slice(1)
  await inDatabase(
    database.url,
    `begin read write;
     alter database ${name} set default_transaction_read_only = ${on ? 'on' : 'off'};
     commit`,
  )
  if (on) {
    await inDatabase(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
    )
  }
}

const topUp = (key: string): Promise<Answer> =>
  hone.call('POST', '/api/wallet/top-ups', {
    key: hone.owner.key,
    body: { amount_usd: '1' },
    headers: { 'idempotency-key': key },
  })

const createKey = (): Promise<Answer> =>
  hone.call('POST', '/api/api-keys', {
    key: hone.owner.key,
    body: { name: 'A key', scopes: ['serverless'] },
  })

const signIn = (): Promise<Answer> =>
  hone.call('POST', '/api/auth/login', {
    body: { email: hone.owner.email, password: hone.owner.password },
  })

const chat = (model = 'plain'): Promise<Answer> =>
  hone.call('POST', '/v1/chat/completions', {
    bearer: hone.owner.key,
    body: { model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
  })

const look = (): Promise<Answer> => hone.call('GET', '/api/wallet', { key: hone.owner.key })

async function connected(): Promise<void> {
  await until(async () => hone.app.storage.changes.connected && (await look()).status === 200)
}

test('changes are 503 with a sentence, looking goes on, and all of it comes back by itself', async () => {
  assert.equal((await look()).status, 200)
  await setReadOnly(true)
  await connected()
  for (const change of [() => topUp('refused'), createKey, signIn, () => chat()]) {
    let answer: Answer
    do {
      answer = await change()
      assert.equal(answer.status, 503, answer.text)
      assert.equal(answer.headers.get('retry-after'), '2')
      // Some of the connections from before may not have been seen to break yet.
    } while (/"The database cannot be reached right now; /.test(answer.text))
    assert.match(answer.text, /"The database is read-only right now; try again in a moment\."/)
  }
  assert.equal((await look()).status, 200)
  assert.equal((await hone.call('GET', '/healthz')).status, 200)
  assert.equal((await hone.call('GET', '/readyz')).status, 503)
  // Several connections, all made while nothing could be changed.
  await Promise.all(Array.from({ length: 12 }, look))

  await setReadOnly(false)
  await until(async () => (await hone.call('GET', '/readyz')).status === 200)
  const answers = await Promise.all([
    ...Array.from({ length: 12 }, (_, i) => topUp(`top-up ${i}`)),
    createKey(),
    chat(),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [...Array.from({ length: 12 }, () => 201), 201, 200],
  )
  assert.equal((await signIn()).status, 200)
})

test('an answer that was delivered meanwhile is charged once, afterwards', async () => {
  await hone.app.money.wallets.chargesWritten()
  const charges = async (): Promise<number> =>
    (await inDatabase(database.url, `select 1 from ledger_entry where kind = 'charge'`)).length
  const earlier = await charges()
  const begun = upstream.calls.length
  const call = chat('gated')
  await until(() => upstream.calls.length > begun)
  await setReadOnly(true)
  await connected()
  upstream.open()
  const answer = await call
  assert.equal(answer.status, 200, answer.text)
  await until(() => hone.app.money.wallets.chargesPending === 1)
  assert.equal(await charges(), earlier)
  await setReadOnly(false)
  await until(() => hone.app.money.wallets.chargesPending === 0)
  assert.equal(await charges(), earlier + 1)
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
})

test('a start on such a database waits until it takes changes', async () => {
  const other = await emptyDatabase()
  const name = new URL(other.url).pathname.slice(1)
  const readOnly = (value: 'on' | 'off') =>
    inDatabase(
      other.url,
      `begin read write; alter database ${name} set default_transaction_read_only = ${value}; commit`,
    )
  await readOnly('on')
  const process = honeProcess({ dataDir: honeFolder(), env: { DATABASE_URL: other.url } })
  const said =
    /^The database is read-only \(.*read-only transaction.*\); check that DATABASE_URL leads to one that accepts changes\. Until then http:\S+ answers 503\.\n/
  await until(() => said.test(process.stderr))
  await readOnly('off')
  await process.listening()
  process.kill('SIGTERM')
  assert.deepEqual(await process.ended, { code: 0, signal: null })
})
