// Attempts whose steps fail or whose members stop them at the worst moment, each from the row at which that happens.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findServing } from '#server/deployment/serve-for-test.ts'
import { newId } from '#server/lib/id.ts'
import {
  askToStop,
  changeAttempt,
  countStalls,
  readAttempt,
} from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { ending } from '#server/loop/attempt/ending.ts'
import { effects } from '#server/loop/attempt/effects.ts'
import { readVersions } from '#server/loop/version/version-store.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { until } from '#test/support/until.ts'

const signal = new AbortController().signal

let clock: ManualClock
let hone: LoopHone
let compute: ScriptedCompute

before(async () => {
  clock = new ManualClock()
  hone = await loopHone({ clock, tasks: [] })
  compute = new ScriptedCompute(null)
  hone.app.learning.compute = compute
})
after(() => hone.stop())

let pipelines = 0

/** One that is due, of a pipeline of its own. */
async function due(state: AttemptRow['state'], row: Partial<AttemptRow> = {}): Promise<AttemptRow> {
  const { rule_id: id } = await hone.pipeline(`Retried ${++pipelines}`)
  clock.forward(1)
  const at = clock.now()
  return keepAttempt(hone, id, { id: newId(at), state, wake_at: at, ...row })
}

const read = async ({ id }: AttemptRow): Promise<AttemptRow> =>
  (await readAttempt(hone.app.storage.db, id))!

const walk = () => hone.background.walker.walkDue(hone.app)

/** As a member does. */
async function cancel(attempt: AttemptRow): Promise<void> {
  const path = `/api/loop/training-runs/${attempt.id}/cancel`
  assert.equal((await hone.call('POST', path, { key: hone.owner.key })).status, 200)
}

/** Walks it, a minute a time, until its row is so. */
async function walked(
  attempt: AttemptRow,
  holds: (row: AttemptRow) => boolean,
  stepMs = 60_000,
): Promise<AttemptRow> {
  let row = await read(attempt)
  await until(async () => {
    await walk()
    clock.forward(stepMs)
    row = await read(attempt)
    return holds(row)
  })
  return row
}

test('a test has both models served, or none', async () => {
  const { db } = hone.app.storage
  const attempt = await due({ phase: 'starting_machine' }, { adapter: 'a'.repeat(64) })
  const broken = { ...attempt, adapter: 'no hash' }
  await assert.rejects(effects['serve-test'](hone.app, broken, signal))
  assert.equal(await findServing(db, attempt.id), 'none')
  await effects['serve-test'](hone.app, attempt, signal)
  assert.equal(await findServing(db, attempt.id), 'serving')
  await db.deleteFrom('deployment').where('name', '=', `candidate-${attempt.id}`).execute()
  assert.equal(await findServing(db, attempt.id), 'incomplete')
})

test('what a member stops while it is about to go live does not go live', async () => {
  const { db } = hone.app.storage
  const closing = ending('became_version', 'so')
  const state = { phase: 'promoting', model: 'open', closing } as const
  const attempt = await due(state, { adapter: 'a'.repeat(64) })
  const status = compute.status.bind(compute)
  compute.status = async (id) => {
    // Its row has been read, and what follows from it is not written yet.
    if ((await read(attempt)).cancelled_at === null) await cancel(attempt)
    return status(id)
  }
  const { result } = await walked(attempt, (row) => row.result !== 'running').finally(() => {
    compute.status = status
  })
  assert.equal(result, 'stopped')
  assert.equal((await readVersions(db, attempt.pipeline_id)).live, null)
})

test('a pause does not put off what was stopped meanwhile', async () => {
  const { db } = hone.app.storage
  const attempt = await due({ phase: 'deciding' })
  const later = new Date(clock.now().getTime() + 60_000)
  await askToStop(db, { id: attempt.id }, { at: clock.now(), by: null })
  const pause = { wake_at: later }
  assert.ok(await db.transaction().execute((tx) => changeAttempt(tx, attempt, pause, null)))
  assert.deepEqual((await read(attempt)).wake_at, clock.now())
  await walked(attempt, (row) => row.result !== 'running')
})

const hour = 3_600_000
const inTraining = { phase: 'training', since: new Date(0).toISOString() } as const

/** While `act` runs, compute cannot say how the training of this one stands. */
async function withoutFacts(attempt: AttemptRow, act: () => Promise<void>): Promise<void> {
  const status = compute.status.bind(compute)
  compute.status = (id) =>
    id === attempt.id ? Promise.reject(new Error('its folder cannot be read')) : status(id)
  await act().finally(() => (compute.status = status))
}

test('facts that cannot be had are counted in the row, and forgotten once they can be had', async () => {
  const attempt = await due(inTraining)
  await compute.train({ id: attempt.id } as never)
  await withoutFacts(attempt, async () => {
    const { state } = await walked(attempt, (row) => (row.state.failing?.tries ?? 0) > 7)
    assert.equal(state.failing?.effect, 'gather-facts')
    assert.equal(state.failing.holds, true, 'it keeps its machine')
  })
  const { result } = await walked(attempt, ({ state }) => state.failing === undefined)
  assert.equal(result, 'running')
  await cancel(attempt)
  await walked(attempt, (row) => row.result !== 'running')
})

