// Samples whose time is over are gone for everybody from that moment on, before the task that erases them comes around.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Dataset } from '#contract/dataset.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { Trace } from '#contract/sample.ts'
import { indexWorkspace } from '#server/samples/search/index-workspace.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { imported, manyRows } from '#test/support/imports.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { firstWorkspace } from '#test/support/new-samples.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { atOnce } from '../search/search-rig.ts'

const dayMs = 86_400_000
const clock = new ManualClock()
let hone: LoopHone
let workspaceId: string
let pipeline: Pipeline

before(async () => {
  hone = await loopHone({ clock, tasks: [] })
  workspaceId = (await firstWorkspace(hone)).id
  pipeline = await hone.pipeline('Support')
  // What comes under this source lasts a day, what comes under any other thirty.
  const config = { enabled: false, tags: [], retention_days: 1 }
  const put = await call('PUT', '/configs/support', config)
  assert.equal(put.status, 200, put.text)
})
after(() => hone.stop())

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return hone.call(method, `/api/loop${path}`, {
    key: hone.owner.key,
    ...(body === undefined ? {} : { body }),
  })
}

async function post(deployment_id: string, said: string, more: object = {}): Promise<Trace> {
  const body = { deployment_id, prompt: said, completion: 'Yes.', labels: ['support'], ...more }
  const answer = await call('POST', '/traces', body)
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

async function index(): Promise<void> {
  while (await indexWorkspace(hone.app.storage, workspaceId, atOnce));
}

async function listed(query: string): Promise<{ ids: string[]; total: number }> {
  const answer = await call('GET', `/traces?${query}`)
  assert.equal(answer.status, 200, answer.text)
  const { traces, total } = answer.json as unknown as { traces: { id: string }[]; total: number }
  return { ids: traces.map(({ id }) => id).sort(), total }
}

const rows = () => inDatabase<{ id: string }>(hone.databaseUrl, 'select id from sample')

test('lists, searches, reads, statistics, pipelines and datasets do not show them', async () => {
  const dataset = await call('POST', '/datasets', {
    name: 'All of support',
    conditions: { tags: ['support'] },
  })
  const { id: datasetId } = (dataset.json as unknown as { dataset: Dataset }).dataset
  const indexed = await post('support', 'The word is xylograph')
  const stays = await post('serverless', 'The word is xylograph')
  await index()
  const queued = await post('support', 'The word is xylograph, again', { feedback: 'good' })
  const queries = [
    '',
    'tags=support',
    'q=xylograph',
    'q=xylograph&tags=support',
    `dataset_id=${datasetId}`,
    `q=xylograph&dataset_id=${datasetId}`,
  ]
  const counts = async () => {
    const read = await call('GET', `/datasets/${datasetId}`)
    const { pipeline: shown } = (await call('GET', `/pipelines/${pipeline.rule_id}`))
      .json as unknown as { pipeline: Pipeline }
    const { total, accepted } = (await hone.stats()).samples
    return {
      dataset: (read.json as unknown as { dataset: Dataset }).dataset.samples,
      pipeline: [shown.samples.total, shown.samples.accepted],
      stats: [total, accepted],
    }
  }
  clock.forward(dayMs - 1)
  for (const query of queries) {
    const all = [queued.id, stays.id, indexed.id].sort()
    assert.deepEqual(await listed(query), { ids: all, total: 3 }, query)
  }
  assert.deepEqual(await counts(), { dataset: 3, pipeline: [3, 1], stats: [3, 1] })
  clock.forward(1)
  assert.equal((await rows()).length, 3, 'nobody has erased anything yet')
  for (const query of queries) {
    assert.deepEqual(await listed(query), { ids: [stays.id], total: 1 }, query)
  }
  assert.deepEqual(await counts(), { dataset: 1, pipeline: [1, 0], stats: [1, 0] })
  for (const { id } of [indexed, queued]) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['DELETE', '', undefined],
      ['POST', '/signals', { verdict: 'good' }],
    ] as const) {
      const answer = await call(method, `/traces/${id}${path}`, body)
      assert.deepEqual([answer.status, answer.json.error?.code], [404, 'NOT_FOUND'], method)
    }
  }
})

