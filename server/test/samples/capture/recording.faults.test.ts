// Recording when something breaks: the call is answered, nothing is stored twice, and what is lost is counted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let hone: LoopHone

before(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  hone = await loopHone({ databaseUrl: proxy.url, storage: {} })
  await hone.pipeline('Support')
})
after(async () => {
  await hone.stop()
  await proxy.close()
})

const headers = { 'x-loop-pipeline': 'support' }

test('a reply that is lost after the sample was stored stores it once and counts it once', async () => {
  await hone.sampleOf(await hone.ask({ headers }))
  const before = await eventually(
    () => hone.stats(),
    ({ capture, samples }) => capture.recorded === samples.total,
  )
  proxy.loseReplyTo('insert-fresh-samples')
  const answer = await hone.ask({ headers, text: 'Once only' })
  assert.equal(answer.status, 200)
  const trace = await hone.sampleOf(answer)
  assert.deepEqual(trace.messages, [{ role: 'user', content: 'Once only' }])
  const stats = await eventually(
    () => hone.stats(),
    ({ capture }) => capture.recorded === before.capture.recorded + 1,
  )
  assert.equal(proxy.repliesLost, 1)
  assert.equal(stats.samples.total, (before.samples.total ?? 0) + 1)
  assert.equal(stats.capture.not_recorded, before.capture.not_recorded)
})
