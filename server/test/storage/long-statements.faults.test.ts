// Statements that take long: the database ends those that nobody waits for any more, and however many ask for them, the others
// are answered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { Client } from 'pg'
import { systemClock } from '#server/lib/clock.ts'
import { openStorage } from '#server/storage/open-storage.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { addPipeline, workspaceOf } from '#test/support/imports.ts'
import { loopHone } from '#test/support/loop-hone.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let database: TestDatabase
let direct: Client
before(async () => {
  database = await testDatabase()
  direct = new Client({ connectionString: database.url })
  await direct.connect()
})
after(async () => {
  await direct.end()
})

async function sleepers(): Promise<number> {
  const { rows } = await direct.query<{ count: string }>(
    `select count(*) from pg_stat_activity
     where datname = current_database() and query like '%pg_sleep(600)%' and state = 'active'
       and pid <> pg_backend_pid()`,
  )
  return Number(rows[0]?.count)
}

test('a statement that is given up ends in the database as well', async () => {
  const storage = await openStorage(database.url, systemClock, { queryMs: 2000 })
  try {
    const slow = sql`select pg_sleep(600)`.execute(storage.db)
    const given = assert.rejects(slow, StorageUnavailable)
    await until(async () => (await sleepers()) === 1)
    await given
    await until(async () => (await sleepers()) === 0, 30_000)
  } finally {
    await storage.close()
  }
})

const crowd = 24
const pipelines = 5

for (const [table, routes] of [
  ['ledger_entry', ['GET /api/analytics/usage']],
  ['sample', ['GET /api/loop/stats', 'GET /api/loop/traces']],
  ['sample', ['GET /api/loop/pipelines']],
  ['sample', ['GET /api/loop/pipelines/{id}', 'PUT /api/loop/pipelines/{id}']],
  ['sample', ['GET /api/loop/datasets', 'GET /api/loop/datasets?count=exact']],
  ['sample', ['GET /api/loop/traces?count=exact']],
] as const) {
  test(`a crowd that waits for ${routes.join(' and ')} leaves room for the others`, async () => {
    const hone = await testHone({ storage: { connectMs: 20_000, queryMs: 60_000 }, tasks: [] })
    const { key } = hone.owner
    const locker = new Client({ connectionString: hone.databaseUrl })
    await locker.connect()
    try {
      for (let i = 0; i < pipelines; i++) {
        const body = { name: `name ${i}`, conditions: { feedback: 'none' } }
        const made = await hone.call('POST', '/api/loop/datasets', { key, body })
        assert.equal(made.status, 201, made.text)
      }
      const workspaceId = await workspaceOf(hone)
      const ids: string[] = []
      for (let i = 0; i < pipelines; i++) ids.push(await addPipeline(hone, workspaceId, `tag-${i}`))
      const ask = (route: string) => {
        const [method = '', path = ''] = route.replace('{id}', String(ids[0])).split(' ')
        return hone.call(method, path, {
          key,
          ...(method === 'PUT' && { body: { enabled: false } }),
        })
      }
      await locker.query(`begin; lock table ${table} in access exclusive mode`)
      const crowded = routes.flatMap((route) => Array.from({ length: crowd }, () => ask(route)))
      const waiting = async (): Promise<number> => {
        const { rows } = await locker.query(
          `select from pg_locks l join pg_class c on c.oid = l.relation
           where c.relname = '${table}' and not l.granted`,
        )
        return rows.length
      }
      await until(async () => (await waiting()) >= 2)
      const wallet = await hone.call('GET', '/api/wallet', { key })
      assert.equal(wallet.status, 200, wallet.text)
      const another = await hone.call('POST', '/api/api-keys', {
        key,
        body: { name: 'another', scopes: ['serverless'] },
      })
      assert.equal(another.status, 201, another.text)
      assert.ok((await waiting()) <= 2, 'of one workspace two at once')
      await locker.query('commit')
      for (const { status, text } of await Promise.all(crowded)) {
        assert.ok([200, 429, 503].includes(status), text)
      }
      for (const route of routes) {
        assert.equal((await ask(route)).status, 200, route)
      }
    } finally {
      await locker.end()
      await hone.stop()
    }
  })
}

test('a pipeline whose samples cannot be counted in time is neither made nor changed', async () => {
  const hone = await loopHone({ storage: { connectMs: 20_000, queryMs: 2000 }, tasks: [] })
  const { key } = hone.owner
  const locker = new Client({ connectionString: hone.databaseUrl })
  await locker.connect()
  try {
    const first = await hone.pipeline('first')
    const second = { name: 'second', model: first.model }
    await locker.query('begin; lock table sample in access exclusive mode')
    for (const [method, path, body] of [
      ['POST', '', second],
      ['PUT', `/${first.rule_id}`, { enabled: false }],
    ] as const) {
      const answer = await hone.call(method, `/api/loop/pipelines${path}`, { key, body })
      assert.equal(answer.status, 503, answer.text)
    }
    await locker.query('commit')
    const { json } = await hone.call('GET', '/api/loop/pipelines', { key })
    assert.deepEqual(json.pipelines, [first])
    await hone.pipeline(second.name)
  } finally {
    await locker.end()
    await hone.stop()
  }
})
