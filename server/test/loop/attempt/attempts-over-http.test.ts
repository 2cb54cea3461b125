// Attempts over HTTP with the real trainer: started, trained, paid, stopped.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readAttempt as readRow } from '#server/loop/attempt/attempt-store.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import {
  ended,
  reached,
  readAttempt,
  readyPipeline,
  run,
  started,
  wallet,
} from '#test/support/attempts.ts'
import { trainOnFewRows } from '#test/support/few-rows.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { absentId } from '#test/support/platform-bodies.ts'
import { until } from '#test/support/until.ts'

const catalog = {
  models: [
    {
      id: trainableModel,
      context_window: 2048,
      // Enough for the right answer.
      max_output_tokens: 8,
      routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
    },
    {
      id: 'judge',
      judge: true,
      context_window: 8192,
      max_output_tokens: 256,
      routes: [{ engine: 'judge-basic', pricing: { input: 0.1, output: 0.4 } }],
    },
  ],
}

let hone: LoopHone

before(async () => {
  hone = await loopHone({ catalog })
  trainOnFewRows(hone.app.learning.compute)
})
after(() => hone.stop())

type Entry = { kind: string; amount_usd: string; detail: object }

const pico = (usd: string): bigint => BigInt(Math.round(Number(usd) * 1e12))
const codeOf = async (answer: ReturnType<typeof run>) => (await answer).json.error?.code
const put = (id: string, body: object) =>
  hone.call('PUT', `/api/loop/pipelines/${id}`, { key: hone.owner.key, body })
const cancel = (id: string) =>
  hone.call('POST', `/api/loop/training-runs/${id}/cancel`, { key: hone.owner.key })

test('train now trains what was selected, tests it, puts it live and charges for both', async () => {
  const ready = await readyPipeline(hone, 'Garden Desk', { change: { answer: 'Done.' } })
  const { balance } = await wallet(hone)
  const first = await started(hone, ready)
  assert.deepEqual([first.reason, first.result, first.phase], ['manual', 'running', 'preparing'])
  assert.equal(await codeOf(run(hone, ready)), 'RUN_ACTIVE')
  assert.equal((await put(ready.id, { model: { id: 'hone/hone-mini' } })).status, 200)
  await reached(hone, first.id, ({ phase }) => phase === 'training')
  assert.equal((await wallet(hone)).held, '2.4')

  const attempt = await ended(hone, first.id)
  assert.deepEqual(
    [attempt.result, attempt.error_code],
    ['became_version', null],
    JSON.stringify(attempt),
  )
  assert.deepEqual([attempt.train_rows, attempt.holdout_rows], [1050, 100])
  assert.deepEqual(
    attempt.moves.map(({ to }) => to),
    [
      'preparing',
      'waiting_for_gpu',
      'training',
      'starting_machine',
      'answering',
      'scoring',
      'deciding',
      'promoting',
      'ended',
    ],
  )
  assert.equal(attempt.settings.custom, true)
  assert.deepEqual([attempt.version_no, attempt.candidate_pass_rate], [1, 1])
  const path = '/api/wallet/transactions?limit=5'
  const { json } = await hone.call('GET', path, { key: hone.owner.key })
  const { transactions } = json as never as { transactions: Entry[] }
  const entryOf = (kind: string): Entry => {
    const [entry, ...others] = transactions.filter((one) => one.kind === kind)
    assert.deepEqual(others, [])
    return entry!
  }
  const [training, scoring] = [entryOf('training'), entryOf('scoring')]
  const of = { attempt_id: first.id, rule_id: ready.id }
  const { seconds, ...detail } = training.detail as { seconds: number }
  assert.deepEqual(detail, of)
  assert.ok(Number.isInteger(seconds) && seconds > 0)
  assert.equal(pico(attempt.costs.training_usd), (BigInt(seconds) * 600_000_000_000n) / 3600n)
  assert.deepEqual(scoring.detail, { ...of, readings: 400 })
  for (const [entry, usd] of [
    [training, attempt.costs.training_usd],
    [scoring, attempt.costs.scoring_usd],
  ] as const) {
    assert.equal(pico(entry.amount_usd), -pico(usd))
  }
  const now = await wallet(hone)
  assert.equal(now.held, '0')
  assert.equal(pico(balance) - pico(now.balance), pico(attempt.costs.total_usd))

  const marks = await inDatabase(
    hone.databaseUrl,
    `select count(*) filter (where learned_by = 1)::int as learned,
      count(*) filter (where held_at is not null)::int as held
      from pipeline_sample where pipeline_id = '${ready.id}'`,
  )
  assert.deepEqual(marks, [{ learned: 1050, held: 100 }])
  const curve = await hone.call('GET', `/api/loop/training-runs/${first.id}/curve`, {
    key: hone.owner.key,
  })
  const { points } = curve.json as never as { points: unknown[] }
  assert.ok(points.length > 0, curve.text)
})

