// Whole attempts over HTTP with judges that cannot be trusted, and with dear ones. The model that is tested answers otherwise than the
// live one and no better, so nothing may go live.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { ReportRow } from '#contract/report.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { RunPlan } from '#contract/run-plan.ts'
import type { Transaction } from '#contract/wallet.ts'
import { parseUsd } from '#server/lib/money.ts'
import { readyPipeline, started, wallet } from '#test/support/attempts.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { judgeModels, judgeServers, type JudgeServers } from '#test/support/judge-servers.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute, trained } from '#test/support/scripted-compute.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

type Report = { total: number; rows: ReportRow[] }

const clock = new ManualClock()
let judges: JudgeServers
let hone: LoopHone
let compute: ScriptedCompute
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hone-judged-'))
  judges = await judgeServers()
  const trainable = {
    id: trainableModel,
    context_window: 2048,
    max_output_tokens: 1,
    routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
  }
  hone = await loopHone({ clock, tasks: [], catalog: { models: [trainable, ...judges.rows] } })
  hone.app.learning.compute = compute = new ScriptedCompute(await trained(folder))
})
after(async () => {
  await hone.stop()
  await judges.close()
  await rm(folder, { recursive: true, force: true })
})

const toItsEnd = (id: string) =>
  walkAttempt(hone, id, { clock, until: ({ result }) => result !== 'running', stepMs: 5000 })

async function judged(judge: string): Promise<{ attempt: Attempt; report: Report }> {
  const settings = { judge_model: { id: judge } }
  const ready = await readyPipeline(hone, `Desk of ${judge}`, { settings })
  const { id } = await started(hone, ready)
  const attempt = await toItsEnd(id)
  assert.equal(attempt.version_no, null, JSON.stringify(attempt))
  const name = { model: `loop-${ready.tag}`, messages: [{ role: 'user', content: 'Hi' }] }
  const asked = await hone.call('POST', '/v1/chat/completions', {
    bearer: hone.owner.key,
    body: name,
  })
  assert.equal(asked.status, 404, asked.text)
  const path = `/api/loop/training-runs/${attempt.id}/report`
  const { status, json, text } = await hone.call('GET', path, { key: hone.owner.key })
  assert.equal(status, 200, text)
  return { attempt, report: json as never }
}

const readingsOf = ({ rows }: Report) => rows.flatMap(({ readings }) => readings)

for (const [judge, what] of [
  [judgeModels.random, 'one that errs at random'],
  [judgeModels.wakes, 'one that can be trusted, and is away for a while,'],
] as const) {
  test(`${what} reads every answer, and the model is turned down`, async () => {
    const { attempt, report } = await judged(judge)
    assert.deepEqual([attempt.result, attempt.decision], ['not_better', 'auto_rejected'])
    assert.deepEqual([attempt.verdict?.scored, report.total], [100, 100])
    assert.deepEqual(
      readingsOf(report).filter(({ failure, reason }) => failure !== null || reason === null),
      [],
    )
  })
}

test('one that prefers the first answer decides no comparison', async () => {
  const { attempt, report } = await judged(judgeModels.first)
  assert.deepEqual([attempt.result, attempt.decision], ['not_better', 'auto_rejected'])
  const { wins, losses, score, live_score } = attempt.verdict!
  assert.deepEqual([wins, losses, score, live_score], [0, 0, 1, 1])
  assert.equal(attempt.verdict?.order_flips, 1)
  assert.match(
    attempt.explanation.detail,
    new RegExp(`The judge ${judgeModels.first} contradicts itself`),
  )
  for (const { winner, readings } of report.rows) {
    assert.deepEqual(
      [winner, ...readings.map(({ better }) => better)],
      ['tie', null, null, 'new', 'live'],
    )
  }
})

for (const [judge, failure, what] of [
  [judgeModels.down, 'judge_failed', 'one that is down'],
  [judgeModels.prose, 'unreadable', 'one that answers in prose'],
] as const) {
  test(`${what} leaves every sample unscored, and the attempt undecided`, async () => {
    const { attempt, report } = await judged(judge)
    assert.deepEqual([attempt.result, attempt.decision], ['inconclusive', null])
    assert.match(attempt.explanation.headline, /could not be decided/)
    assert.equal(attempt.verdict?.scored, 0)
    assert.equal(report.total, 100)
    for (const { unscored, score, live_score, readings } of report.rows) {
      assert.deepEqual([unscored, score, live_score], [failure, null, null])
      assert.deepEqual(new Set(readings.map((reading) => reading.failure)), new Set([failure]))
    }
  })
}

