// Attempts whose judge or scoring key failed in their test, and that are tested again: only what is missing is asked for, and paid for.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { Verdict } from '#contract/verdict.ts'
import { newId } from '#server/lib/id.ts'
import { readAttempt as readRow } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { findScoringKey } from '#server/loop/test/judge/scoring-key.ts'
import type { TestPlan } from '#server/loop/test/tested-attempt.ts'
import { auditLedger } from '#server/wallet/audit-ledger.ts'
import { chargeReservation, reserveFunds } from '#server/wallet/reserve.ts'
import { revokeKey } from '#test/support/accounts.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { attemptIn, readyPipeline, started, wallet } from '#test/support/attempts.ts'
import { putVersionLive, trainedWeights } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { honestJudge, judgeRow, saysText } from '#test/support/judge-servers.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { sayingUpstream, type SayingUpstream, status } from '#test/support/saying-upstream.ts'
import { ScriptedCompute, trained } from '#test/support/scripted-compute.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const judge = 'judge/tires'
const readingsOfAll = 400
const clock = new ManualClock()
let upstream: SayingUpstream
let hone: LoopHone
let folder: string
let weights: Pick<AttemptRow, 'adapter' | 'model_revision'>
/** How many calls the judge takes before its server takes none. */
let strength: number

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hone-retested-'))
  upstream = await sayingUpstream()
  upstream.says[judge] = (exchange) => (strength-- > 0 ? honestJudge : status(503))(exchange)
  const trainable = {
    id: trainableModel,
    context_window: 2048,
    max_output_tokens: 1,
    routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
  }
  const models = [trainable, judgeRow(judge, upstream.baseUrl)]
  hone = await loopHone({
    clock,
    tasks: [],
    catalog: { models },
    env: { HONE_SCORING_CAP_USD: '30' },
  })
  hone.app.learning.compute = new ScriptedCompute(await trained(folder))
  weights = await trainedWeights(hone)
})
after(async () => {
  await hone.stop()
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

const walked = (id: string, holds: (attempt: Attempt) => boolean): Promise<Attempt> =>
  walkAttempt(hone, id, { clock, until: holds, stepMs: 5000 })
const toItsEnd = (id: string) => walked(id, ({ result }) => result !== 'running')

const retest = (id: string): Promise<Answer> =>
  hone.call('POST', `/api/loop/training-runs/${id}/retest`, { key: hone.owner.key, body: {} })
const refusalOf = ({ status, json }: Answer): unknown[] => [status, json.error?.code]

async function retested(id: string): Promise<Attempt> {
  const answer = await retest(id)
  assert.equal(answer.status, 200, answer.text)
  return attemptIn(answer)
}

type Entry = { kind: string; amount: string; readings: number | null }

const entriesOf = (id: string): Promise<Entry[]> =>
  inDatabase(
    hone.databaseUrl,
    `select kind, (-amount)::text as amount, (detail->>'readings')::int as readings
      from ledger_entry where detail->>'attempt_id' = '${id}' order by seq`,
  )

async function testCost(id: string): Promise<bigint> {
  const [row] = await inDatabase<{ cost: string }>(
    hone.databaseUrl,
    `select sum(cost)::text as cost from (
      select cost from test_answer where attempt_id = '${id}'
      union all select cost from test_reading where attempt_id = '${id}') as paid`,
  )
  return BigInt(row!.cost)
}

/** Its server is not called again at once. */
async function judgeIsBack(): Promise<void> {
  const { says } = upstream
  const honest = says[judge]!
  says[judge] = saysText(() => 'Yes.')
  const messages = [{ role: 'user', content: 'Are you back?' }]
  await until(async () => {
    const body = { model: judge, messages, max_tokens: 5 }
    const { status } = await hone.call('POST', '/v1/chat/completions', {
      bearer: hone.owner.key,
      body,
    })
    return status === 200
  })
  says[judge] = honest
  strength = Number.POSITIVE_INFINITY
}

/** All calls of models and of the judge. */
async function countCalls(): Promise<number> {
  const { values } = await hone.app.metrics.registry.getSingleMetric('hone_calls_total')!.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

test('after an outage of the judge, only the readings that it did not give are asked for and charged', async () => {
  strength = 150
  const ready = await readyPipeline(hone, 'Outage Desk')
  const { id } = await started(hone, ready)
  const open = await toItsEnd(id)
  assert.deepEqual(
    [open.result, open.can_retest, open.available_actions],
    ['inconclusive', true, ['approve', 'reject']],
    JSON.stringify(open),
  )
  assert.match(open.explanation.next ?? '', /tested again with retest/)
  const [readings] = await inDatabase<{ there: number }>(
    hone.databaseUrl,
    `select count(*)::int as there from test_reading where attempt_id = '${id}' and failure is null`,
  )
  const missing = readingsOfAll - readings!.there
  assert.ok(readings!.there > 0 && missing > 0)
  assert.deepEqual(
    (await entriesOf(id)).map(({ kind }) => kind),
    ['training', 'scoring'],
  )

  await judgeIsBack()
  const callsBefore = await countCalls()
  const begun = await retested(id)
  assert.deepEqual(
    [begun.result, begun.phase, begun.verdict, begun.decide_by, begun.can_retest],
    ['running', 'starting_machine', null, null, false],
  )
  assert.deepEqual(refusalOf(await retest(id)), [409, 'CANNOT_TEST_AGAIN'])
  const paying = await walked(id, ({ phase }) => phase === 'scoring')
  assert.equal(paying.moves.filter(({ to }) => to === 'training').length, 1)
  assert.notEqual((await wallet(hone)).held, '0')
  const decided = await toItsEnd(id)
  assert.deepEqual([decided.result, decided.can_retest], ['not_better', false])
  assert.equal(decided.verdict?.scored, 100)
  assert.equal((await countCalls()) - callsBefore, missing, 'no answer is asked for again')

  const entries = await entriesOf(id)
  assert.deepEqual(
    entries.map(({ kind, readings }) => [kind, readings]),
    [
      ['training', null],
      ['scoring', readingsOfAll],
      ['retest', missing],
    ],
  )
  const [training, ...tests] = entries.map(({ amount }) => BigInt(amount))
  assert.equal(tests[0]! + tests[1]!, await testCost(id))
  const { costs } = decided
  assert.equal(costs.training_usd, open.costs.training_usd)
  const pico = (usd: string): bigint => BigInt(Math.round(Number(usd) * 1e12))
  assert.equal(pico(costs.total_usd), training! + tests[0]! + tests[1]!)
  assert.equal((await wallet(hone)).held, '0')
  assert.deepEqual((await auditLedger(hone.app.storage.db)).problems, [])
  assert.deepEqual(refusalOf(await retest(id)), [409, 'CANNOT_TEST_AGAIN'])
  const audited = await inDatabase<{ detail: object }>(
    hone.databaseUrl,
    `select detail from audit_event where target_id = '${id}' and action = 'attempt.retested'`,
  )
  assert.deepEqual(audited, [{ detail: { rule_id: ready.id, attempt_no: 1 } }])
})

test('one that lost its scoring key is tested again with a new one, and waits again where its judge is away again', async () => {
  strength = 0
  const ready = await readyPipeline(hone, 'Keyless Desk')
  const { id } = await started(hone, ready)
  await walked(id, ({ phase }) => phase === 'scoring')
  await revokeKey(hone, (await findScoringKey(hone.app.storage.db, ready.id))!.id)
  const open = await toItsEnd(id)
  assert.deepEqual([open.result, open.verdict, open.can_retest], ['inconclusive', null, true])
  assert.match(open.explanation.detail, /scoring key was deleted or refused/)
  await retested(id)
  const again = await toItsEnd(id)
  assert.deepEqual(
    [again.result, again.can_retest, again.available_actions],
    ['inconclusive', false, ['approve', 'reject']],
  )
  assert.equal(again.verdict?.scored, 0)
  assert.equal(Date.parse(again.decide_by!) - Date.parse(again.ended_at!), 14 * 24 * 3_600_000)
  assert.equal((await wallet(hone)).held, '0')
})

const plan = {
  compared_with: null,
  judge,
  asked: 100,
  most: '1000',
} as TestPlan
const verdict = {
  outcome: 'inconclusive',
  checks: [],
  unscored: [{ reason: 'judge_failed', count: 60 }],
} as never as Verdict
const unreadable = { ...verdict, unscored: [{ reason: 'unreadable', count: 60 }] } as Verdict

type Kept = { row: AttemptRow; pipelineId: string }

async function keep(name: string, changes: Partial<AttemptRow> = {}): Promise<Kept> {
  const { rule_id: pipelineId } = await hone.pipeline(name)
  const inconclusive = { ...endedAs('inconclusive'), ...weights, test: plan, verdict }
  const id = newId(clock.now())
  const row = await keepAttempt(hone, pipelineId, {
    id,
    attempt_no: 2,
    ...inconclusive,
    ...changes,
  })
  return { row, pipelineId }
}

/** As if its first test had cost this. */
async function charge({ id, org_id, workspace_id }: AttemptRow, amount: bigint): Promise<void> {
  const of = { purpose: 'scoring' as const, reference: id }
  const reserving = { ...of, orgId: org_id, workspaceId: workspace_id, amount }
  assert.equal(await reserveFunds(hone.app, reserving), 'reserved')
  await chargeReservation(hone.app, { ...of, amount, detail: {} })
}

type Refused = {
  row?: Partial<AttemptRow>
  first?: (kept: Kept) => Promise<unknown>
  code?: string
}

const refused: Record<string, Refused> = {
  'one that was decided': { row: { result: 'not_better' } },
  'one that was never tested': { row: { result: 'not_tested', verdict: null } },
  'one that was tested twice': { row: { retested_at: clock.now() } },
  'one without enough samples': { row: { verdict: null, test: { ...plan, asked: 89 } } },
  'one whose judge gave all it could': { row: { verdict: unreadable } },
  'one whose model is no longer in the store': { row: { adapter: 'f'.repeat(64) } },
  'one whose judge is gone': { row: { test: { ...plan, judge: 'gone' } } },
  'one whose allowance is spent': { first: ({ row }) => charge(row, 1000n) },
  'one that was compared with another version than is live': {
    first: ({ pipelineId }) =>
      putVersionLive(hone, pipelineId, { attemptNo: 1, adapter: weights.adapter! }),
  },
  'one beside another that runs': {
    first: ({ pipelineId }) =>
      keepAttempt(hone, pipelineId, { id: newId(clock.now()), attempt_no: 3 }),
    code: 'RUN_ACTIVE',
  },
  'one whose pipeline has spent its month': {
    row: { test: { ...plan, most: '40000000000000' } },
    first: ({ row }) => charge(row, 30_000_000_000_000n),
    code: 'SCORING_CAPPED',
  },
}

for (const [what, { row: changes, first, code = 'CANNOT_TEST_AGAIN' }] of Object.entries(refused)) {
  test(`${what} is not tested again`, async () => {
    const kept = await keep(what, changes)
    await first?.(kept)
    const answer = await retest(kept.row.id)
    assert.deepEqual(refusalOf(answer), [409, code], answer.text)
    assert.equal(answer.headers.get('x-should-retry'), 'false')
    assert.deepEqual(await readRow(hone.app.storage.db, kept.row.id), kept.row)
  })
}

test('it is the active attempt of its pipeline, also behind newer ones', async () => {
  const { row, pipelineId } = await keep('Behind', { attempt_no: 1 })
  for (let no = 2; no <= 21; no++) {
    const id = newId(clock.now())
    await keepAttempt(hone, pipelineId, { id, attempt_no: no, ...endedAs('failed') })
  }
  await retested(row.id)
  const path = `/api/loop/pipelines/${pipelineId}`
  const { json } = await hone.call('GET', path, { key: hone.owner.key })
  const { attempts, active_run } = (json as never as { pipeline: Pipeline }).pipeline
  assert.deepEqual([attempts.at(-1)?.attempt_no, active_run?.attempt_no], [2, 1])
})
