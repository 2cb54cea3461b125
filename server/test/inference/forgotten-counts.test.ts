// The background forgets what was counted for ceilings once it is of no use, and not before: two processes on one database hear of
// each other's calls through what it might delete.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { forgetExpired } from '#server/task/forget-expired.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let database: TestDatabase
let one: TestHone
let two: TestHone
const clock = new ManualClock('2026-03-01T12:00:10Z')

before(async () => {
  database = await testDatabase()
  const limits = { tokens_per_minute: 1000 }
  const options = { clock, databaseUrl: database.url, catalog: { models: [], limits }, tasks: [] }
  one = await testHone(options)
  two = await testHone(options)
})
after(async () => {
  await two.stop()
  await one.stop()
})

const workspace = (): string => newId(new Date())

test('P9: the tokens of this minute stay counted', async () => {
  const id = workspace()
  await one.app.calls.limits.admit(id, 1000)
  await forgetExpired.run(one.app)
  await assert.rejects(async () => two.app.calls.limits.admit(id, 1), /1,000 tokens a minute/)
})

test('S21: calls that were hung up on in these ten minutes stay counted', async () => {
  const id = workspace()
  for (let i = 0; i < 101; i++) one.app.calls.abortGuard.aborted(id, 1)
  await one.app.calls.abortGuard.exchange()
  clock.forward(9 * 60_000)
  await forgetExpired.run(one.app)
  two.app.calls.abortGuard.check(id)
  await two.app.calls.abortGuard.exchange()
  assert.throws(() => two.app.calls.abortGuard.check(id), /disconnected before the end/)
})

test('what was counted hours ago is gone', async () => {
  const left = async (): Promise<number[]> => {
    const tables = ['rate_window', 'hang_up_count']
    const found = tables.map((table) => inDatabase(database.url, `select 1 from ${table}`))
    return (await Promise.all(found)).map((rows) => rows.length)
  }
  assert.ok((await left()).every((rows) => rows > 0))
  clock.forward(2 * 3_600_000)
  await forgetExpired.run(one.app)
  assert.deepEqual(await left(), [0, 0])
})