/** A million tokens of prompt cost so much, and twice as much of an answer. */
async function priceJudge(judge: string, usd: number): Promise<void> {
  const catalog = JSON.parse(await readFile(hone.catalogFile, 'utf8')) as {
    models: { id: string; routes: object[] }[]
  }
  const row = catalog.models.find(({ id }) => id === judge)!
  const pricing = { input: usd.toFixed(6), output: (2 * usd).toFixed(6) }
  row.routes = row.routes.map((route) => ({ ...route, pricing }))
  await writeFile(hone.catalogFile, JSON.stringify(catalog))
  await hone.app.catalog.reload()
}

test('a dear judge stops an attempt before it trains, and one whose money covers 95 samples decides', async () => {
  const judge = judgeModels.first
  const ready = await readyPipeline(hone, 'Dear Desk', { settings: { judge_model: { id: judge } } })
  const path = `/api/loop/pipelines/${ready.id}`
  const { key } = hone.owner
  const plan = async (): Promise<RunPlan> => {
    const answer = await hone.call('POST', `${path}/run`, { key, body: { dry_run: true } })
    return (answer.json as never as { plan: RunPlan }).plan
  }
  const cheap = await plan()
  const [allowed, training] = [25, 2.4]
  const usdPerSample = (Number(cheap.most_usd) - training) / cheap.holdout_rows

  await priceJudge(judge, allowed / 80 / usdPerSample)
  assert.equal((await plan()).blocked_by, 'TEST_NOT_AFFORDABLE')
  const { json } = await hone.call('GET', path, { key })
  assert.match(
    (json as never as { pipeline: Pipeline }).pipeline.next_reason,
    /^The 90 samples that decide a test can cost 28\.\d\d USD with the judge judge\/first and .*, and a test may cost 25\.00 USD/,
  )
  const before = await wallet(hone)
  const untrained = await toItsEnd((await started(hone, ready)).id)
  assert.deepEqual(
    [untrained.result, untrained.error_code, untrained.moves.map(({ to }) => to)],
    ['not_tested', 'TEST_NOT_AFFORDABLE', ['preparing', 'ended']],
  )
  assert.ok(compute.taken.every(({ id }) => id !== untrained.id))
  assert.deepEqual(await wallet(hone), before)

  await priceJudge(judge, allowed / 95.5 / usdPerSample)
  assert.equal((await plan()).blocked_by, null)
  const { result, verdict } = await toItsEnd((await started(hone, ready)).id)
  assert.deepEqual([result, verdict?.outcome, verdict?.scored], ['not_better', 'not_better', 95])
  assert.match(verdict!.checks[0]!.sentence, /as the money did not cover 5 more/)
})

test('a test that a member cancels costs its training alone', async () => {
  const settings = { judge_model: { id: judgeModels.down } }
  const ready = await readyPipeline(hone, 'Cancelled Desk', { settings })
  const { id } = await started(hone, ready)
  // It waits for its judge until the clock goes on.
  await walkAttempt(hone, id, { clock, until: ({ phase }) => phase === 'scoring' })
  const path = `/api/loop/training-runs/${id}/cancel`
  const { key } = hone.owner
  assert.equal((await hone.call('POST', path, { key })).status, 200)
  const { result, costs } = await toItsEnd(id)
  const training_usd = '0.002166666666'
  assert.equal(result, 'stopped')
  assert.partialDeepStrictEqual(costs, {
    training_usd,
    scoring_usd: '0',
    total_usd: training_usd,
  })
  const answered = `select from test_answer where attempt_id = '${id}' and cost > 0`
  assert.equal((await inDatabase(hone.databaseUrl, answered)).length, 200)
  const { json } = await hone.call('GET', '/api/wallet/transactions?limit=100', { key })
  const ledger = json as never as { transactions: Transaction[]; next_cursor: string | null }
  const own = ledger.transactions.filter(({ detail }) => detail.attempt_id === id)
  assert.deepEqual(
    own.map(({ kind, amount_usd }) => [kind, amount_usd]),
    [['training', `-${training_usd}`]],
  )
  assert.equal(ledger.next_cursor, null)
  const pico = (usd: string): bigint => parseUsd(usd, 12)!
  const sum = ledger.transactions.reduce((all, { amount_usd }) => all + pico(amount_usd), 0n)
  const { balance, held } = await wallet(hone)
  assert.deepEqual([pico(balance), held], [sum, '0'])
})
