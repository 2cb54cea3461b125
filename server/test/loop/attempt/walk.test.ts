// Walking attempts on a real database, with a training that a test scripts: what is paid, what is taken back, and what happens when
// processes die or work at the same time.
import assert from 'node:assert/strict'
import { access, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import type { Compute } from '#server/compute/compute.ts'
import { claimDue } from '#server/loop/attempt/attempt-due-store.ts'
import {
  changeAttempt,
  countAhead,
  readAttempt as readRow,
} from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { ending } from '#server/loop/attempt/ending.ts'
import { effects } from '#server/loop/attempt/effects.ts'
import { walkedAttempts } from '#server/loop/attempt/walk.ts'
import { RowWalker } from '#server/storage/row-walker.ts'
import { rowsFileOf } from '#server/loop/attempt/training-of.ts'
import { startDueAttempts } from '#server/task/start-due-attempts.ts'
import { newId } from '#server/lib/id.ts'
import { removeUnnamedWeights } from '#server/task/remove-unnamed-weights.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import {
  addGood,
  readAttempt,
  type Ready,
  readyPipeline,
  started,
  wallet,
} from '#test/support/attempts.ts'
import { trainOnFewRows } from '#test/support/few-rows.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { textOf } from '#test/support/new-samples.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { type Answer, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const catalog = {
  models: [
    {
      id: 'other/model',
      context_window: 2048,
      max_output_tokens: 1024,
      routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
    },
    {
      id: 'other/judge',
      judge: true,
      context_window: 8192,
      max_output_tokens: 1024,
      routes: [{ engine: 'judge-basic', pricing: { input: 0.1, output: 0.4 } }],
    },
    {
      id: trainableModel,
      context_window: 2048,
      // Enough for the answer that is learned here.
      max_output_tokens: 2,
      routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
    },
  ],
  machines: [
    {
      name: 'embedded',
      engine: 'embedded',
      training_usd_per_hour: '20',
      serving_usd_per_hour: '0',
    },
  ],
}

let clock: ManualClock
let hone: LoopHone
let embedded: Compute
let compute: ScriptedCompute

before(async () => {
  clock = new ManualClock()
  // 100 USD are there, and each attempt reserves 80 of them.
  hone = await loopHone({ clock, catalog, tasks: [] })
  embedded = hone.app.learning.compute
  trainOnFewRows(embedded)
})
after(() => hone.stop())

function useCompute(end: ScriptedCompute['end']): void {
  compute = new ScriptedCompute(end)
  hone.app.learning.compute = compute
}

function walked(id: string, holds: (attempt: Attempt) => boolean): Promise<Attempt> {
  return walkAttempt(hone, id, { clock, until: holds })
}
const toItsEnd = (id: string) => walked(id, ({ result }) => result !== 'running')

async function marksOf({ id }: Ready): Promise<unknown> {
  const [row] = await inDatabase(
    hone.databaseUrl,
    `select count(*) filter (where used_by is not null)::int as used,
      count(*) filter (where held_at is not null)::int as held
      from pipeline_sample where pipeline_id = '${id}'`,
  )
  return row
}

type Entry = { kind: string; amount: string; detail: unknown }

async function entriesOf(attemptId: string): Promise<Entry[]> {
  return inDatabase(
    hone.databaseUrl,
    `select kind, amount::text, detail from ledger_entry
      where detail->>'attempt_id' = '${attemptId}' order by seq`,
  )
}

/** All calls of models and judges. */
async function countCalls(): Promise<number> {
  const { values } = await hone.app.metrics.registry.getSingleMetric('hone_calls_total')!.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

async function save({ id }: Ready, body: object): Promise<Answer> {
  return hone.call('PUT', `/api/loop/pipelines/${id}`, { key: hone.owner.key, body })
}

async function state({ id }: Ready): Promise<string> {
  const path = `/api/loop/pipelines/${id}`
  const { json } = await hone.call('GET', path, { key: hone.owner.key })
  return (json as unknown as { pipeline: { state: string } }).pipeline.state
}

type Made = { reason: string; result: string; id: string }

function attemptsOf({ id }: Ready): Promise<Made[]> {
  const columns = 'select reason, result, id from attempt'
  return inDatabase(hone.databaseUrl, `${columns} where pipeline_id = '${id}' order by attempt_no`)
}

async function startedByItself(ready: Ready, count: number): Promise<Made> {
  clock.forward(61_000)
  await until(async () => {
    await startDueAttempts(hone.background.starter).run(hone.app)
    return (await attemptsOf(ready)).length >= count
  })
  return (await attemptsOf(ready)).at(-1)!
}

async function addFunds(): Promise<void> {
  const owner = await hone.login(hone.owner.email, hone.owner.password)
  const headers = { ...owner, 'idempotency-key': 'more' }
  const body = { amount_usd: '80' }
  assert.equal((await hone.call('POST', '/api/wallet/top-ups', { headers, body })).status, 201)
}

async function cancel(id: string): Promise<void> {
  const path = `/api/loop/training-runs/${id}/cancel`
  const answer = await hone.call('POST', path, { key: hone.owner.key })
  assert.equal(answer.status, 200, answer.text)
}

async function walkedWithLoopOff(id: string): Promise<void> {
  hone.app.config.loopOn = false
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    clock.forward(1000)
    return (await readRow(hone.app.storage.db, id))?.result !== 'running'
  }).finally(() => (hone.app.config.loopOn = true))
}

