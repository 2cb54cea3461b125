// What the attempts of a pipeline may cost in a month: 30 times the most that one may.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Pipeline } from '#contract/pipeline.ts'
import { newId } from '#server/lib/id.ts'
import { findNewest } from '#server/loop/attempt/attempt-store.ts'
import { limitedUntil } from '#server/loop/attempt/monthly-limit.ts'
import { readMonthCosts } from '#server/loop/attempt/month-costs.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { readyPipeline, run } from '#test/support/attempts.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'

const cases: [spent: bigint, most: bigint, now: string, until: string | null][] = [
  [0n, 10n, '2026-03-01T00:00:00.000Z', null],
  [290n, 10n, '2026-03-31T23:59:59.999Z', null],
  [291n, 10n, '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00.000Z'],
  [500n, 10n, '2026-12-05T08:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  // At a lower price than it was charged at.
  [291n, 9n, '2028-02-29T08:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  [0n, 0n, '2026-03-01T00:00:00.000Z', null],
]

for (const [spent, most, now, until] of cases) {
  test(`${spent} spent on ${now}, and ${most} for one more: ${until ?? 'it starts'}`, () => {
    const found = limitedUntil({ spent, most, now: new Date(now) })
    assert.equal(found?.toISOString() ?? null, until)
  })
}

const clock = new ManualClock('2026-03-31T22:00:00.000Z')
const nextMonth = '2026-04-01T00:00:00.000Z'
let hone: LoopHone
before(async () => {
  hone = await loopHone({ clock, tasks: [] })
})
after(() => hone.stop())

/** Of four hours of training at 0.60 USD and 25 USD of scoring, 29 times. */
const reached = 29n * 27_400_000_000_000n

test('it holds up the attempts of its pipeline until the month ends', async () => {
  const ready = await readyPipeline(hone, 'Limited Desk')
  const { id: attemptId, ...row } = await keepAttempt(hone, ready.id, {
    id: newId(clock.now()),
    ...endedAs('failed'),
  })
  // As if it had trained all month.
  const spend = (change: string) => inDatabase(hone.databaseUrl, change)
  await spend(
    `insert into reservation
      values ('${newId(clock.now())}', '${row.org_id}', '${row.workspace_id}', 'training',
        '${attemptId}', ${reached + 1n}, ${reached}, now(), '2026-03-31T21:00:00Z')`,
  )
  const { key } = hone.owner
  const path = `/api/loop/pipelines/${ready.id}`
  const blockedBy = async (): Promise<string | null> => {
    const { json } = await hone.call('POST', `${path}/run`, { key, body: { dry_run: true } })
    return (json as unknown as { plan: { blocked_by: string | null } }).plan.blocked_by
  }
  const why = async (): Promise<string> => {
    const { json } = await hone.call('GET', path, { key })
    return (json as unknown as { pipeline: Pipeline }).pipeline.next_reason
  }
  const newest = async (): Promise<number | undefined> =>
    (await findNewest(hone.app.storage.db, ready.id))?.attempt_no
  const startDue = (): Promise<void> => hone.background.starter.startDue(hone.app)

  assert.equal(await blockedBy(), null)
  await spend(`update reservation set charged = charged + 1 where reference = '${attemptId}'`)
  assert.equal(await blockedBy(), 'MONTHLY_LIMIT_REACHED')
  assert.match(await why(), /may cost in a month, so none starts before 2026-04-01 at 00:00 UTC\.$/)
  const refused = await run(hone, ready)
  const { code, resumes_at } = refused.json.error as unknown as Record<string, string>
  assert.deepEqual([refused.status, code, resumes_at], [409, 'MONTHLY_LIMIT_REACHED', nextMonth])
  const { rule_id: other } = await hone.pipeline('Unlimited')
  assert.equal((await readMonthCosts(hone.app, other)).spent, 0n)

  clock.forward(2 * 3_600_000 - 1)
  await startDue()
  assert.equal(await newest(), 1, 'it does not start by itself')
  clock.forward(1)
  await startDue()
  assert.equal(await newest(), 2)
})

test('what is reserved for an attempt counts before it is charged', async () => {
  const { rule_id: id } = await hone.pipeline('Reserving')
  const row = await keepAttempt(hone, id, { id: newId(clock.now()) })
  await inDatabase(
    hone.databaseUrl,
    `insert into reservation values ('${newId(clock.now())}', '${row.org_id}',
      '${row.workspace_id}', 'training', '${row.id}', 7, null, now(), null)`,
  )
  const { spent, left } = await readMonthCosts(hone.app, id)
  assert.deepEqual([spent, left], [7n, hone.app.config.scoringCap])
})
