// Corrections take room: they are counted where samples are, go off the count with them, and neither their number nor their
// weight makes an answer endless.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import * as limits from '#contract/limits.ts'
import type { Pipeline, StorageUse } from '#contract/pipeline.ts'
import type { Trace } from '#contract/sample.ts'
import { newId } from '#server/lib/id.ts'
import { billStorage } from '#server/task/bill-storage.ts'
import { expireSamples } from '#server/task/expire-samples.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { imported } from '#test/support/imports.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { firstWorkspace } from '#test/support/new-samples.ts'
import { s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { scriptedCatalog } from '#test/support/scripted-upstream.ts'
import type { Answer } from '#test/support/test-hone.ts'

const dayMs = 86_400_000
const clock = new ManualClock()
let hone: LoopHone
let s3: S3Server
let workspaceId: string
let pipeline: Pipeline

before(async () => {
  s3 = await s3Server()
  hone = await loopHone({ clock, tasks: [], env: { HONE_STORAGE_HOSTS: s3.host } })
  workspaceId = (await firstWorkspace(hone)).id
  pipeline = await hone.pipeline('Support')
})
after(async () => {
  await hone.stop()
  await s3.close()
})
afterEach(checkCounts)

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return hone.call(method, `/api/loop${path}`, {
    key: hone.owner.key,
    ...(body === undefined ? {} : { body }),
  })
}

