// What became of calls is counted once, whatever is lost between Hone and its database.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { addCaptureCounts, readCaptureCounts } from '#server/samples/capture/capture-count-store.ts'
import { forgetExpired } from '#server/task/forget-expired.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let hone: LoopHone

before(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  hone = await loopHone({ databaseUrl: proxy.url, storage: {}, tasks: [] })
})
after(async () => {
  await hone.stop()
  await proxy.close()
})

test('D4: counts whose reply is lost after they were written are counted once', async () => {
  const counted = async (): Promise<Map<string, number>> => {
    const { capture } = await hone.stats()
    const unknown = capture.counts.filter(({ outcome }) => outcome === 'unknown_tag')
    return new Map(unknown.map(({ tag, calls }) => [tag, calls]))
  }
  const ask = (tag: string) => hone.ask({ headers: { 'x-loop-pipeline': tag } })
  const lostBefore = proxy.repliesLost
  proxy.loseReplyTo('add-capture-counts')
  await ask('nobody-lost')
  await eventually(counted, (tags) => tags.has('nobody-lost'))
  assert.equal(proxy.repliesLost, lostBefore + 1)
  // Counted while nobody knows whether the first was: both come with the next try.
  await ask('nobody-lost')
  await ask('nobody-else')
  const tags = await eventually(counted, (now) => now.has('nobody-else'))
  assert.deepEqual([tags.get('nobody-lost'), tags.get('nobody-else')], [2, 1])
})

test('D4: a group of counts is added once, whoever sends it again, and the next one all the same', async () => {
  const { storage, clock } = hone.app
  const workspaceId = newId(new Date())
  const count = {
    workspaceId,
    source: 'm',
    tag: '',
    outcome: 'recorded' as const,
    calls: 3,
    missed: 0,
  }
  const group = { writerId: newId(new Date()), number: 7, counts: [{ ...count, at: clock.now() }] }
  const send = (number: number) => addCaptureCounts(storage, { ...group, number }, clock.now())
  const calls = async () => (await readCaptureCounts(storage.db, workspaceId))[0]?.calls
  await Promise.all([send(7), send(7), send(7)])
  assert.equal(await calls(), '3')
  await send(8)
  await send(7)
  assert.equal(await calls(), '6')
})

test('writers of counts are forgotten a week after their last group', async () => {
  const { storage, clock } = hone.app
  const dayMs = 86_400_000
  const [gone, stays] = [newId(new Date()), newId(new Date())]
  for (const [writerId, days] of [
    [gone, 7.1],
    [stays, 6.9],
  ] as const) {
    const at = new Date(clock.now().getTime() - days * dayMs)
    await addCaptureCounts(storage, { writerId, number: 1, counts: [] }, at)
  }
  await forgetExpired.run(hone.app)
  const left = await storage.db.selectFrom('capture_writer').select('id').execute()
  const ids = left.map(({ id }) => id)
  assert.deepEqual([ids.includes(gone), ids.includes(stays)], [false, true])
})
