// With which settings an attempt trains, where its pipeline is changed meanwhile.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import { readyPipeline, started } from '#test/support/attempts.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const clock = new ManualClock()
const compute = new ScriptedCompute(null)
let hone: LoopHone
before(async () => {
  hone = await loopHone({ clock, tasks: [] })
  hone.app.learning.compute = compute
})
after(() => hone.stop())

test('a change applies from the next attempt, also before this one has selected its samples', async () => {
  const ready = await readyPipeline(hone, 'Changed', { settings: { training: { epochs: 2 } } })
  const { key } = hone.owner
  const first = await started(hone, ready)
  const put = (body: object) =>
    hone.call('PUT', `/api/loop/pipelines/${ready.id}`, { key, body }).then(({ status }) => status)
  assert.equal(await put({ training: { epochs: 5, lora_rank: 8 } }), 200)
  const trains = ({ phase }: Attempt) => phase === 'training' && compute.taken.length > 0
  const { settings } = await walkAttempt(hone, first.id, { clock, until: trains })
  assert.deepEqual([settings.custom, settings.epochs, settings.lora_rank], [true, 2, 16])
  const { custom: _, ...numbers } = settings
  assert.deepEqual(compute.taken[0]?.settings, numbers)

  const path = `/api/loop/training-runs/${first.id}/cancel`
  assert.equal((await hone.call('POST', path, { key })).status, 200)
  const over = ({ result }: Attempt) => result !== 'running'
  const ended = await walkAttempt(hone, first.id, { clock, until: over })
  assert.deepEqual(ended.settings, settings)
  const next = (await started(hone, ready)).settings
  assert.deepEqual([next.epochs, next.lora_rank], [5, 8])
})