async function post(more: object = {}): Promise<Trace> {
  const body = { deployment_id: 'support', prompt: 'A question', completion: 'An answer', ...more }
  const answer = await call('POST', '/traces', body)
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

async function read(id: string): Promise<Trace> {
  const answer = await call('GET', `/traces/${id}`)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

const correct = (id: string, correction: string, labels: string[] = []): Promise<Answer> =>
  call('POST', `/traces/${id}/signals`, { verdict: 'edited', correction, labels })

async function used(tag?: string): Promise<StorageUse> {
  if (tag === undefined) return (await hone.stats()).storage as StorageUse
  const { json } = await call('GET', `/pipelines/${pipeline.rule_id}`)
  return (json as unknown as { pipeline: Pipeline }).pipeline.storage
}

/** What is counted is what lies in the tables, under every label. */
async function checkCounts(): Promise<void> {
  const sums = (from: string) => `select tag, place, sum(bytes) as bytes from (${from}) as s
    group by 1, 2 having sum(bytes) <> 0 order by 1, 2`
  const counted = await inDatabase(
    hone.databaseUrl,
    sums(`select tag, place, bytes from sample_storage`),
  )
  const stored = await inDatabase(
    hone.databaseUrl,
    sums(`
      select t.tag, coalesce(left(object_key, 36), 'platform') as place, bytes
      from sample cross join lateral unnest(array_prepend('', tags)) t (tag)
      union all
      select t.tag, 'platform', octet_length(correction)
      from signal f join sample s on s.id = f.sample_id
      cross join lateral unnest(array_prepend('', s.tags)) t (tag)`),
  )
  assert.deepEqual(counted, stored)
}

describe('corrections are counted', () => {
  test('under the labels of their sample, and off again with it', async () => {
    const before = await used()
    const { id, bytes } = await post()
    assert.equal((await used()).bytes, before.bytes + bytes)
    assert.equal((await correct(id, 'Größer', ['first'])).status, 201)
    assert.equal((await correct(id, 'x'.repeat(1000), ['second'])).status, 201)
    assert.equal((await call('POST', `/traces/${id}/signals`, { verdict: 'good' })).status, 201)
    const weight = bytes + Buffer.byteLength('Größer') + 1000
    for (const tag of [undefined, 'support']) {
      const { bytes: now, objects } = await used(tag)
      assert.deepEqual([now, objects], [before.bytes + weight, before.objects + 1])
    }
    await checkCounts()
    assert.equal((await read(id)).bytes, bytes, 'the conversation itself weighs what it did')
    assert.equal((await call('DELETE', `/traces/${id}`)).status, 204)
    assert.deepEqual(await used(), before)
  })

  test('from every door: posts and imports, new rows and rows that are there', async () => {
    const before = (await used()).bytes
    const feedback = { verdict: 'edited', correction: 'y'.repeat(500) }
    const posted = await post({ feedback })
    const rows = [
      { prompt: 'a', completion: 'b', correction: 'c'.repeat(300) },
      { prompt: 'a', ground_truth: 'd'.repeat(200) },
      { prompt: 'a', completion: 'b' },
    ]
    const call = { rows, labels: ['file'], row_ids: ['1', '2', '3'], import_id: 'doors' }
    const first = await imported(hone, call)
    const again = rows.map((row) => ({
      prompt: row.prompt,
      completion: 'b',
      correction: 'e'.repeat(70),
    }))
    const second = await imported(hone, { ...call, rows: again })
    assert.deepEqual([second.already_present, second.reviewed], [3, 1])
    const traces = await Promise.all([posted.id, ...first.trace_ids].map(read))
    const bytes = traces.reduce((sum, trace) => sum + trace.bytes, 0)
    assert.equal((await used()).bytes, before + bytes + 500 + 300 + 200 + 70)
  })

  test('until their sample expires', async () => {
    const config = { enabled: false, retention_days: 1 }
    assert.equal((await call('PUT', '/configs/support', config)).status, 200)
    const before = await used()
    const { id } = await post()
    await correct(id, 'z'.repeat(4000))
    clock.forward(dayMs)
    await expireSamples.run(hone.app)
    assert.deepEqual(await used(), before)
    assert.equal((await call('PUT', '/configs/support', { enabled: false })).status, 200)
  })

  test('by many at once, and while their sample is deleted', async () => {
    const { id } = await post()
    const texts = Array.from({ length: 10 }, (_, nr) => 'w'.repeat(100 + nr))
    const labels = (nr: number): string[] => [`l${nr % 3}`]
    await Promise.all(texts.map((text, nr) => correct(id, text, labels(nr))))
    await checkCounts()
    const [gone, ...answers] = await Promise.all([
      call('DELETE', `/traces/${id}`),
      ...texts.map((text, nr) => correct(id, text, labels(nr))),
    ])
    assert.equal(gone.status, 204)
    for (const { status, text } of answers) assert.ok([201, 404].includes(status), text)
    const left = await inDatabase(
      hone.databaseUrl,
      `select 1 from signal where sample_id = '${id}' union all select 1 from sample where id = '${id}'`,
    )
    assert.deepEqual(left, [], 'no feedback outlives its sample')
  })

  test('as lying on the platform where the conversation lies in a bucket', async () => {
    await inDatabase(hone.databaseUrl, 'delete from signal; delete from sample')
    const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
    const own = { key: hone.owner.key, body }
    assert.equal((await hone.call('PUT', '/api/integrations/storage', own)).status, 200)
    const { id, bytes } = await post()
    assert.equal((await used()).where, 'your_storage')
    await correct(id, 'v'.repeat(50))
    const { billed: _, ...use } = await used()
    assert.deepEqual(use, { bytes: bytes + 50, objects: 1, where: 'both' })
    const { json } = await hone.call('GET', '/api/integrations/storage', { key: hone.owner.key })
    assert.equal((json as unknown as { storage: { bytes: number } }).storage.bytes, bytes)
    assert.equal((await call('DELETE', `/traces/${id}`)).status, 204)
    const { where, bytes: left } = await used()
    assert.deepEqual([where, left], ['your_storage', 0])
    await hone.call('DELETE', '/api/integrations/storage', { key: hone.owner.key })
  })
})

/** Feedback past the route, which would take its time for so much of it. */
async function add(
  id: string,
  count: number,
  more: { characters?: number; by?: string } = {},
): Promise<void> {
  const { characters = 0, by = 'person' } = more
  const correction = characters > 0 ? `repeat('ä', ${characters})` : 'null'
  const ids = Array.from({ length: count }, () => newId(clock.now()))
  await inDatabase(
    hone.databaseUrl,
    `insert into signal (id, workspace_id, sample_id, verdict, correction, given_by, gold, created_at)
     select id, '${workspaceId}', '${id}', 'edited', ${correction}, '${by}', ${by !== 'judge'}, now()
     from unnest('{${ids.join()}}'::uuid[]) as g (id)`,
  )
}

describe('a sample is read', () => {
  test('with the newest feedback first, and how much there is', async () => {
    const { id } = await post()
    const given = Array.from({ length: 5 }, (_, nr) => `Correction ${nr}`)
    for (const text of given) {
      clock.forward(1)
      await correct(id, text)
    }
    const trace = await read(id)
    assert.deepEqual(
      trace.signals.map(({ correction }) => correction),
      given.toReversed(),
    )
    assert.equal(trace.signals_total, 5)
    assert.equal(trace.correction, 'Correction 4')
  })

  test('with no more signals than an answer has', async () => {
    const { id } = await post()
    await add(id, limits.signalsShownMax)
    assert.equal((await read(id)).signals.length, limits.signalsShownMax)
    clock.forward(1)
    await correct(id, 'Newest')
    const { signals, signals_total, correction } = await read(id)
    assert.deepEqual(
      [signals.length, signals_total, signals[0]?.correction, correction],
      [limits.signalsShownMax, limits.signalsShownMax + 1, 'Newest', 'Newest'],
    )
  })

  test('in one answer of a bounded size, however heavy the corrections are', async () => {
    const { id } = await post()
    await add(id, 60, { characters: 500_000 })
    const { signals, signals_total } = await read(id)
    assert.deepEqual([signals.length, signals_total], [4, 60])
    clock.forward(1)
    await add(id, 1, { characters: limits.correctionCharactersMax * 2 })
    const text = JSON.stringify(await read(id))
    assert.ok(text.length < 3 * limits.correctionBytesShownMax, `${text.length}`)
    assert.equal((JSON.parse(text) as Trace).signals.length, 1, 'the newest has room')
  })

  test('with the correction that counts, also where newer scores of a judge fill the list', async () => {
    const { id } = await post()
    await correct(id, 'What a person said')
    clock.forward(1)
    await add(id, limits.signalsShownMax, { by: 'judge' })
    const trace = await read(id)
    assert.equal(trace.correction, 'What a person said')
    assert.ok(trace.signals.every(({ given_by }) => given_by === 'judge'))
  })
})

describe('feedback beyond what a sample holds is refused', () => {
  test('by number', async () => {
    const { id } = await post()
    await add(id, limits.signalsPerSampleMax - 1)
    assert.equal((await correct(id, 'The last')).status, 201)
    const answer = await correct(id, 'One more')
    assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
    assert.match(answer.json.error?.message ?? '', /1,000/)
    assert.equal((await read(id)).correction, 'The last')
  })

  test('by weight, and other feedback still fits', async () => {
    const { id } = await post()
    await add(id, 1, { characters: limits.correctionBytesPerSampleMax / 2 - 5 })
    // Bytes are counted, not characters.
    assert.equal((await correct(id, 'äääääx')).status, 413)
    assert.equal((await correct(id, 'äääää')).status, 201)
    const answer = await correct(id, 'x')
    assert.deepEqual([answer.status, answer.json.error?.code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.equal((await read(id)).signals_total, 2)
    assert.equal((await call('POST', `/traces/${id}/signals`, { verdict: 'bad' })).status, 201)
  })
})

test('corrections on the platform cost what conversations cost', async () => {
  const priced = await loopHone({
    tasks: [],
    catalog: { ...scriptedCatalog('http://127.0.0.1:1'), storage: { usd_per_gb_month: '1' } },
  })
  try {
    const key = priced.owner.key
    const body = { deployment_id: 'serverless', prompt: 'q', completion: 'a' }
    const posted = await priced.call('POST', '/api/loop/traces', { key, body })
    const { id, bytes } = (posted.json as unknown as { trace: Trace }).trace
    const signal = { verdict: 'edited', correction: 'x'.repeat(10_000) }
    await priced.call('POST', `/api/loop/traces/${id}/signals`, { key, body: signal })
    const storage = (await priced.stats()).storage
    assert.deepEqual(storage, {
      bytes: bytes + 10_000,
      objects: 1,
      where: 'platform',
      billed: true,
    })
    await billStorage.run(priced.app)
    const days = await inDatabase<{ bytes: string }>(
      priced.databaseUrl,
      'select bytes from storage_day',
    )
    assert.deepEqual(days, [{ bytes: String(bytes + 10_000) }])
  } finally {
    await priced.stop()
  }
})