test('an attempt that a member stopped ends although its facts cannot be had', async () => {
  const attempt = await due(inTraining)
  await cancel(attempt)
  await withoutFacts(attempt, async () => {
    const { state } = await walked(attempt, (row) => row.state.failing !== undefined)
    assert.equal(state.closing?.result, 'stopped')
    const { result } = await walked(attempt, (row) => row.result !== 'running', hour)
    assert.equal(result, 'stopped')
  })
})

test('what cannot be tidied for six hours is left, and the attempt ends', async () => {
  const closing = ending('inconclusive', 'so')
  const attempt = await due({ phase: 'scoring', closing }, { adapter: 'a'.repeat(64) })
  await effects['serve-test'](hone.app, attempt, signal)
  const endServing = effects['end-serving']
  effects['end-serving'] = () => Promise.reject(new Error('it does not end'))
  const { result } = await walked(attempt, (row) => row.result !== 'running', hour).finally(() => {
    effects['end-serving'] = endServing
  })
  assert.equal(result, 'inconclusive')
})

test('what the trainer says of the server is told to operators, and not to members', async (t) => {
  const { mock } = t.mock.method(hone.app.log, 'warn', () => {})
  const detail = '/srv/hone/config.json: the file is missing or cannot be read.'
  compute.end = { state: 'failed', code: 'MODEL_UNREADABLE', message: null, detail, leftOut: [] }
  t.after(() => (compute.end = null))
  const attempt = await due(inTraining)
  await compute.train({ id: attempt.id } as never)
  await walked(attempt, ({ result }) => result === 'failed')
  const path = `/api/loop/training-runs/${attempt.id}`
  const { text } = await hone.call('GET', path, { key: hone.owner.key })
  assert.match(text, /The files of the base model could not be read\. /)
  assert.ok(!text.includes('/srv'), text)
  const logged = mock.calls.map((call) => JSON.stringify(call.arguments))
  assert.equal(logged.filter((line) => line.includes(detail)).length, 1, logged.join())
})

test('an end that cannot be written is counted in the row', async () => {
  const attempt = await due({ phase: 'preparing', closing: ending('not_tested', 'so') })
  const run = (statement: string) => inDatabase(hone.databaseUrl, statement)
  await run(`create function no_move() returns trigger language plpgsql as
    $$ begin raise exception 'no move is written'; end $$`)
  await run('create trigger no_move before insert on attempt_move execute function no_move()')
  const { state } = await walked(attempt, (row) => (row.state.failing?.tries ?? 0) > 1).finally(
    () => run('drop function no_move cascade'),
  )
  assert.equal(state.failing?.effect, 'write-attempt')
  await walked(attempt, (row) => row.result !== 'running')
})

/** The storage of its test is tried at any time. */
const answering = {
  phase: 'waiting_for_storage',
  during: 'answering',
  unreadable: { since: new Date(0).toISOString(), tried_at: new Date(0).toISOString(), count: 1 },
} as const

async function stopAll(attempts: readonly AttemptRow[]): Promise<void> {
  for (const attempt of attempts) await cancel(attempt)
  for (const attempt of attempts) await walked(attempt, ({ result }) => result !== 'running')
}

test('nine tests under way take their slots in turn', async () => {
  const { answer } = effects
  const answered = new Set<string>()
  effects.answer = async (_, { id }) => void answered.add(id)
  const attempts: AttemptRow[] = []
  for (let number = 1; number <= 9; number++) attempts.push(await due(answering))
  try {
    await walk()
    await until(() => answered.size === attempts.length)
    await stopAll(attempts)
  } finally {
    effects.answer = answer
  }
})

test('what a member stops ends although all slots are taken', async () => {
  const { answer } = effects
  const held = Promise.withResolvers<void>()
  effects.answer = () => held.promise
  const attempts: AttemptRow[] = []
  for (let number = 1; number <= 9; number++) attempts.push(await due(answering))
  try {
    await walk()
    const ninth = attempts.at(-1)!
    await cancel(ninth)
    const { result } = await walked(ninth, (row) => row.result !== 'running')
    assert.equal(result, 'stopped')
    held.resolve()
    await stopAll(attempts.slice(0, -1))
  } finally {
    effects.answer = answer
  }
})

test('attempts that stalled are counted from the newest to the first that did not', async () => {
  const { db } = hone.app.storage
  const { rule_id: id } = await hone.pipeline('Stalls')
  const codes = ['STEP_STALLED:READ', null, 'STEP_STALLED:WRITE_ROWS', 'STEP_STALLED:ANSWER']
  for (const [index, error_code] of codes.entries()) {
    const row = { ...endedAs('not_tested'), id: newId(clock.now()), attempt_no: index + 1 }
    await keepAttempt(hone, id, { ...row, error_code })
  }
  assert.deepEqual(await countStalls(db, [id]), new Map([[id, 2]]))
})
