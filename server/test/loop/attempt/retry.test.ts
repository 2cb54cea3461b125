// Attempts whose steps fail or whose members stop them at the worst moment, each from the row at which that happens.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findServing } from '#server/deployment/serve-for-test.ts'
import { newId } from '#server/lib/id.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { effects } from '#server/loop/attempt/effects.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'

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