/** What they do is done, and the move that follows is not written: they are done again. Returns those that were. */
async function twice(act: () => Promise<void>): Promise<string[]> {
  const once = { ...effects }
  const seen = new Set<string>()
  for (const name of Object.keys(once) as (keyof typeof once)[]) {
    effects[name] = async (app, attempt, signal) => {
      seen.add(name)
      const first = await once[name](app, attempt, signal)
      if (first?.together) {
        await app.storage.db.transaction().execute((tx) => first.together!(tx))
      }
      return (await once[name](app, attempt, signal)) ?? first
    }
  }
  await act().finally(() => Object.assign(effects, once))
  return [...seen]
}

test('every effect that is done twice leaves what doing it once leaves', async () => {
  hone.app.learning.compute = embedded
  const ready = await readyPipeline(hone, 'Twice', { change: { answer: 'Done.' } })
  const { id } = await started(hone, ready)
  const callsBefore = await countCalls()
  const toTheEnd = await twice(async () => void (await toItsEnd(id)))
  const attempt = await readAttempt(hone, id)
  assert.deepEqual([attempt.result, attempt.version_no], ['became_version', 1])
  // Two answers and four readings to a sample.
  assert.equal((await countCalls()) - callsBefore, 600)

  const path = `/api/loop/pipelines/${ready.id}/versions`
  const { json } = await hone.call('GET', path, { key: hone.owner.key })
  assert.equal((json as never as { versions: unknown[] }).versions.length, 1)
  const made = await entriesOf(id)
  assert.deepEqual(
    made.map(({ kind }) => kind),
    ['training', 'scoring'],
  )
  assert.partialDeepStrictEqual(made[1], { detail: { attempt_id: id, readings: 400 } })
  const [{ cost }] = (await inDatabase<{ cost: string }>(
    hone.databaseUrl,
    `select sum(cost)::text as cost from (
      select cost from test_answer where attempt_id = '${id}'
      union all select cost from test_reading where attempt_id = '${id}') as asked`,
  )) as [{ cost: string }]
  assert.equal(made[1]?.amount, `-${cost}`)
  assert.equal((await wallet(hone)).held, '0')
  assert.deepEqual(await embedded.status(id), { state: 'unknown' }, 'compute has forgotten it')
  await removeUnnamedWeights.run(hone.app)
  const row = await readRow(hone.app.storage.db, id)
  assert.ok(row?.adapter)

  useCompute(null)
  const other = await started(hone, await readyPipeline(hone, 'Twice stopped'))
  await walked(other.id, ({ phase }) => phase === 'training')
  await cancel(other.id)
  const stopped = await twice(async () => void (await toItsEnd(other.id)))
  // 13 seconds at 20 USD an hour, rounded down to a pico-dollar.
  assert.deepEqual(
    (await entriesOf(other.id)).map(({ amount }) => amount),
    ['-72222222222'],
  )
  assert.equal((await wallet(hone)).held, '0')

  const off = await readyPipeline(hone, 'Twice off')
  const last = await started(hone, off)
  await walked(last.id, ({ phase }) => phase === 'training')
  const switchedOff = await twice(() => walkedWithLoopOff(last.id))
  assert.deepEqual(await marksOf(off), { used: 0, held: 100 })
  // It would start again by itself.
  await save(off, { enabled: false })
  const covered = new Set([...toTheEnd, ...stopped, ...switchedOff])
  assert.deepEqual([...covered].sort(), Object.keys(effects).sort(), 'an effect is not covered')
})

