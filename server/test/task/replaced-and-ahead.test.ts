// What serves is opened ahead, once; and what a name stood for before it moved is stopped ten minutes later.
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { loadModelsAhead } from '#server/task/load-models-ahead.ts'
import { stopReplacedDeployments } from '#server/task/walk-deployments.ts'
import { identifyInference } from '#server/http/v1/identify-inference.ts'
import { putVersionLive, storeAdapter, storeFaintAdapter } from '#test/support/deployments.ts'
import { loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedMachines } from '#test/support/scripted-machines.ts'
import { until } from '#test/support/until.ts'

const clock = new ManualClock()
const hone = await loopHone({ clock, tasks: [] })
after(() => hone.stop())
let machines: ScriptedMachines
beforeEach(() => {
  machines = new ScriptedMachines()
  hone.app.serving.machines = machines
})

test('what serves is opened ahead once, and what goes live later too', async () => {
  const task = loadModelsAhead()
  const { rule_id } = await hone.pipeline('Ahead')
  await putVersionLive(hone, rule_id, { attemptNo: 1, adapter: await storeAdapter(hone) })
  for (const opened of [1, 1]) {
    await task.run(hone.app)
    assert.equal(machines.prepared.length, opened)
  }
  await putVersionLive(hone, rule_id, { attemptNo: 2, adapter: await storeFaintAdapter(hone) })
  await task.run(hone.app)
  assert.equal(machines.prepared.length, 2)
})

test('the version before stays open for ten minutes, and is stopped unless it serves again', async () => {
  const { app } = hone
  const [first, second] = [await storeAdapter(hone), await storeFaintAdapter(hone)]
  const { rule_id } = await hone.pipeline('Replaced')
  await putVersionLive(hone, rule_id, { attemptNo: 1, adapter: first })
  await putVersionLive(hone, rule_id, { attemptNo: 2, adapter: second })
  const caller = await identifyInference(app, { authorization: `Bearer ${hone.owner.key}` })
  const open = (adapter: string): boolean =>
    app.calls.models.routesInUse(clock.now()).some(({ model }) => model?.endsWith(adapter))
  // What is cached is invalidated by notifications, which may still be on their way.
  const called = (): Promise<void> =>
    until(async () => {
      await app.calls.models.resolve(caller, 'loop-replaced', 'chat')
      return open(second)
    })
  await called()
  assert.equal(open(first), true)
  clock.forward(600_000 - 1)
  await stopReplacedDeployments.run(app)
  await called()
  assert.deepEqual([open(first), machines.stopped.length], [true, 0])
  clock.forward(1)
  await stopReplacedDeployments.run(app)
  assert.equal(open(first), false)
  // The other pipeline's older version is the same as this one's, and no deployment serves it any more.
  assert.ok(machines.stopped.length > 0)

  const before = machines.stopped.length
  await putVersionLive(hone, rule_id, { attemptNo: 3, adapter: first })
  await putVersionLive(hone, rule_id, { attemptNo: 4, adapter: second })
  await putVersionLive(hone, rule_id, { attemptNo: 5, adapter: first })
  clock.forward(600_000)
  await stopReplacedDeployments.run(app)
  // Each was replaced, and both serve a name again.
  assert.equal(machines.stopped.length, before)
})
