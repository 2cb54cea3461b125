// Whole attempts over HTTP with judges that cannot be trusted. The model that is tested answers otherwise than the live one and no
// better, so nothing may go live.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { ReportRow } from '#contract/report.ts'
import { readyPipeline, started } from '#test/support/attempts.ts'
import { judgeModels, judgeServers, type JudgeServers } from '#test/support/judge-servers.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute, trained } from '#test/support/scripted-compute.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

type Report = { total: number; rows: ReportRow[] }

const clock = new ManualClock()
let judges: JudgeServers
let hone: LoopHone
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
  hone.app.compute = new ScriptedCompute(await trained(folder))
})
after(async () => {
  await hone.stop()
  await judges.close()
  await rm(folder, { recursive: true, force: true })
})

async function judged(judge: string): Promise<{ attempt: Attempt; report: Report }> {
  const settings = { judge_model: { id: judge } }
  const ready = await readyPipeline(hone, `Desk of ${judge}`, { settings })
  const { id } = await started(hone, ready)
  const until = ({ result }: Attempt) => result !== 'running'
  const attempt = await walkAttempt(hone, id, { clock, until, stepMs: 5000 })
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