test('under manual a better one waits, and goes live once a member approves it', async () => {
  const settings = { promotion: { policy: 'manual' } }
  const change = { answer: 'Done.' }
  const ready = await readyPipeline(hone, 'Manual Desk', { change, settings })
  const { id } = await started(hone, ready)
  const waiting = await ended(hone, id)
  assert.deepEqual(
    [waiting.result, waiting.available_actions, waiting.version_no],
    ['waiting_for_review', ['approve', 'reject'], null],
    JSON.stringify(waiting),
  )
  assert.equal(Date.parse(waiting.decide_by!) - Date.parse(waiting.ended_at!), 14 * 24 * 3_600_000)
  const approve = `/api/loop/training-runs/${id}/approve`
  const approved = await hone.call('POST', approve, { key: hone.owner.key, body: {} })
  assert.equal(approved.status, 200, approved.text)
  const live = await ended(hone, id)
  assert.deepEqual([live.result, live.version_no], ['became_version', 1])
  assert.deepEqual(live.costs, waiting.costs, 'it costs nothing more')
  const messages = [{ role: 'user', content: 'order 1' }]
  const body = { model: `loop-${ready.tag}`, messages, max_tokens: 8 }
  // The process hears of it a moment later.
  await until(async () => {
    const said = await hone.call('POST', '/v1/chat/completions', { bearer: hone.owner.key, body })
    return said.text.includes('Done.')
  })
  const marks = await inDatabase(
    hone.databaseUrl,
    `select count(*)::int as learned from pipeline_sample
      where pipeline_id = '${ready.id}' and learned_by = 1`,
  )
  assert.deepEqual(marks, [{ learned: 1050 }])
})

test('a stopped one is charged for what it used, and stopping it again is refused', async () => {
  const ready = await readyPipeline(hone, 'Stop Desk', { settings: { training: { epochs: 15 } } })
  const { id } = await started(hone, ready)
  await reached(hone, id, ({ progress }) => (progress?.step ?? 0) > 0)
  const stopping = await cancel(id)
  assert.equal(stopping.status, 200, stopping.text)
  const attempt = await ended(hone, id)
  assert.equal(attempt.result, 'stopped')
  assert.ok(Number(attempt.costs.training_usd) > 0)
  assert.equal((await wallet(hone)).held, '0')
  assert.equal((await cancel(id)).json.error?.code, 'RUN_FINISHED')
})

test('deleting the pipeline stops its attempt', async () => {
  const ready = await readyPipeline(hone, 'Gone Desk', { settings: { training: { epochs: 15 } } })
  const { id } = await started(hone, ready)
  const path = `/api/loop/pipelines/${ready.id}`
  assert.equal((await hone.call('DELETE', path, { key: hone.owner.key })).status, 204)
  // Its attempts are shown no more.
  const row = () => readRow(hone.app.storage.db, id)
  await until(async () => (await row())?.result === 'stopped')
  assert.equal((await wallet(hone)).held, '0')
})

test('train now with too few samples says how many there are and how many it needs', async () => {
  const ready = await readyPipeline(hone, 'Few Desk', { samples: 3 })
  const { error } = (await run(hone, ready)).json
  assert.deepEqual(
    { ...error, message: '' },
    { code: 'NOT_ENOUGH_SAMPLES', message: '', have: 3, need: 1100 },
  )
  assert.equal(await codeOf(run(hone, { ...ready, id: absentId })), 'NOT_FOUND')
})

test('two calls at once start one attempt', async () => {
  const ready = await readyPipeline(hone, 'Twice Desk')
  const answers = await Promise.all([run(hone, ready), run(hone, ready), run(hone, ready)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  const [made] = answers.filter(({ status }) => status === 201)
  const { id } = (made!.json as never as { attempt: { id: string } }).attempt
  await cancel(id)
  await ended(hone, id)
  assert.equal((await readAttempt(hone, id)).result, 'stopped')
})
