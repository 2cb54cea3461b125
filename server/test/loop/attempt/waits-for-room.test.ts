// An attempt whose workspace runs as many deployments as it may waits with its test until one is stopped.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Attempt } from '#contract/attempt.ts'
import { newId } from '#server/lib/id.ts'
import { keepAttempt } from '#test/support/attempt-rows.ts'
import { deployment, storeAdapter } from '#test/support/deployments.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { firstWorkspace } from '#test/support/new-samples.ts'
import { ScriptedCompute } from '#test/support/scripted-compute.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const clock = new ManualClock()
let hone: LoopHone
let workspace_id: string
let adapter: string
before(async () => {
  hone = await loopHone({ clock, tasks: [] })
  hone.app.learning.compute = new ScriptedCompute(null)
  const file = JSON.parse(await readFile(hone.catalogFile, 'utf8')) as object
  await writeFile(hone.catalogFile, JSON.stringify({ ...file, limits: { running_deployments: 1 } }))
  await hone.app.catalog.reload()
  workspace_id = (await firstWorkspace(hone)).id
  adapter = await storeAdapter(hone)
  await deployment(hone, { workspace_id, name: 'one-that-runs' })
})
after(() => hone.stop())

const serve = (status: string) =>
  inDatabase(
    hone.databaseUrl,
    `update deployment set status = '${status}' where name = 'one-that-runs'`,
  )

/** It has trained, and its test is fixed and paid for. */
async function waiting(name: string): Promise<Attempt> {
  const { rule_id } = await hone.pipeline(name)
  const { id } = await keepAttempt(hone, rule_id, {
    id: newId(clock.now()),
    state: {
      phase: 'starting_machine',
      funds: { asked_at: clock.now().toISOString(), missing: '0' },
    },
    adapter,
    test: {
      candidate: 'candidate',
      live: 'live',
      compared_with: null,
      judge: 'hone/judge-basic',
      rubric: null,
      asked: 100,
      missing: 0,
      left_out: 0,
      limited_by: 'attempt',
      most: '0',
    },
    wake_at: clock.now(),
  })
  return walkAttempt(hone, id, { clock, until: ({ phase }) => phase !== 'starting_machine' })
}

test('it goes on once a deployment is stopped', async () => {
  const { id, phase, explanation } = await waiting('Waiting')
  assert.equal(phase, 'waiting_for_room')
  assert.match(explanation.next ?? '', /^Stop a deployment/)
  await serve('stopped')
  const moved = ({ moves }: Attempt) => moves.some(({ to }) => to === 'answering')
  await walkAttempt(hone, id, { clock, until: moved, stepMs: 60_000 })
  await serve('serving')
})

test('a member stops it while it waits', async () => {
  const { id, phase } = await waiting('Cancelled')
  assert.equal(phase, 'waiting_for_room')
  const path = `/api/loop/training-runs/${id}/cancel`
  const answer = await hone.call('POST', path, { key: hone.owner.key })
  assert.equal(answer.status, 200, answer.text)
  const over = ({ result }: Attempt) => result !== 'running'
  const { result } = await walkAttempt(hone, id, { clock, until: over })
  assert.equal(result, 'stopped')
})
