// Two workspaces that call everything by the same names: what one of them records, counts, judges and deletes is never the
// other's.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Dataset } from '#contract/dataset.ts'
import type { ImportResult } from '#contract/import.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { Trace } from '#contract/sample.ts'
import { createKey, createWorkspace } from '#test/support/accounts.ts'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone
/** One of each workspace. */
let keys: [string, string]

before(async () => {
  hone = await loopHone()
  const session = await hone.login(hone.owner.email, hone.owner.password)
  const id = await createWorkspace(hone, 'Second')
  keys = [hone.owner.key, (await createKey(hone, { ...session, 'x-workspace-id': id })).secret]
})
after(() => hone.stop())

const api = (key: string, method: string, path: string, body?: object): Promise<Answer> =>
  hone.call(method, `/api/loop/${path}`, { key, ...(body ? { body } : {}) })

async function pipelineOf(key: string, { rule_id }: Pipeline): Promise<Pipeline> {
  const answer = await api(key, 'GET', `pipelines/${rule_id}`)
  return (answer.json as unknown as { pipeline: Pipeline }).pipeline
}

async function traceOf(key: string, id: string | undefined): Promise<Trace> {
  const answer = await api(key, 'GET', `traces/${id}`)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

test('samples and missed calls are counted where they were made', async () => {
  const [mine, theirs] = keys
  const made = [await hone.pipeline('Counted', mine), await hone.pipeline('Counted', theirs)]
  const post = (key: string, feedback: string): Promise<Answer> =>
    api(key, 'POST', 'traces', {
      ...{ deployment_id: 'counted', prompt: 'q', completion: 'a', feedback },
    })
  for (const [key, feedback] of [
    [mine, 'good'],
    [theirs, 'bad'],
    [theirs, 'bad'],
  ] as const)
    assert.equal((await post(key, feedback)).status, 201)
  const missed = async (key: string): Promise<number> => {
    const { capture } = await hone.stats(key)
    return capture.counts.find(({ tag }) => tag === 'nobody')?.calls ?? 0
  }
  for (const [key, calls] of [
    [mine, 1],
    [theirs, 1],
    [theirs, 2],
  ] as const) {
    await hone.ask({ key, headers: { 'x-loop-pipeline': 'nobody' } })
    await eventually(
      () => missed(key),
      (now) => now === calls,
    )
  }
  const counted = await Promise.all(keys.map((key) => hone.stats(key)))
  assert.deepEqual(
    counted.map(({ capture }) => capture.not_recorded),
    [1, 2],
  )
  assert.deepEqual(await Promise.all(keys.map(missed)), [1, 2])
  const none = { total: 0, accepted: 0, edited: 0, rejected: 0, unreviewed: 0 }
  const expected = [
    { ...none, total: 1, accepted: 1 },
    { ...none, total: 2, rejected: 2 },
  ]
  for (const [at, key] of keys.entries()) {
    const pipeline = made[at]
    assert.ok(pipeline)
    const { samples, storage } = await pipelineOf(key, pipeline)
    assert.deepEqual(samples, expected[at])
    assert.equal(storage.objects, samples.total)
    assert.equal(counted[at]?.storage.objects, samples.total)
    assert.partialDeepStrictEqual(counted[at]?.samples, expected[at])
  }
})

test('a dataset of the same name is listed, changed and deleted for its own', async () => {
  const body = { name: 'All', conditions: {} }
  const made = []
  for (const key of keys) {
    const answer = await api(key, 'POST', 'datasets', body)
    assert.equal(answer.status, 201, answer.text)
    made.push((answer.json as unknown as { dataset: Dataset }).dataset.id)
  }
  const listed = async (key: string): Promise<string[][]> => {
    const { datasets } = (await api(key, 'GET', 'datasets')).json as unknown as {
      datasets: Dataset[]
    }
    return datasets.map(({ id, name }) => [id, name])
  }
  const [mine, theirs] = keys
  assert.deepEqual([await listed(mine), await listed(theirs)].flat(), [
    [made[0], 'All'],
    [made[1], 'All'],
  ])
  assert.equal((await api(mine, 'PUT', `datasets/${made[0]}`, { name: 'Mine' })).status, 200)
  assert.deepEqual(await listed(theirs), [[made[1], 'All']])
  assert.equal((await api(mine, 'DELETE', `datasets/${made[0]}`)).status, 204)
  assert.deepEqual(await listed(theirs), [[made[1], 'All']])
})

test('calls that missed a pipeline are those of its own workspace', async () => {
  const [mine, theirs] = keys
  // Pipelines come after the call, so that it missed theirs; nobody called mine.
  await hone.ask({ key: theirs, headers: { 'x-loop-pipeline': 'later' } })
  await eventually(
    () => hone.stats(theirs),
    ({ capture }) => capture.counts.some(({ tag }) => tag === 'later'),
  )
  const made = [await hone.pipeline('Later', mine), await hone.pipeline('Later', theirs)]
  assert.deepEqual(
    made.map(({ capture }) => capture),
    [{}, { unknown_tag: 1 }],
  )
})

test('deleting a pipeline or a configuration leaves the other’s', async () => {
  const [mine, theirs] = keys
  const sources = ['plain', 'doomed']
  const made = await Promise.all(keys.map((key) => hone.pipeline('Doomed', key)))
  const body = { enabled: true, tags: ['kept'] }
  for (const key of keys) {
    for (const source of sources) {
      assert.equal((await api(key, 'PUT', `configs/${source}`, body)).status, 200)
    }
  }
  assert.equal((await api(mine, 'DELETE', 'configs/plain')).status, 204)
  assert.equal((await api(mine, 'DELETE', `pipelines/${made[0]?.rule_id}`)).status, 204)
  for (const source of sources) {
    const left = await api(theirs, 'GET', `configs/${source}`)
    assert.partialDeepStrictEqual(left.json, { config: body })
  }
  assert.equal((await api(theirs, 'GET', `pipelines/${made[1]?.rule_id}`)).status, 200)
  const recorded = await Promise.all(keys.map((key) => hone.ask({ key })))
  assert.deepEqual(
    recorded.map((answer) => answer.headers.get('x-loop-sample-id') !== null),
    [false, true],
  )
  await api(theirs, 'DELETE', 'configs/plain')
})

test('feedback that comes with rows sent again goes to the samples of who sends them', async () => {
  const rows = ['one', 'two'].map((prompt) => ({ prompt, completion: 'said' }))
  const send = async (key: string, more: object = {}): Promise<ImportResult> => {
    const sent = { source: 'a file', import_id: 'of-both', rows, ...more }
    const answer = await api(key, 'POST', 'import', sent)
    assert.equal(answer.status, 200, answer.text)
    return answer.json as unknown as ImportResult
  }
  const [mine, theirs] = keys
  const stored = [await send(mine), await send(theirs)]
  const again = await send(theirs, { default_feedback: 'good' })
  assert.deepEqual([again.imported, again.already_present, again.reviewed], [0, 2, 2])
  assert.deepEqual(again.trace_ids, stored[1]?.trace_ids)
  for (const [at, verdict] of [null, 'accepted'].entries()) {
    for (const id of stored[at]?.trace_ids ?? []) {
      assert.equal((await traceOf(keys[at] ?? '', id)).verdict, verdict)
    }
  }
})
