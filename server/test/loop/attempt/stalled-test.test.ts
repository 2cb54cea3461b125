// An attempt that has trained and cannot be tested for a day: it is charged for one training, keeps what it trained, and goes on by
// itself.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import { readAttempt as readRow } from '#server/loop/attempt/attempt-store.ts'
import { readyPipeline, started, wallet } from '#test/support/attempts.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { judgeModels, judgeServers, type JudgeServers } from '#test/support/judge-servers.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute, trained } from '#test/support/scripted-compute.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const clock = new ManualClock()
const hourMs = 3_600_000
let judges: JudgeServers
let hone: LoopHone
let compute: ScriptedCompute
let folder: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hone-stalled-'))
  judges = await judgeServers()
  const trainable = {
    id: trainableModel,
    context_window: 2048,
    max_output_tokens: 1,
    routes: [{ engine: 'embedded', pricing: { input: 0.1, output: 0.4 } }],
  }
  hone = await loopHone({ clock, tasks: [], catalog: { models: [trainable, ...judges.rows] } })
  hone.app.learning.compute = compute = new ScriptedCompute(await trained(folder))
})
after(async () => {
  await hone.stop()
  await judges.close()
  await rm(folder, { recursive: true, force: true })
})

const inHone = (statement: string) => inDatabase(hone.databaseUrl, statement)

test('a test that stalls for a day is neither trained nor charged again, and goes on once its cause is gone', async () => {
  const settings = { judge_model: { id: judgeModels.first } }
  const { id } = await started(hone, await readyPipeline(hone, 'Stalled', { settings }))
  const walked = (until: (attempt: Attempt) => boolean, stepMs = 5000) =>
    walkAttempt(hone, id, { clock, until, stepMs })
  const trainings = () =>
    inHone(`select amount::text from ledger_entry where kind = 'training' order by seq`)

  await inHone(`create function no_reading() returns trigger language plpgsql as
    $$ begin raise exception 'no reading is written'; end $$;
    create trigger no_reading before insert on test_reading execute function no_reading()`)
  await walked(({ phase }) => phase === 'scoring')
  const { adapter } = (await readRow(hone.app.storage.db, id))!
  const [charged, held] = [await trainings(), (await wallet(hone)).held]
  assert.equal(charged.length, 1)
  const since = clock.now().getTime()
  const asked = judges.calls.length
  const { explanation } = await walked(
    () => clock.now().getTime() - since > 24 * hourMs,
    hourMs / 4,
  )
  assert.match(explanation.headline, /its test cannot go on/)
  assert.ok(judges.calls.length > asked, 'it was tried meanwhile')

  await inHone('drop function no_reading cascade')
  const { result, verdict } = await walked((attempt) => attempt.result !== 'running', hourMs)
  assert.deepEqual([result, verdict?.scored], ['not_better', 100])
  assert.notEqual(adapter, null)
  assert.equal((await readRow(hone.app.storage.db, id))!.adapter, adapter)
  assert.equal(compute.taken.length, 1)
  assert.deepEqual(await trainings(), charged)
  assert.notEqual(held, '0', 'for the test')
  assert.equal((await wallet(hone)).held, '0')
})
