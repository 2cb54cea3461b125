// Versions as the API shows them: with their pipeline, in lists of their own, on the attempts that they were, and what the limit of
// versions stops.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import { type Pipeline, pipeline as pipelineSchema } from '#contract/pipeline.ts'
import {
  type LiveEntry,
  liveEntry as liveEntrySchema,
  type Version,
  version as versionSchema,
} from '#contract/version.ts'
import { bundledModel } from '#server/engine/engines.ts'
import { putVersionLive } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone()
})
after(() => hone.stop())

const api = (method: string, path: string, body?: object): Promise<Answer> =>
  hone.call(method, `/api/loop/${path}`, { key: hone.owner.key, ...(body ? { body } : {}) })

async function read<T>(path: string): Promise<T> {
  const answer = await api('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json as unknown as T
}

const own = async (id: string): Promise<Pipeline> =>
  (await read<{ pipeline: Pipeline }>(`pipelines/${id}`)).pipeline

/** So many versions, of the attempts 1, 2 and so on. */
async function withVersions(name: string, count: number): Promise<string> {
  const { rule_id: id } = await hone.pipeline(name)
  for (let no = 1; no <= count; no++) {
    await putVersionLive(hone, id, { attemptNo: no, adapter: String(no).repeat(64) })
  }
  return id
}

test('before its first version a pipeline has none of what versions bring, and then the newest is live', async () => {
  const { rule_id: id } = await hone.pipeline('Shown')
  const shown = ({ versions_total, live_version, live_deployment, chain }: Pipeline) => [
    versions_total,
    live_version,
    live_deployment?.status,
    chain,
  ]
  assert.deepEqual(shown(await own(id)), [0, null, undefined, null])
  for (const no of [1, 2])
    await putVersionLive(hone, id, { attemptNo: no, adapter: String(no).repeat(64) })
  const pipeline = await own(id)
  assert.deepEqual(pipelineSchema.strict().parse(pipeline), pipeline)
  assert.deepEqual(shown(pipeline), [2, 2, 'serving', [{ version_no: 2, merged: false }]])
  assert.deepEqual(
    pipeline.versions.map(({ version_no }) => version_no),
    [1, 2],
  )
  const { have, need, ready, reason } = pipeline.minimums
  assert.deepEqual([have, need, ready], [0, 1000, false])
  assert.match(reason ?? '', /^0 of 1,000 new good or corrected samples/)

  const base = await api('PUT', `pipelines/${id}`, { builds_on: 'base' })
  assert.equal(base.status, 200, base.text)
  assert.equal((await own(id)).chain, null, 'every version trains fresh')
})

test('the live deployment says when it was last found so, and that it is deleted where it is gone', async () => {
  const id = await withVersions('Served', 1)
  const change = (set: string) =>
    inDatabase(hone.databaseUrl, `update deployment set ${set} where pipeline_id = '${id}'`)
  const checked_at = '2026-03-01T12:00:00.000Z'
  await change(`status = 'failed', checked_at = '${checked_at}'`)
  const failed = await own(id)
  assert.deepEqual(failed.live_deployment, { status: 'failed', checked_at })
  assert.match(failed.next_reason, /^The live version could not be started; start its deployment/)
  await change(`status = 'deleted'`)
  const gone = await own(id)
  assert.equal(gone.live_deployment?.status, 'deleted')
  assert.ok(gone.next_reason.includes(`{"checkpoint_id":"${'1'.repeat(64)}"}`), gone.next_reason)
})

test('versions are listed v1 first and the history of the name newest first, both in pages', async () => {
  const id = await withVersions('Paged', 3)
  type Versions = { versions: Version[]; next_cursor: string | null }
  const versions = await read<Versions>(`pipelines/${id}/versions?limit=2`)
  const more = await read<Versions>(`pipelines/${id}/versions?cursor=${versions.next_cursor}`)
  const all = [...versions.versions, ...more.versions]
  assert.deepEqual(
    all.map(({ version_no, attempt_no }) => [version_no, attempt_no]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  )
  for (const one of all) assert.deepEqual(versionSchema.strict().parse(one), one)
  const [first] = all
  assert.deepEqual(first?.lineage, {
    model: 'hone/hone-mini',
    revision: await hone.app.learning.modelStore.modelHash(bundledModel),
    builds_on: null,
    samples: { new: 1100, replayed: 0 },
    parents: [],
  })

  type History = { entries: LiveEntry[]; next_cursor: string | null }
  const history = await read<History>(`pipelines/${id}/live-history?limit=2`)
  const rest = await read<History>(`pipelines/${id}/live-history?cursor=${history.next_cursor}`)
  const entries = [...history.entries, ...rest.entries]
  for (const one of entries) assert.deepEqual(liveEntrySchema.strict().parse(one), one)
  assert.deepEqual(
    entries.map(({ version_no, attempt_id, moved_by }) => [version_no, attempt_id, moved_by]),
    all.map(({ version_no, attempt_id }) => [version_no, attempt_id, 'promotion']).reverse(),
  )
  assert.deepEqual([entries[0]?.until, entries[1]?.until], [null, entries[0]?.from])
  assert.deepEqual([versions.versions.length, more.next_cursor, rest.next_cursor], [2, null, null])

  const wrong = await api('GET', `pipelines/${id}/versions?cursor=bad`)
  assert.deepEqual([wrong.status, wrong.json.error?.code], [400, 'BAD_REQUEST'])
})

test('an attempt says which version it became and when that was live', async () => {
  const id = await withVersions('Spans', 2)
  const { attempts } = await read<{ attempts: Attempt[] }>(`pipelines/${id}/attempts`)
  const { versions } = await own(id)
  const spans = (records: readonly Pick<Version, 'version_no' | 'live_from' | 'live_until'>[]) =>
    records.map(({ version_no, live_from, live_until }) => [version_no, live_from, live_until])
  assert.deepEqual(spans(attempts as never).reverse(), spans(versions))
  const { attempt } = await read<{ attempt: Attempt }>(`training-runs/${attempts[1]!.id}`)
  assert.deepEqual([attempt.version_no, attempt.live_until], [1, versions[0]?.live_until])
})

test('with as many versions as it may have a pipeline is complete and trains no more, until the limit is raised', async () => {
  const id = await withVersions('Limited', 2)
  const limit = async (max_versions: number | null): Promise<void> => {
    const put = await api('PUT', `pipelines/${id}`, { max_versions })
    assert.equal(put.status, 200, put.text)
  }
  const run = async (): Promise<unknown> =>
    (await api('POST', `pipelines/${id}/run`, {})).json.error?.code
  const blockedBy = async (): Promise<unknown> => {
    const { json } = await api('POST', `pipelines/${id}/run`, { dry_run: true })
    return (json as unknown as { plan: { blocked_by: string } }).plan.blocked_by
  }
  await limit(2)
  assert.equal((await own(id)).state, 'complete')
  assert.deepEqual([await run(), await blockedBy()], Array(2).fill('VERSION_LIMIT_REACHED'))
  for (const raised of [3, null]) {
    await limit(raised)
    assert.equal((await own(id)).state, 'enabled')
    assert.deepEqual([await run(), await blockedBy()], Array(2).fill('NOT_ENOUGH_SAMPLES'))
  }
})
