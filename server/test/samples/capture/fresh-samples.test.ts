// Calls that were just recorded, in the short way into the database: what is stored is what any other way would have stored, and
// where the short way is refused the long one is taken.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { CaptureOutcome } from '#contract/capture.ts'
import { systemClock } from '#server/lib/clock.ts'
import { newId } from '#server/lib/id.ts'
import { FreshSampleStore, isFresh } from '#server/samples/capture/fresh-sample-store.ts'
import { SampleStorer } from '#server/samples/capture/sample-storer.ts'
import type { NewSample } from '#server/samples/sample/sample.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { openStorage, type Storage } from '#server/storage/open-storage.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { until } from '#test/support/until.ts'

let database: TestDatabase
let storage: Storage
before(async () => {
  database = await testDatabase()
  storage = await openStorage(database.url, systemClock)
})
after(async () => {
  await storage.close()
})

const at = new Date('2026-05-04T03:02:01.234Z')

function call(workspaceId: string, fields: Partial<NewSample> = {}): NewSample {
  const conversation = '{"answer": "Straße 東京 \\u0000 😀"}'
  return {
    id: newId(at),
    workspaceId,
    origin: 'captured',
    source: 'a "model"',
    model: 'a "model"',
    tags: ['one', 'two'],
    requestId: null,
    importId: null,
    versionNo: null,
    rowKey: null,
    shape: null,
    answered: true,
    text: { conversation, searchText: 'straße 東京 😀', bytes: Buffer.byteLength(conversation) },
    objectKey: null,
    signal: null,
    createdAt: at,
    expiresAt: new Date(at.getTime() + 30 * 24 * 3600 * 1000),
    ...fields,
  }
}

async function stored(workspaceId: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select s.*, null as id, null as workspace_id, t.conversation, t.search_text,
      s.id = any(q.sample_ids) as queued
    from sample s join sample_text t on t.sample_id = s.id
    join search_queue q on q.workspace_id = s.workspace_id
    where s.workspace_id = ${workspaceId} order by s.model, s.tags`.execute(storage.db)
  return rows
}

test('both ways store the same', async () => {
  const [short, long] = [newId(at), newId(at)]
  const fields: Partial<NewSample>[] = [
    {},
    { tags: [] },
    { model: 'other', source: 'other', versionNo: 12 },
  ]
  await new FreshSampleStore(storage).insert(fields.map((some) => call(short, some)))
  await insertSamples(
    storage,
    fields.map((some) => call(long, some)),
  )
  const rows = await stored(short)
  assert.equal(rows.length, 3)
  assert.deepEqual(rows, await stored(long))
})

test('calls of several workspaces go together, and its memory is used again for larger and smaller ones', async () => {
  const store = new FreshSampleStore(storage)
  const [one, two] = [newId(at), newId(at)]
  const long = 'x'.repeat(700_000)
  const text = { conversation: long, searchText: long, bytes: long.length }
  for (const count of [1, 3, 1]) {
    const of = (workspace: string) => Array.from({ length: count }, () => call(workspace, { text }))
    await store.insert([...of(one), ...of(two)])
  }
  await store.insert([call(one)])
  const lengths = async (workspace: string): Promise<number[]> => {
    const { rows } = await sql<{ length: number }>`
      select length(conversation) from sample_text where workspace_id = ${workspace} order by 1
    `.execute(storage.db)
    return rows.map((row) => row.length)
  }
  assert.deepEqual(await lengths(two), Array(5).fill(long.length))
  assert.deepEqual((await lengths(one)).slice(1), Array(5).fill(long.length))
})

for (const [why, fields] of [
  ['names a request', { requestId: 'r' }],
  ['lies in a bucket', { objectKey: 'k' }],
  ['was posted', { origin: 'posted' as NewSample['origin'] }],
] as const) {
  test(`a call that ${why} is not fresh`, () =>
    assert.equal(isFresh(call(newId(at), fields)), false))
}

test('what the short way is refused for takes the long one: each is stored once', async () => {
  const workspace = newId(at)
  const calls = [call(workspace), call(workspace, { requestId: 'same' }), call(workspace)]
  const again = call(workspace, { requestId: 'same' })
  const outcomes = new Map<number, CaptureOutcome>()
  const storer = new SampleStorer({
    storage,
    findOwners: () => Promise.resolve(new Set()),
    placeTexts: () => Promise.reject(new Error('nobody has a bucket')),
    finish: (list) => list.forEach(({ number, outcome }) => outcomes.set(number, outcome)),
    failed: (error) => assert.fail(String(error)),
  })
  const finished = async (samples: NewSample[], from: number): Promise<void> => {
    storer.add(samples.map((sample, index) => ({ number: from + index, sample })))
    await until(() => outcomes.size >= from + samples.length)
  }
  await finished(calls, 0)
  // As after a try whose answer was lost.
  await finished([...calls, again, call(workspace)], 3)
  assert.deepEqual(
    [...outcomes].sort(([a], [b]) => a - b).map(([, outcome]) => outcome),
    [...Array<string>(6).fill('recorded'), 'repeated', 'recorded'],
  )
  assert.equal((await stored(workspace)).length >= 4, true)
  const { rows } = await sql<{ n: string }>`
    select count(*) as n from sample where workspace_id = ${workspace}`.execute(storage.db)
  assert.equal(rows[0]?.n, '4')
})

for (const [what, count, text] of [
  ['many', 512, undefined],
  ['large', 2, 'x'.repeat(600_000)],
] as const) {
  test(`while ${what} wait there is no room for more, until they are being stored`, async () => {
    const workspace = newId(at)
    const asked = Promise.withResolvers<Set<string>>()
    let recorded = 0
    const storer = new SampleStorer({
      storage,
      findOwners: () => asked.promise,
      placeTexts: () => Promise.reject(new Error('nobody has a bucket')),
      finish: (list) => (recorded += list.length),
      failed: (error) => assert.fail(String(error)),
    })
    const add = (samples: number): void => {
      const fields = text
        ? { text: { conversation: text, searchText: null, bytes: text.length } }
        : {}
      const group = Array.from({ length: samples }, () => call(workspace, fields))
      storer.add(group.map((sample, number) => ({ number, sample })))
    }
    const hasRoom = (): Promise<boolean> =>
      Promise.race([
        storer.room().then(() => true),
        new Promise<boolean>((no) => setImmediate(no, false)),
      ])
    add(1)
    add(count - 1)
    assert.equal(await hasRoom(), true, 'one is being stored, the others wait')
    add(1)
    assert.equal(await hasRoom(), false)
    asked.resolve(new Set())
    await storer.room()
    await until(() => recorded === count + 1)
  })
}
