// The three hours that a test may take of a machine whose time has a price, on a clock that the test moves.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import { newId } from '#server/lib/id.ts'
import { endTestDeployments } from '#server/deployment/serve-for-test.ts'
import { gatherFacts } from '#server/loop/attempt/facts.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import { deployment, storeAdapter } from '#test/support/deployments.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const hour = 3_600_000
const clock = new ManualClock()
let hone: LoopHone
before(async () => {
  hone = await loopHone({ clock, tasks: [] })
  hone.app.learning.compute = new ScriptedCompute(null)
})
after(() => hone.stop())

/** Its servers are being tried again, and its machine costs this an hour. */
async function tested(name: string, usdPerHour: number) {
  const machine = { name: 'embedded', engine: 'embedded', training_usd_per_hour: '0.60' }
  const machines = [{ ...machine, serving_usd_per_hour: usdPerHour }]
  const file = JSON.parse(await readFile(hone.catalogFile, 'utf8')) as object
  await writeFile(hone.catalogFile, JSON.stringify({ ...file, machines }))
  await hone.app.catalog.reload()
  const { rule_id } = await hone.pipeline(name)
  const row = await keepAttempt(hone, rule_id, {
    id: newId(clock.now()),
    state: { phase: 'scoring' },
    adapter: await storeAdapter(hone),
    wake_at: clock.now(),
  })
  const { id: attempt_id, workspace_id } = row
  const side = { attempt_id, workspace_id, pipeline_id: rule_id }
  await deployment(hone, { ...side, name: `candidate-${attempt_id}` })
  clock.forward(1000)
  await deployment(hone, { ...side, name: `live-${attempt_id}` })
  clock.forward(3 * hour - 1001)
  return row
}

test('it counts from the first deployment of the test, and ends with it', async () => {
  const row = await tested('Counted', 2)
  const since = async () => (await gatherFacts(hone.app, row)).pricedSince
  assert.deepEqual(await since(), new Date(clock.now().getTime() - 3 * hour + 1))
  await endTestDeployments(hone.app.storage.db, row.id)
  assert.equal(await since(), null)
})

test('an attempt that takes longer is stopped, and says why', async () => {
  const { id } = await tested('Dear', 2)
  clock.forward(1)
  const over = ({ result }: Attempt) => result !== 'running'
  const { result, costs, explanation } = await walkAttempt(hone, id, { clock, until: over })
  assert.deepEqual([result, costs.scoring_usd], ['stopped', '0'])
  assert.match(explanation.detail, /^Its test took three hours of its machine, which is the most/)
})

test('the time of a machine without a price is not limited', async () => {
  const row = await tested('Free', 0)
  clock.forward(hour)
  assert.equal((await gatherFacts(hone.app, row)).pricedSince, null)
})