test('an attempt waits a day for funds, and then pauses its pipeline', async () => {
  useCompute(null)
  const first = await readyPipeline(hone, 'Rich')
  const rich = await started(hone, first)
  await walked(rich.id, ({ phase }) => phase === 'training')
  const other = await save(first, { model: { id: 'other/model' } })
  assert.deepEqual([other.status, other.json.error?.code], [409, 'RUN_ACTIVE'])
  const second = await readyPipeline(hone, 'Poor')
  const poor = await started(hone, second)
  await walked(poor.id, ({ phase }) => phase === 'waiting_for_funds')
  const { json } = await hone.call('GET', `/api/loop/pipelines/${second.id}`, {
    key: hone.owner.key,
  })
  assert.equal((json as never as { pipeline: { needs_funds: boolean } }).pipeline.needs_funds, true)
  clock.forward(24 * 3_600_000)
  const attempt = await toItsEnd(poor.id)
  assert.deepEqual(
    [attempt.result, attempt.error_code, attempt.costs.total_usd],
    ['stopped', 'INSUFFICIENT_FUNDS:NOT_STARTED', '0'],
  )
  assert.equal(await state(second), 'paused_for_funds')
  await save(second, { enabled: true })
  assert.equal(await state(second), 'enabled')

  const third = await readyPipeline(hone, 'Patient')
  const patient = await started(hone, third)
  await walked(patient.id, ({ phase }) => phase === 'waiting_for_funds')
  await addFunds()
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    return (await readAttempt(hone, patient.id)).phase === 'waiting_for_gpu'
  })
  compute.end = { state: 'failed', code: 'LOSS_NOT_FINITE', message: 'It diverged.', leftOut: [] }
  const failed = await toItsEnd(rich.id)
  assert.deepEqual(
    [failed.result, failed.error_code],
    ['failed', 'TRAINING_FAILED:LOSS_NOT_FINITE'],
  )
  assert.equal(failed.costs.training_usd, '0.072222222222', 'charged for the time used')
  const went = await toItsEnd(patient.id)
  assert.deepEqual(
    went.moves.map(({ to }) => to),
    ['preparing', 'waiting_for_funds', 'waiting_for_gpu', 'training', 'ended'],
  )
})

test('a training on a machine without a price needs no funds', async () => {
  const attempt = { state: { phase: 'preparing' }, training_price_per_hour: '0' } as AttemptRow
  const done = await effects['reserve-training'](hone.app, attempt, new AbortController().signal)
  assert.partialDeepStrictEqual(done?.changes?.state, { funds: { missing: '0' } })
})

test('with the loop off an attempt that does not train yet ends and leaves its samples new', async () => {
  useCompute(null)
  const ready = await readyPipeline(hone, 'Off')
  const { id } = await started(hone, ready)
  await walked(id, ({ phase }) => phase === 'training')
  await walkedWithLoopOff(id)
  const attempt = await readAttempt(hone, id)
  assert.deepEqual(
    [attempt.result, attempt.error_code, attempt.costs.total_usd],
    ['not_tested', 'ENV_GATED:SWITCHED_OFF', '0'],
  )
  assert.deepEqual(await marksOf(ready), { used: 0, held: 100 })
  const again = await startedByItself(ready, 2)
  assert.equal(again.reason, 'manual', 'it starts again once the loop is back')
  await cancel(again.id)
  await toItsEnd(again.id)
  assert.equal(await state(ready), 'enabled')
})

test('what can be selected after all may be too little: nothing is marked', async () => {
  useCompute(null)
  const ready = await readyPipeline(hone, 'Unread', { samples: 1050 })
  await addGood(hone, ready.tag, 60, { text: textOf(100) })
  const { id } = await started(hone, ready)
  const attempt = await toItsEnd(id)
  assert.deepEqual(
    [attempt.result, attempt.error_code, attempt.costs.total_usd],
    ['not_tested', 'NOT_ENOUGH_SAMPLES', '0'],
  )
  assert.deepEqual(attempt.skipped_rows, [{ reason: 'unreadable', count: 60 }])
  assert.match(attempt.explanation.detail, /950 samples could be trained on and 100 held back/)
  assert.deepEqual(await marksOf(ready), { used: 0, held: 0 })
})

