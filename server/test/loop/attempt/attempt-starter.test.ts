// Attempts that start by themselves: at the time of a schedule, and while feedback keeps coming.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AttemptStarter } from '#server/loop/attempt/attempt-starter.ts'
import { startDueAttempts } from '#server/task/start-due-attempts.ts'
import { addGood, type Ready, readyPipeline } from '#test/support/attempts.ts'
import { putVersionLive } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { until } from '#test/support/until.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

let clock: ManualClock
let hone: LoopHone
/** How often samples were counted. */
let counts = 0

before(async () => {
  clock = new ManualClock('2026-03-01T12:00:00Z')
  hone = await loopHone({ clock, tasks: [] })
  hone.app.learning.compute = new ScriptedCompute(null)
  const { longReads } = hone.app.samples
  const run = longReads.run.bind(longReads)
  longReads.run = async (workspaceId, work) => {
    const result = await run(workspaceId, work)
    counts++
    return result
  }
})
after(() => hone.stop())

/** Why each was made, in order. */
async function attemptsOf({ id }: Ready): Promise<string[]> {
  const query = `select reason from attempt where pipeline_id = '${id}' order by attempt_no`
  return (await inDatabase<{ reason: string }>(hone.databaseUrl, query)).map(({ reason }) => reason)
}

const look = (): Promise<void> => startDueAttempts(hone.background.starter).run(hone.app)

/** Looks until the samples have been counted once more: a count that took long is not repeated at once. */
async function lookClosely(): Promise<void> {
  const before = counts
  await until(async () => {
    await look()
    return counts > before
  })
}

async function stopNewest({ id }: Ready): Promise<void> {
  const query = `select id from attempt where pipeline_id = '${id}' and result = 'running'`
  const [running] = await inDatabase<{ id: string }>(hone.databaseUrl, query)
  const path = `/api/loop/training-runs/${running!.id}/cancel`
  const answer = await hone.call('POST', path, { key: hone.owner.key })
  assert.equal(answer.status, 200, answer.text)
  await until(async () => {
    await hone.background.walker.walkDue(hone.app)
    clock.forward(second)
    return (await inDatabase(hone.databaseUrl, query)).length === 0
  })
}

async function pause({ id }: Ready): Promise<void> {
  const path = `/api/loop/pipelines/${id}`
  const answer = await hone.call('PUT', path, { key: hone.owner.key, body: { enabled: false } })
  assert.equal(answer.status, 200, answer.text)
}

const forwardTo = (time: string): void => clock.forward(Date.parse(time) - clock.now().getTime())

test('a pipeline with a schedule starts at its time, once', async () => {
  const schedule = { every: 'day', at: '13:00' }
  const ready = await readyPipeline(hone, 'Nightly', { samples: 500, settings: { schedule } })
  forwardTo('2026-03-01T13:00:00Z')
  await lookClosely()
  assert.deepEqual(await attemptsOf(ready), [], 'there is too little')

  forwardTo('2026-03-01T18:00:00Z')
  await addGood(hone, ready.tag, 650)
  await look()
  forwardTo('2026-03-02T12:59:59Z')
  await look()
  assert.deepEqual(await attemptsOf(ready), [], 'it is not its time')
  forwardTo('2026-03-02T13:00:00Z')
  await lookClosely()
  assert.deepEqual(await attemptsOf(ready), ['schedule'])

  await stopNewest(ready)
  clock.forward(minute)
  await addGood(hone, ready.tag, 1150)
  await look()
  assert.deepEqual(await attemptsOf(ready), ['schedule'], 'once at each time')
  forwardTo('2026-03-03T13:00:00Z')
  await lookClosely()
  assert.deepEqual(await attemptsOf(ready), ['schedule', 'schedule'])
  await stopNewest(ready)
  await pause(ready)
})

test('of the times that a machine slept through one is made up for, once', async () => {
  const schedule = { every: 'day', at: '13:00' }
  const ready = await readyPipeline(hone, 'Asleep', { settings: { schedule } })
  const restarted = () => startDueAttempts(new AttemptStarter()).run(hone.app)
  forwardTo('2026-03-08T08:00:00Z')
  await restarted()
  assert.deepEqual(await attemptsOf(ready), ['schedule'])
  await stopNewest(ready)
  clock.forward(minute)
  await addGood(hone, ready.tag, 1150)
  await restarted()
  assert.deepEqual(await attemptsOf(ready), ['schedule'])
  forwardTo('2026-03-08T13:00:00Z')
  await restarted()
  assert.deepEqual(await attemptsOf(ready), ['schedule', 'schedule'])
  await stopNewest(ready)
  await pause(ready)
})

test('what lacked samples at its time does not start later because Hone was restarted', async () => {
  const schedule = { every: 'day', at: '13:00' }
  const ready = await readyPipeline(hone, 'Late', { samples: 3, settings: { schedule } })
  forwardTo('2026-03-09T13:00:00Z')
  await look()
  await addGood(hone, ready.tag, 1150)
  forwardTo('2026-03-09T18:00:00Z')
  await startDueAttempts(new AttemptStarter()).run(hone.app)
  assert.deepEqual(await attemptsOf(ready), [])
  await pause(ready)
})

test('a pipeline whose feedback keeps coming starts after ten minutes', async () => {
  const ready = await readyPipeline(hone, 'Busy')
  await lookClosely()
  for (let waited = 0; waited < 10 * minute; waited += 40 * second) {
    await look()
    assert.deepEqual(await attemptsOf(ready), [], `${waited} ms after there was enough`)
    clock.forward(40 * second)
    await addGood(hone, ready.tag, 1)
  }
  await lookClosely()
  assert.deepEqual(await attemptsOf(ready), ['data'])
  await stopNewest(ready)

  clock.forward(hour)
  await addGood(hone, ready.tag, 1150)
  await lookClosely()
  clock.forward(minute - second)
  await lookClosely()
  assert.deepEqual(await attemptsOf(ready), ['data'], 'no quiet minute has passed')
  clock.forward(second)
  await lookClosely()
  assert.deepEqual(await attemptsOf(ready), ['data', 'data'])
})

test('a pipeline whose live version is stopped starts once that serves again', async () => {
  const ready = await readyPipeline(hone, 'Not serving')
  await putVersionLive(hone, ready.id, { attemptNo: 1, adapter: 'a'.repeat(64) })
  const serve = (status: string) =>
    inDatabase(
      hone.databaseUrl,
      `update deployment set status = '${status}' where pipeline_id = '${ready.id}'`,
    )
  await serve('stopped')
  clock.forward(hour)
  await look()
  assert.deepEqual(await attemptsOf(ready), ['manual'])
  await serve('serving')
  await lookClosely()
  assert.deepEqual(await attemptsOf(ready), ['manual', 'data'])
  await stopNewest(ready)
  await pause(ready)
})

test('a count that fails is not made again before one that succeeds would be', async () => {
  const ready = await readyPipeline(hone, 'Uncounted')
  const { longReads } = hone.app.samples
  const run = longReads.run.bind(longReads)
  let passedMs = 0
  let tries = 0
  clock.monotonicMs = () => passedMs
  longReads.run = () => {
    tries++
    passedMs += 7 * second
    return Promise.reject(new Error('the statement took too long'))
  }
  try {
    for (const [waitMs, made] of [
      [0, 1],
      [5 * second, 1],
      [127 * second, 1],
      [second, 2],
    ] as const) {
      passedMs += waitMs
      await look()
      assert.equal(tries, made, `after ${passedMs} ms`)
    }
  } finally {
    longReads.run = run
    clock.monotonicMs = () => performance.now()
    await pause(ready)
  }
})