test('a request id whose sample is over names a new one', async () => {
  const request_id = 'asked-before'
  const lasting = { request_id: 'asked-and-not-over' }
  const other = await post('serverless', 'What lasts', lasting)
  const first = await post('support', 'What was said first', { request_id })
  const same = await post('support', 'What was said then', { request_id })
  assert.equal(same.id, first.id)
  clock.forward(dayMs)
  const second = await post('support', 'What was said second', { request_id, feedback: 'good' })
  assert.notEqual(second.id, first.id)
  assert.deepEqual(second.messages, [{ role: 'user', content: 'What was said second' }])
  assert.equal(second.signals.length, 1)
  assert.equal((await post('support', 'What was said third', { request_id })).id, second.id)
  assert.equal((await call('GET', `/traces/${first.id}`)).status, 404)
  assert.equal((await post('serverless', 'What lasts', lasting)).id, other.id, 'no other is freed')
})

function repeatedIn(counts: readonly { outcome: string; calls: number }[]): number {
  const repeated = counts.filter(({ outcome }) => outcome === 'repeated')
  return repeated.reduce((sum, { calls }) => sum + calls, 0)
}

test('a call whose request id named a sample that is over is recorded, and none of its repetitions', async () => {
  assert.equal(
    (await call('PUT', '/configs/plain', { enabled: true, retention_days: 1 })).status,
    200,
  )
  const ask = (text: string) => hone.ask({ text, headers: { 'x-request-id': 'called-before' } })
  const first = await hone.sampleOf(await ask('What was asked first'))
  assert.equal((await hone.sampleOf(await ask('Again'))).id, first.id)
  clock.forward(dayMs)
  const { length } = await rows()
  const id = (await ask('What was asked second')).headers.get('x-loop-sample-id') ?? ''
  const read = await eventually(
    () => call('GET', `/traces/${id}`),
    ({ status }) => status === 200,
  )
  const { trace: second } = read.json as unknown as { trace: Trace }
  assert.equal(second.id, id)
  assert.deepEqual(second.messages, [{ role: 'user', content: 'What was asked second' }])
  assert.equal(second.request_id, 'called-before')
  assert.equal((await rows()).length, length + 1, 'the one that is over still waits to be erased')
  assert.equal((await call('GET', `/traces/${first.id}`)).status, 404)
  // Several at once, of which one is recorded.
  clock.forward(dayMs)
  const answers = await Promise.all(['a', 'b', 'c'].map((text) => ask(text)))
  const ids = await Promise.all(answers.map(async (one) => (await hone.sampleOf(one)).id))
  assert.equal(new Set(ids).size, 1)
  assert.notEqual(ids[0], second.id)
  // What became of each is counted when its sample can be read already.
  const { capture } = await eventually(
    () => hone.stats(),
    ({ capture: { recorded, counts } }) => recorded === 3 && repeatedIn(counts) >= 3,
  )
  assert.equal(capture.recorded, 3)
  assert.equal(repeatedIn(capture.counts), 3)
})

test('an imported row whose sample is over is stored anew', async () => {
  const sent = { import_id: 'over', rows: manyRows(3), default_feedback: 'good' }
  const first = await imported(hone, sent)
  const [gone, ...stay] = first.trace_ids
  await inDatabase(
    hone.databaseUrl,
    `update sample set expires_at = '${clock.now().toISOString()}' where id = '${gone}'`,
  )
  const again = await imported(hone, sent)
  assert.deepEqual([again.imported, again.already_present, again.reviewed], [1, 2, 1])
  const [anew, ...others] = again.trace_ids
  assert.deepEqual(others, stay)
  assert.equal((await call('GET', `/traces/${anew}`)).status, 200)
  assert.equal((await call('GET', `/traces/${gone}`)).status, 404)
  assert.equal((await imported(hone, sent)).already_present, 3)
})
