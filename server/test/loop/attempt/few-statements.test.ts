// What is looked at every second asks the database little.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { readAttempt } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptState } from '#server/loop/attempt/attempt.ts'
import { rowsFileOf, rowsFolderOf } from '#server/loop/attempt/training-of.ts'
import type { Db } from '#server/storage/open-storage.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { until } from '#test/support/until.ts'

const clock = new ManualClock()
const compute = new ScriptedCompute(null)
let hone: LoopHone
let db: Db
before(async () => {
  hone = await loopHone({ clock, tasks: [] })
  hone.app.learning.compute = compute
  db = hone.app.storage.db
  await mkdir(rowsFolderOf(hone.app), { recursive: true })
})
after(() => hone.stop())

async function statementsOfALook(name: string, state: AttemptState): Promise<number> {
  const { rule_id } = await hone.pipeline(name)
  const at = clock.now()
  const attempt = await keepAttempt(hone, rule_id, { id: newId(at), state, wake_at: at })
  await writeFile(rowsFileOf(hone.app, attempt), '')
  if (state.phase === 'training') await compute.train({ id: attempt.id } as never)
  let statements = 0
  const counting = db.withPlugin({
    transformQuery({ node }) {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const storage = { ...hone.app.storage, db: counting }
  await hone.background.walker.walkDue({ ...hone.app, storage })
  await until(async () => (await readAttempt(db, attempt.id))!.wake_at > at)
  return statements
}

test('a look at what trains or waits for the machine takes a claim and a sleep, and the rank of what waits', async () => {
  // Another claim finds no more that is due.
  const training = { phase: 'training', since: clock.now().toISOString() } as const
  assert.equal(await statementsOfALook('Trains', training), 3)
  assert.equal(await statementsOfALook('Waits', { phase: 'waiting_for_gpu' }), 4)
})
