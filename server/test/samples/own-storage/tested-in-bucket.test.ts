// Attempts of a workspace with its own bucket: what cannot be read is waited for, and what is gone is left out at once.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { ReportRow } from '#contract/report.ts'
import type { RunPlan } from '#contract/run-plan.ts'
import { newId } from '#server/lib/id.ts'
import { readAttempt as readRow } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import type { TestPlan } from '#server/loop/test/tested-attempt.ts'
import { replaceTested } from '#server/loop/test/test-store.ts'
import { readTestQuestions } from '#server/loop/test/test-questions.ts'
import { placeWords } from '#server/samples/own-storage/place-words.ts'
import { findPipeline } from '#server/loop/pipeline/pipeline-store.ts'
import { idBytes, writeId } from '#server/loop/selection/packed-ids.ts'
import { markHeldBack } from '#server/loop/selection/mark-store.ts'
import type { NewSample } from '#server/samples/sample/sample.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { eraseObjects } from '#server/task/erase-objects.ts'
import { forgetTestWords } from '#server/task/forget-test-words.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import { readAttempt, started } from '#test/support/attempts.ts'
import { inDatabase as query } from '#test/support/in-database.ts'
import { judgeRow, questionIn, saysText } from '#test/support/judge-servers.ts'
import { trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { keepSamples, newSample } from '#test/support/new-samples.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { type SayingUpstream, sayingUpstream } from '#test/support/saying-upstream.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { wireWhole } from '#test/support/wire-answer.ts'

const minuteMs = 60_000
const secretParts = ['eva@example.org', 'sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z', '81.2.69.160']
const secrets = secretParts.join(' or ')
let clock: ManualClock
let hone: TestHone
let s3: S3Server
let upstream: SayingUpstream
let workspaceId: string

before(async () => {
  clock = new ManualClock()
  s3 = await s3Server()
  upstream = await sayingUpstream()
  upstream.says['model/new'] = saysText(() => 'New words.')
  upstream.says['model/live'] = saysText(() => 'Live words.')
  upstream.says['model/leaks'] = ({ response }) => {
    const call = { id: 'call-1', name: 'send', pieces: [JSON.stringify({ to: secrets })] }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(wireWhole('openai', { text: [`Write to ${secrets}.\0`], calls: [call] }))
  }
  upstream.says['judge/leaks'] = saysText((call) => {
    const verdict = questionIn(call).kind === 'score' ? { score: 1 } : { better: 'tie' }
    return JSON.stringify({ ...verdict, reason: `It says ${secrets}.\0` })
  })
  const pricing = { input: 1, output: 1 }
  const size = { context_window: 8192, max_output_tokens: 1024 }
  const models = [
    { id: trainableModel, ...size, routes: [{ engine: 'embedded', pricing }] },
    { id: 'judge/basic', judge: true, ...size, routes: [{ engine: 'judge-basic', pricing }] },
    ...['model/new', 'model/live', 'model/leaks', 'judge/leaks'].map((id) =>
      judgeRow(id, upstream.baseUrl),
    ),
  ]
  const env = { HONE_STORAGE_HOSTS: s3.host }
  hone = await testHone({ clock, env, tasks: [], catalog: { models } })
  const session = await hone.login(hone.owner.email, hone.owner.password)
  workspaceId = session['x-workspace-id'] ?? ''
  await connect()
})
after(async () => {
  await hone.stop()
  await upstream.close()
  await s3.close()
})
afterEach(() => {
  s3.trouble = null
  hone.app.samples.ownStorages.forget(null)
})

async function connect(): Promise<void> {
  const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  const answer = await hone.call('PUT', '/api/integrations/storage', { key: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
}

type Sampled = {
  pipelineId: string
  tag: string
  samples: NewSample[]
  /** On the platform. */
  others: NewSample[]
}
type Tested = Omit<Sampled, 'tag'> & { attempt: AttemptRow }

/** A pipeline with so many good samples in the bucket, and others on the platform. */
async function sampled(name: string, count: number, onPlatform = 0): Promise<Sampled> {
  const { app, owner } = hone
  const body = { name, model: { id: trainableModel } }
  const made = await hone.call('POST', '/api/loop/pipelines', { key: owner.key, body })
  assert.equal(made.status, 201, made.text)
  const { rule_id: pipelineId, tag } = (made.json as unknown as { pipeline: Pipeline }).pipeline
  const at = clock.now()
  const good = { verdict: 'accepted' as const, correction: null, givenBy: 'person' as const }
  const said = (no: number) =>
    newSample(workspaceId, at, {
      said: `${name} ${no}`,
      tags: [tag],
      signal: { id: newId(at), ...good, gold: true, userId: null, keyId: null },
    })
  const others = Array.from({ length: onPlatform }, (_, no) => said(count + no))
  await insertSamples(app.storage, others)
  const samples = await keepSamples(
    app,
    Array.from({ length: count }, (_, no) => said(no)),
  )
  return { pipelineId, tag, samples, others }
}

/** An attempt that is tested on so many samples of the bucket. */
async function tested(
  name: string,
  count: number,
  changes: Partial<AttemptRow>,
  onPlatform = 0,
): Promise<Tested> {
  const { app } = hone
  const at = clock.now()
  const { pipelineId, tag, samples, others } = await sampled(name, count, onPlatform)
  const ids = [...samples, ...others].map(({ id }) => id)
  const { model_revision: revision } = (await findPipeline(
    app.storage.db,
    workspaceId,
    pipelineId,
  ))!
  const attempt = await keepAttempt(hone, pipelineId, {
    id: newId(at),
    adapter: 'a'.repeat(64),
    model: trainableModel,
    model_revision: revision,
    wake_at: at,
    ...changes,
  })
  await app.storage.db.transaction().execute(async (tx) => {
    const packed = Buffer.alloc(ids.length * idBytes)
    for (const [index, id] of ids.entries()) writeId(packed, index, id)
    const heldBack = { samples: packed, questions: packed }
    await markHeldBack(tx, { workspaceId, pipelineId }, heldBack, at)
    await replaceTested(tx, attempt, { heldBack: ids, most: 100, ownTag: tag })
  })
  return { attempt, pipelineId, samples, others }
}

const plan = (asked: number): TestPlan => ({
  candidate: 'model/new',
  live: 'model/live',
  compared_with: null,
  judge: 'judge/basic',
  rubric: null,
  asked,
  missing: 0,
  left_out: 0,
  limited_by: 'attempt',
  most: '1000000000000',
})

/** Walks, and lets time pass only where it is waited for, until it stands so. */
async function walked(
  { attempt: { id } }: { attempt: { id: string } },
  holds: (attempt: Attempt) => boolean,
): Promise<Attempt> {
  let shown = await readAttempt(hone, id)
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    const { wake_at: wakeAt } = (await readRow(hone.app.storage.db, id))!
    shown = await readAttempt(hone, id)
    if (holds(shown)) return true
    clock.forward(Math.max(0, wakeAt.getTime() - clock.now().getTime()))
    return false
  }).catch((error: unknown) => {
    throw new Error(`it stands at ${JSON.stringify(shown)}`, { cause: error })
  })
  return shown
}
const waits = ({ phase }: Attempt): boolean => phase === 'waiting_for_storage'
const isOver = ({ result }: Attempt): boolean => result !== 'running'
const phasesOf = ({ moves }: Attempt): string[] => moves.map(({ to }) => to)

async function keyOf({ id }: NewSample): Promise<string> {
  const [key] = (await s3.keys()).filter((one) => one.includes(id))
  assert.ok(key)
  return key
}

const skippedOf = ({ pipelineId }: Pick<Tested, 'pipelineId'>) =>
  query(hone.databaseUrl, `select last_skipped from pipeline where id = '${pipelineId}'`)

test('a bucket that goes away while samples are selected is waited for, and all of them are selected', async () => {
  const state = { phase: 'preparing' } as const
  const selected = await tested('Selected', 130, { adapter: null, state, train_rows: null })
  await s3.remove(await keyOf(selected.samples[0]!))
  let reads = 0
  // The first portion is there.
  s3.trouble = (_, response) => (++reads > 100 ? !!response.destroy() : false)
  await walked(selected, waits)
  assert.ok(reads > 100)
  clock.forward(30 * minuteMs)
  s3.trouble = null
  const attempt = await walked(selected, isOver)
  assert.deepEqual(phasesOf(attempt).slice(-3), ['waiting_for_storage', 'preparing', 'ended'])
  assert.match(attempt.explanation.detail, /Only 0 samples could be trained on and 129 held back/)
  assert.deepEqual(attempt.skipped_rows, [{ reason: 'unreadable', count: 1 }])
  assert.deepEqual(await skippedOf(selected), [{ last_skipped: 1 }])
})

test('a selection without its bucket ends after an hour, and counts nothing as skipped', async () => {
  const state = { phase: 'preparing' } as const
  const selected = await tested('Away', 2, { adapter: null, state, train_rows: null })
  await s3.pause()
  const { explanation } = await walked(selected, waits)
  assert.match(explanation.detail, /^Samples in your own storage cannot be read/)
  clock.forward(58 * minuteMs)
  const attempt = await walked(selected, isOver)
  await s3.resume()
  assert.deepEqual([attempt.result, attempt.error_code], ['not_tested', null])
  assert.match(attempt.explanation.detail, /could not be read for an hour/)
  assert.deepEqual(await skippedOf(selected), [{ last_skipped: 0 }])
})

/** GETs of objects whose key has one of these get its answer. */
function answers(odd: ReadonlyMap<string, [number, string]>): void {
  s3.trouble = ({ method, url }, response) => {
    const [, answer] = [...odd].find(([part]) => method === 'GET' && url.includes(part)) ?? []
    if (answer) s3Error(response, ...answer)
    return answer !== undefined
  }
}

const dryRun = ({ pipelineId }: Pick<Tested, 'pipelineId'>) =>
  hone.call('POST', `/api/loop/pipelines/${pipelineId}/run`, {
    key: hone.owner.key,
    body: { dry_run: true },
  })

test('single objects that cannot be read are left out after an hour, and not remembered', async () => {
  const state = { phase: 'preparing' } as const
  const selected = await tested('Odd', 20, { adapter: null, state, train_rows: null })
  const [archived, broken, hidden] = selected.samples.map(({ id }) => id)
  answers(
    new Map([
      [archived!, [403, 'InvalidObjectState']],
      [broken!, [500, 'InternalError']],
      [hidden!, [403, 'AccessDenied']],
    ]),
  )
  await walked(selected, waits)
  const since = clock.now()
  clock.forward(58 * minuteMs)
  const attempt = await walked(selected, isOver)
  const waitedMs = clock.now().getTime() - since.getTime()
  assert.ok(waitedMs >= 60 * minuteMs && waitedMs <= 61 * minuteMs, String(waitedMs / minuteMs))
  assert.match(attempt.explanation.detail, /Only 0 samples could be trained on and 17 held back/)
  assert.deepEqual(attempt.skipped_rows, [{ reason: 'unreadable', count: 3 }])
  assert.deepEqual(await skippedOf(selected), [{ last_skipped: 0 }])

  const { status, text, json } = await dryRun(selected)
  assert.equal(status, 200, text)
  const { have, skipped_rows } = (json as unknown as { plan: RunPlan }).plan
  assert.deepEqual([have, skipped_rows], [17, attempt.skipped_rows])
  assert.deepEqual(await skippedOf(selected), [{ last_skipped: 0 }])

  // What it started for cannot be read, so it does not train on what earlier attempts used.
  const byItself = await keepAttempt(hone, selected.pipelineId, {
    ...selected.attempt,
    id: newId(clock.now()),
    attempt_no: 2,
    reason: 'data',
    wake_at: clock.now(),
  })
  await walked({ attempt: byItself }, waits)
  clock.forward(58 * minuteMs)
  const { explanation } = await walked({ attempt: byItself }, isOver)
  assert.match(explanation.detail, /could not be read for an hour/)
})

test('train now waits for a bucket that is down, refused or disconnected, and then selects all samples', async (t) => {
  const { compute } = hone.app.learning
  t.after(() => (hone.app.learning.compute = compute))
  hone.app.learning.compute = new ScriptedCompute(null)
  const ready = await sampled('Train now', 300, 810)
  const { pipelineId: id, tag, samples } = ready
  const { key } = hone.owner
  const have = async () => {
    const { json } = await hone.call('GET', `/api/loop/pipelines/${id}`, { key })
    return (json as unknown as { pipeline: Pipeline }).pipeline.minimums.have
  }
  const stillWaits = async (attempt: Attempt) => {
    clock.forward(minuteMs)
    await until(async () => {
      await hone.background.walker.walkDue(hone.app)
      const { state } = (await readRow(hone.app.storage.db, attempt.id))!
      assert.equal(state.phase, 'waiting_for_storage')
      return state.unreadable.tried_at === clock.now().toISOString()
    })
    assert.equal(await have(), 1110)
  }
  await s3.pause()
  const first = await started(hone, { id, tag })
  await walked({ attempt: first }, waits)
  const { status, json } = await dryRun(ready)
  assert.equal(status, 503)
  assert.partialDeepStrictEqual(json.error, { code: 'UNAVAILABLE', reason: 'unreachable' })
  await stillWaits(first)
  await s3.resume()
  // A policy that refuses every second one.
  answers(new Map(samples.filter((_, no) => no % 2).map((one) => [one.id, [403, 'AccessDenied']])))
  await stillWaits(first)
  clock.forward(60 * minuteMs)
  s3.trouble = (_, response) => (s3Error(response, 403, 'AccessDenied'), true)
  const { result, error_code } = await walked({ attempt: first }, isOver)
  assert.deepEqual([result, error_code, await have()], ['not_tested', null, 1110])
  s3.trouble = null

  assert.equal((await hone.call('DELETE', '/api/integrations/storage', { key })).status, 204)
  const second = await started(hone, { id, tag })
  await walked({ attempt: second }, waits)
  await stillWaits(second)
  await connect()
  const chosen = await walked({ attempt: second }, ({ train_rows }) => train_rows !== null)
  assert.deepEqual([chosen.train_rows, chosen.holdout_rows], [1010, 100])
  assert.deepEqual([chosen.skipped_rows, await have()], [[], 1110])
  await hone.call('POST', `/api/loop/training-runs/${second.id}/cancel`, { key })
  await walked({ attempt: second }, isOver)
})

test('a bucket that is away when the test is planned is waited for; what is gone is left out at once', async () => {
  const planned = await tested('Planned', 3, { state: { phase: 'starting_machine' } })
  await s3.remove(await keyOf(planned.samples[1]!))
  await s3.pause()
  await walked(planned, waits)
  clock.forward(30 * minuteMs)
  await s3.resume()
  const attempt = await walked(planned, isOver)
  assert.deepEqual(phasesOf(attempt).slice(-3), [
    'waiting_for_storage',
    'starting_machine',
    'ended',
  ])
  assert.match(
    attempt.explanation.detail,
    /Only 2 held-back samples were there to test it on, because 1 was deleted/,
  )
})

test('of what a test asks, no more is read at once than fits, and the rest later', async () => {
  const { attempt, samples } = await tested('Large', 3, { state: { phase: 'starting_machine' } })
  const [first = '', second = '', third = ''] = samples.map(({ id }) => id).sort()
  const bytes = samples[0]!.text.bytes + samples[1]!.text.bytes
  const read = async (...ids: string[]) => [
    ...(await readTestQuestions(hone.app, attempt, ids, bytes)).keys(),
  ]
  const deleted = newId(clock.now())
  assert.deepEqual(await read(first, second, third, deleted), [first, second, deleted])
  assert.deepEqual(await read(third), [third])
})

test('after an hour, what still cannot be read is missing', async () => {
  const planned = await tested('Given up', 2, { state: { phase: 'starting_machine' } })
  await s3.pause()
  await walked(planned, waits)
  const since = clock.now()
  clock.forward(58 * minuteMs)
  const attempt = await walked(planned, isOver)
  await s3.resume()
  const waitedMs = clock.now().getTime() - since.getTime()
  assert.ok(waitedMs >= 60 * minuteMs && waitedMs <= 61 * minuteMs, String(waitedMs / minuteMs))
  assert.match(attempt.explanation.detail, /Only 0 .* because 2 were deleted or could not be read/)
})

test('a bucket that goes away while models answer or the judge reads is waited for once each time', async () => {
  // More than are asked for together.
  const count = 100
  const running = await tested('Interrupted', count, {
    state: { phase: 'answering' },
    test: plan(count),
  })
  await s3.pause()
  await walked(running, waits)
  assert.equal(upstream.calls.length, 0)
  await s3.resume()
  await walked(running, ({ phase }) => phase === 'scoring')
  assert.equal(upstream.calls.length, 2 * count)
  await s3.pause()
  await walked(running, waits)
  const since = clock.now()
  clock.forward(58 * minuteMs)
  const attempt = await walked(running, isOver)
  await s3.resume()
  const waitedMs = clock.now().getTime() - since.getTime()
  assert.ok(waitedMs >= 60 * minuteMs && waitedMs <= 61 * minuteMs, String(waitedMs / minuteMs))
  assert.equal(attempt.result, 'inconclusive')
  assert.equal(attempt.verdict?.scored, 0)
  assert.deepEqual(attempt.verdict?.unscored, [])
})

type Report = { not_searched: number; rows: ReportRow[] }

async function report({ attempt: { id } }: Tested, query = ''): Promise<Report> {
  const path = `/api/loop/training-runs/${id}/report${query}`
  const { status, json, text } = await hone.call('GET', path, { key: hone.owner.key })
  assert.equal(status, 200, text)
  return json as never
}

const wordsOf = ({ answer, live_answer, readings }: ReportRow) => [
  answer,
  live_answer,
  ...readings.map(({ reason }) => reason),
]

test('what is said in a test lies in the bucket, and goes with its sample or its pipeline', async () => {
  const said = await tested('Said', 3, { state: { phase: 'answering' }, test: plan(3) })
  const objects = async () =>
    (await s3.keys()).filter((key) => key.includes(`/tests/${said.attempt.id}/`)).length
  const refuses =
    (method: string): typeof s3.trouble =>
    (request, response) => {
      if (request.method !== method) return false
      s3Error(response, 403, 'AccessDenied')
      return true
    }
  s3.trouble = refuses('PUT')
  await walked(said, waits)
  assert.equal(await objects(), 0)
  s3.trouble = null
  hone.app.samples.ownStorages.forget(null)
  const { verdict } = await walked(said, isOver)
  assert.deepEqual(verdict?.scored, 3)

  const inDatabase = `select count(*)::int as words from test_answer a join test_reading r
    using (attempt_id, sample_id) where attempt_id = '${said.attempt.id}'
    and (answer is not null or reason is not null)`
  assert.deepEqual(await query(hone.databaseUrl, inDatabase), [{ words: 0 }])
  assert.equal(await objects(), 3 * (2 + 4))
  for (const row of (await report(said)).rows) {
    assert.deepEqual(wordsOf(row).slice(0, 2), ['New words.', 'Live words.'])
    assert.ok(wordsOf(row).every((words) => words !== null))
  }
  assert.equal((await report(said, '?q=words')).not_searched, 3)

  // A process that was killed before it wrote a row down left this object behind.
  const { id: sampleId, objectKey } = said.samples[0]!
  const place = { workspaceId, attemptId: said.attempt.id, sampleId, sampleObject: objectKey! }
  await placeWords(hone.app, place, 'Left behind.')
  assert.equal(await objects(), 3 * (2 + 4) + 1)
  clock.forward(2 * 60 * minuteMs)
  await eraseObjects.run(hone.app)
  assert.equal(await objects(), 3 * (2 + 4))

  await s3.pause()
  for (const row of (await report(said)).rows) {
    assert.equal(row.score, 0)
    assert.ok(wordsOf(row).every((words) => words === null))
  }
  await s3.resume()
  hone.app.samples.ownStorages.forget(null)

  const { key } = hone.owner
  const sample = await hone.call('DELETE', `/api/loop/traces/${said.samples[0]!.id}`, { key })
  assert.equal(sample.status, 204, sample.text)
  assert.equal(await objects(), 2 * (2 + 4))
  const pipeline = await hone.call('DELETE', `/api/loop/pipelines/${said.pipelineId}`, { key })
  assert.equal(pipeline.status, 204, pipeline.text)
  await forgetTestWords.run(hone.app)
  await eraseObjects.run(hone.app)
  assert.equal(await objects(), 0)
})

test('what models invent and judges quote is redacted in the bucket, in the tables and in the report', async () => {
  const leaks = { candidate: 'model/leaks', live: 'model/leaks', judge: 'judge/leaks' }
  const test = { ...plan(2), ...leaks }
  const leaked = await tested('Leaked', 1, { state: { phase: 'answering' }, test }, 1)
  const { verdict } = await walked(leaked, isOver)
  assert.equal(verdict?.scored, 2)
  const { id } = leaked.attempt
  const keys = (await s3.keys()).filter((key) => key.includes(`/tests/${id}/`))
  const objects = await Promise.all(keys.map((key) => s3.read(key)))
  const rows = await query(
    hone.databaseUrl,
    `select answer as words from test_answer where attempt_id = '${id}' and answer is not null
      union all select reason from test_reading where attempt_id = '${id}' and reason is not null`,
  )
  const stored = (rows as { words: string }[]).map(({ words }) => words)
  const shown = (await report(leaked)).rows.flatMap(wordsOf)
  assert.deepEqual([objects.length, stored.length, shown.length], [2 + 4, 2 + 4, 2 * (2 + 4)])
  const markers = '[redacted:email] or [redacted:key] or [redacted:ip]'
  for (const words of [...objects, ...stored, ...shown].map(String)) {
    assert.ok(words.includes(markers), words)
    for (const secret of secretParts) assert.ok(!words.includes(secret), words)
  }
  const answers = stored.filter((words) => words.startsWith('['))
  const to = JSON.stringify({ to: markers })
  assert.ok(answers.every((words) => words.includes(JSON.stringify(to))))
})