test('a step that fails for six hours ends the attempt, and what it used is trained on by the next one', async () => {
  useCompute(null)
  compute.train = () => Promise.reject(new Error('the trainer does not answer'))
  const ready = await readyPipeline(hone, 'Stalled')
  const { id } = await started(hone, ready)
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    return (await readRow(hone.app.storage.db, id))?.state.failing !== undefined
  })
  assert.equal((await wallet(hone)).held, '80')
  clock.forward(6 * 3_600_000)
  const stalled = await toItsEnd(id)
  assert.deepEqual(
    [stalled.result, stalled.error_code, stalled.costs.total_usd],
    ['not_tested', 'STEP_STALLED:START_TRAINING', '0'],
  )
  assert.deepEqual(await marksOf(ready), { used: 0, held: 100 })
  assert.equal((await wallet(hone)).held, '0')

  const message = 'The adapter is as it was before the training.'
  useCompute({ state: 'failed', code: 'ADAPTER_DID_NOT_MOVE', message, leftOut: [] })
  const next = await toItsEnd((await started(hone, ready)).id)
  assert.deepEqual([next.result, next.error_code], ['failed', 'ADAPTER_DID_NOT_MOVE'])
  assert.equal(next.costs.training_usd, '0.072222222222', 'charged for the time used')
  assert.equal(next.train_rows, 1050)
})

test('a pipeline with enough samples starts by itself a minute after the last one, once', async () => {
  useCompute(null)
  const ready = await readyPipeline(hone, 'Alone')
  const look = () => startDueAttempts(hone.background.starter).run(hone.app)
  clock.forward(30_000)
  await look()
  assert.deepEqual(await attemptsOf(ready), [])
  const made = await startedByItself(ready, 1)
  assert.equal(made.reason, 'data')
  await cancel(made.id)
  assert.equal((await toItsEnd(made.id)).result, 'stopped')
  for (let round = 0; round < 5; round++) {
    clock.forward(700_000)
    await look()
  }
  assert.equal(
    (await attemptsOf(ready)).length,
    1,
    'what a member stopped does not start again by itself',
  )
})

test('two processes make one attempt of one pipeline, and one goes on when the other has died', async () => {
  useCompute(null)
  const env = { HONE_DATA_DIR: hone.app.config.dataDir }
  const second = await testHone({ clock, catalog, tasks: [], env, databaseUrl: hone.databaseUrl })
  try {
    second.app.learning.compute = compute
    const ready = await readyPipeline(hone, 'Both')
    const both = [hone, second]
    const look = () =>
      Promise.all(both.map(({ app, background }) => background.starter.startDue(app)))
    await look()
    clock.forward(61_000)
    await until(async () => {
      await look()
      return (await attemptsOf(ready)).length > 0
    })
    await look()
    const [{ id } = { id: '' }, ...others] = await attemptsOf(ready)
    assert.deepEqual(others, [])

    const now = clock.now()
    const dead = { now, until: new Date(now.getTime() + 30_000), processId: newId(now), except: [] }
    assert.equal((await claimDue(hone.app.storage.db, dead))?.id, id)
    const walk = () =>
      Promise.all(both.map(({ app, background }) => background.walker.walkDue(app)))
    await walk()
    assert.equal((await readAttempt(hone, id)).phase, 'preparing')
    const { metrics } = hone.app
    assert.match(await metrics.registry.metrics(), /hone_attempt_due_seconds 0/)
    clock.forward(31_000)
    assert.match(await metrics.registry.metrics(), /hone_attempt_due_seconds 31/)
    compute.end = { state: 'failed', code: 'NO_ROWS', message: 'None.', leftOut: [] }
    await until(async () => {
      await walk()
      clock.forward(1000)
      return (await readAttempt(hone, id)).result !== 'running'
    })
    const { result, moves } = await readAttempt(hone, id)
    assert.equal(result, 'failed')
    assert.deepEqual(
      moves.map(({ to }) => to),
      ['preparing', 'waiting_for_gpu', 'training', 'ended'],
    )
    assert.equal(compute.taken.length, 1)
  } finally {
    await second.stop()
  }
})

/** Attempts of as many pipelines, whose samples are ready for a machine. */
async function queued(machine: string, count: number): Promise<[AttemptRow, ...AttemptRow[]]> {
  const rows: AttemptRow[] = []
  for (let number = 1; number <= count; number++) {
    const { rule_id: id } = await hone.pipeline(`${machine} ${number}`)
    clock.forward(1)
    const at = clock.now()
    const state = { phase: 'waiting_for_gpu' } as const
    const row = await keepAttempt(hone, id, {
      id: newId(at),
      state,
      wake_at: at,
      machine,
      started_at: null,
    })
    await mkdir(dirname(rowsFileOf(hone.app, row)), { recursive: true })
    await writeFile(rowsFileOf(hone.app, row), '')
    rows.push(row)
  }
  return rows as [AttemptRow, ...AttemptRow[]]
}

