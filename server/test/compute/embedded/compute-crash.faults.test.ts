// Kills the server and the process that trains before and after every effect of a job, one start after the other on the same folder,
// and compares what comes of it with an undisturbed run.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serverEffects, trainerEffects } from '#server/compute/effects.ts'
import type { TrainingOutcome } from '#server/compute/compute.ts'
import { modelStoreEffects } from '#server/model-store/effects.ts'
import type { Plan } from './train-to-the-end.ts'
import { partnerRows, succeeded, temporaryFolder } from './training-fixture.ts'

const program = fileURLToPath(new URL('./train-to-the-end.ts', import.meta.url))
const trainer = fileURLToPath(
  new URL('../../../src/compute/embedded/training-process.ts', import.meta.url),
)
const basePath = fileURLToPath(new URL('../../fixtures/engine/tiny-llama', import.meta.url))

/** In the order in which a job comes to them. */
const order = [
  'copy-files',
  'name-folder',
  'write-job',
  'start-process',
  'open-events',
  'write-checkpoint',
  'write-adapter',
  'write-result',
  'tidy',
  'merge',
  'unname-folder',
  'remove-folder',
  'forget',
]

type Report = {
  revision: string
  adapter: string
  merged: string
  outcome: TrainingOutcome
  secondsOfEvents: number
}

async function planOf(id: string): Promise<Plan> {
  return { id, root: await temporaryFolder(), basePath, rows: partnerRows(48) }
}

function reportOf({ root }: Plan): Report {
  return JSON.parse(readFileSync(join(root, 'report.json'), 'utf8')) as Report
}

/** The signal that ended the program, or its exit code. */
function run(file: string, args: string[], crashAt = ''): Promise<string | number | null> {
  const child = fork(file, args, {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, HONE_CRASH_AT: crashAt },
  })
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)))
}

test('every effect is in the order of this test', () => {
  const effects = [...modelStoreEffects, ...serverEffects, ...trainerEffects]
  assert.deepEqual(order.toSorted(), effects.toSorted())
})

test('killed before and after each effect, a job ends as if nothing had happened', async () => {
  const id = randomUUID()
  const [plan, whole] = [await planOf(id), await planOf(id)]
  const start = performance.now()
  for (const effect of order) {
    const trains = (trainerEffects as readonly string[]).includes(effect)
    for (const point of [`before:${effect}`, `after:${effect}`]) {
      const ended = trains
        ? await run(trainer, [join(plan.root, 'compute', id), '1', '0'], point)
        : await run(program, [JSON.stringify(plan)], point)
      assert.equal(ended, 'SIGKILL', point)
    }
  }
  assert.equal(await run(program, [JSON.stringify(plan)]), 0)
  const wallSeconds = (performance.now() - start) / 1000
  assert.equal(await run(program, [JSON.stringify(whole)]), 0)

  const [killed, expected] = [reportOf(plan), reportOf(whole)]
  assert.deepEqual(
    [killed.revision, killed.adapter, killed.merged],
    [expected.revision, expected.adapter, expected.merged],
  )
  const [one, other] = [succeeded(killed.outcome), succeeded(expected.outcome)]
  assert.deepEqual(one.metrics, other.metrics)
  assert.ok(one.seconds >= killed.secondsOfEvents && one.seconds < wallSeconds)
  assert.ok(one.seconds > 0 && other.seconds > 0)
  for (const { root } of [plan, whole]) {
    assert.deepEqual(readdirSync(root).sort(), ['compute', 'objects', 'report.json'])
    assert.deepEqual(readdirSync(join(root, 'compute')), [])
    assert.deepEqual(readdirSync(join(root, 'objects', 'adapters')), [killed.adapter])
    const kept = readdirSync(join(root, 'objects', 'models'))
    assert.deepEqual(
      kept.filter((name) => !name.endsWith('.writing')),
      [killed.merged],
    )
  }
})