test('a training that does not start leaves its machine to the next one, and starts once that has ended', async () => {
  useCompute(null)
  const [first, second] = await queued('failing', 2)
  const read = async () => (await readRow(hone.app.storage.db, first.id))!
  const train = compute.train.bind(compute)
  compute.train = (job) =>
    job.id === first.id ? Promise.reject(new Error('it does not answer')) : train(job)
  await walked(second!.id, ({ phase }) => phase === 'training')
  const { failing } = (await read()).state
  compute.train = train
  clock.forward(120_000)
  // It was due for another try, and waits instead.
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    return (await read()).wake_at > clock.now()
  })
  assert.deepEqual((await read()).state.failing, failing)
  const rows = rowsFileOf(hone.app, second!)
  await rm(rows)
  const beside = ['0b5c', '77a1'].map((name) => `${rows}.${name}`)
  for (const file of beside) await writeFile(file, '')
  await cancel(second!.id)
  await toItsEnd(second!.id)
  for (const file of beside) await assert.rejects(access(file), { code: 'ENOENT' })
  await walked(first.id, () => compute.taken.length === 2)
  assert.deepEqual(
    compute.taken.map(({ id }) => id),
    [second!.id, first.id],
  )
  await walked(first.id, () => compute.jobs.has(first.id))
  await cancel(first.id)
  await toItsEnd(first.id)
})

test('a machine is held by what trains on it, not by what fails, has trained or is being closed', async () => {
  const { db } = hone.app.storage
  const { rule_id: id } = await hone.pipeline('Holder')
  const at = clock.now()
  const since = at.toISOString()
  const training = { phase: 'training', since } as const
  const failing = { effect: 'start-training', since, tries: 1 }
  let row = await keepAttempt(hone, id, { machine: 'held', state: training })
  const waiting = { id: newId(at), machine: 'held', state: { phase: 'waiting_for_gpu' } as const }
  for (const [ahead, change] of [
    [1, {}],
    [0, { state: { ...training, failing } }],
    [1, { state: { ...training, failing: { ...failing, holds: true } } }],
    [0, { state: { ...training, closing: ending('stopped', 'so') } }],
    [0, { state: training, adapter: 'a'.repeat(64) }],
  ] as [number, Partial<AttemptRow>][]) {
    assert.equal(await db.transaction().execute((tx) => changeAttempt(tx, row, change, null)), true)
    row = (await readRow(db, row.id))!
    assert.equal(await countAhead(db, waiting), ahead, JSON.stringify(change))
  }
})

test('a machine trains one at a time in the order of the rows, whichever process serves it; with the loop off only what had begun', async () => {
  useCompute(null)
  const [first, ...others] = await queued('queue', 4)
  const last = others.at(-1)!
  const second = new RowWalker(walkedAttempts, { processId: newId(clock.now()), alone: false })
  await Promise.all([hone.background.walker.walkDue(hone.app), second.walkDue(hone.app)])
  await second.close()
  await walked(first.id, ({ phase }) => phase === 'training')
  assert.deepEqual(
    (await Promise.all(others.map(({ id }) => readAttempt(hone, id)))).map(({ phase }) => phase),
    ['waiting_for_gpu', 'waiting_for_gpu', 'waiting_for_gpu'],
  )
  assert.match((await readAttempt(hone, last.id)).explanation.detail, /^3 other trainings/)
  assert.deepEqual(
    compute.taken.map(({ id }) => id),
    [first.id],
  )
  compute.leave(first.id, 7)
  hone.app.config.loopOn = false
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    clock.forward(1000)
    const now = await Promise.all(others.map(({ id }) => readRow(hone.app.storage.db, id)))
    return compute.taken.length === 2 && now.every((row) => row?.result !== 'running')
  }).finally(() => (hone.app.config.loopOn = true))
  const ends = await Promise.all(others.map(({ id }) => readAttempt(hone, id)))
  assert.deepEqual(
    ends.map(({ error_code, costs }) => [error_code, costs.total_usd]),
    others.map(() => ['ENV_GATED:SWITCHED_OFF', '0']),
  )
  assert.deepEqual(
    compute.taken.map(({ id }) => id),
    [first.id, first.id],
  )
  await cancel(first.id)
  await toItsEnd(first.id)
})
