// What an attempt needs of its pipeline's scoring key before it starts: a key that can be used, and money left this month.
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Pipeline } from '#contract/pipeline.ts'
import { newId } from '#server/lib/id.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import type { TestPlan } from '#server/loop/test/tested-attempt.ts'
import { ending } from '#server/loop/attempt/ending.ts'
import { findNewest } from '#server/loop/attempt/attempt-store.ts'
import { readMonthCosts } from '#server/loop/attempt/month-costs.ts'
import { effects } from '#server/loop/attempt/effects.ts'
import { findScoringKey } from '#server/loop/test/judge/scoring-key.ts'
import { chargeReservation, readCharges, reserveFunds } from '#server/wallet/reserve.ts'
import { revokeKey } from '#test/support/accounts.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { readyPipeline, run, started } from '#test/support/attempts.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { walkAttempt } from '#test/support/walk-attempt.ts'

const clock = new ManualClock('2026-03-31T23:00:00.000Z')
const nextMonth = '2026-04-01T00:00:00.000Z'
let hone: LoopHone

before(async () => {
  hone = await loopHone({ clock, tasks: [], env: { HONE_SCORING_CAP_USD: '2.00' } })
})
after(() => hone.stop())

const keyOf = async (id: string) => {
  const key = await findScoringKey(hone.app.storage.db, id)
  assert.ok(key)
  return key
}

const refusalOf = ({ status, json }: Answer): unknown[] => [status, json.error?.code]

const startDue = (): Promise<void> => hone.background.starter.startDue(hone.app)

const newestOf = async (id: string) => findNewest(hone.app.storage.db, id)

/** As if the test of an attempt of the pipeline had cost this. */
async function charge(id: string, amount: bigint): Promise<void> {
  const { app } = hone
  const no = ((await newestOf(id))?.attempt_no ?? 0) + 1
  const row = await keepAttempt(hone, id, {
    id: newId(clock.now()),
    attempt_no: no,
    ...endedAs('failed'),
  })
  const of = { purpose: 'scoring' as const, reference: row.id }
  const reserving = { ...of, orgId: row.org_id, workspaceId: row.workspace_id, amount }
  assert.equal(await reserveFunds(app, reserving), 'reserved')
  await chargeReservation(app, { ...of, amount, detail: {} })
}

test('train now makes another key in place of a revoked one', async () => {
  const ready = await readyPipeline(hone, 'Renewed Desk')
  const first = await keyOf(ready.id)
  await revokeKey(hone, first.id)
  assert.deepEqual(await keyOf(ready.id), { id: first.id, usable: false })

  const answer = await run(hone, ready)
  assert.equal(answer.status, 201, answer.text)
  const renewed = await keyOf(ready.id)
  assert.ok(renewed.usable && renewed.id !== first.id)
  assert.deepEqual(refusalOf(await run(hone, ready)), [409, 'RUN_ACTIVE'])
  assert.deepEqual(await keyOf(ready.id), renewed)
})

test('train now that has too few samples has made another key all the same', async () => {
  const { rule_id: id } = await hone.pipeline('Few')
  const first = await keyOf(id)
  await revokeKey(hone, first.id)
  assert.deepEqual(refusalOf(await run(hone, { id, tag: 'few' })), [422, 'NOT_ENOUGH_SAMPLES'])
  const renewed = await keyOf(id)
  assert.ok(renewed.usable && renewed.id !== first.id)
})

test('a pipeline whose tests spent their limit starts no attempt until the month ends', async () => {
  const ready = await readyPipeline(hone, 'Capped Desk')
  const { rule_id: other } = await hone.pipeline('Uncapped')
  const { app } = hone
  await charge(ready.id, 200_000_000_000n)
  const { left, cappedUntil } = await readMonthCosts(app, ready.id)
  assert.deepEqual([left, cappedUntil], [1_800_000_000_000n, null])
  await charge(ready.id, 1_799_000_000_000n)

  // What is left pays for no test, so nothing trains.
  const path = `/api/loop/pipelines/${ready.id}`
  const { key } = hone.owner
  const blockedBy = async (): Promise<string> => {
    const { json } = await hone.call('POST', `${path}/run`, { key, body: { dry_run: true } })
    return (json as unknown as { plan: { blocked_by: string } }).plan.blocked_by
  }
  const read = async (): Promise<Pipeline> =>
    ((await hone.call('GET', path, { key })).json as unknown as { pipeline: Pipeline }).pipeline
  assert.equal(await blockedBy(), 'TEST_NOT_AFFORDABLE')
  assert.match((await read()).next_reason, /only 0\.001 USD more in this month, so nothing trains/)
  clock.forward(20 * 60_000)
  await startDue()
  assert.equal((await newestOf(ready.id))?.attempt_no, 2, 'it does not start by itself')
  const { id } = await started(hone, ready)
  const ended = await walkAttempt(hone, id, { clock, until: ({ result }) => result !== 'running' })
  const rows = await stat(join(hone.app.config.dataDir, 'rows'))
  assert.equal(rows.mode & 0o777, 0o700)
  assert.deepEqual(
    [ended.result, ended.error_code, ended.costs.total_usd, ended.train_rows],
    ['not_tested', 'TEST_NOT_AFFORDABLE', '0', 1050],
  )
  assert.match(ended.explanation.detail, /^The 90 samples .* USD more in this month/)
  await charge(ready.id, 1_000_000_000n)

  const refused = await run(hone, ready)
  assert.deepEqual(refusalOf(refused), [409, 'SCORING_CAPPED'])
  assert.equal((refused.json.error as unknown as Record<string, string>).resumes_at, nextMonth)
  assert.equal(refused.headers.get('x-should-retry'), 'false')
  assert.equal(await blockedBy(), 'SCORING_CAPPED')
  const shown = await read()
  assert.equal(shown.scoring_capped_until, nextMonth)
  assert.match(shown.next_reason, /no attempt starts before 2026-04-01 at 00:00 UTC\.$/)
  assert.equal((await readMonthCosts(app, other)).cappedUntil, null)

  clock.forward(30 * 60_000)
  await startDue()
  assert.equal((await newestOf(ready.id))?.attempt_no, 4)
  // The key that is revoked meanwhile is made anew by an attempt that starts by itself, too.
  const first = await keyOf(ready.id)
  await revokeKey(hone, first.id)
  clock.forward(30 * 60_000)
  await startDue()
  const newest = await newestOf(ready.id)
  assert.deepEqual([newest?.attempt_no, newest?.reason], [5, 'data'])
  const renewed = await keyOf(ready.id)
  assert.ok(renewed.usable && renewed.id !== first.id)
})

test('the answers and readings of a test that was stopped are not charged', async () => {
  const { rule_id: id } = await hone.pipeline('Stopped in its test')
  const { app } = hone
  const charges: string[] = []
  for (const [index, result] of (['inconclusive', 'stopped'] as const).entries()) {
    const row = await keepAttempt(hone, id, {
      id: newId(clock.now()),
      attempt_no: index + 1,
      ...endedAs('failed'),
    })
    const of = { purpose: 'scoring' as const, reference: row.id }
    const funds = { ...of, orgId: row.org_id, workspaceId: row.workspace_id, amount: 9n }
    assert.equal(await reserveFunds(app, funds), 'reserved')
    await inDatabase(
      hone.databaseUrl,
      `insert into test_answer (attempt_id, sample_id, side, cost)
        values ('${row.id}', '${row.id}', 'candidate', 7)`,
    )
    const test = { most: '9' } as TestPlan
    const closing = ending(result, 'so')
    const attempt: AttemptRow = { ...row, test, state: { phase: 'deciding', closing } }
    await effects['charge-test'](app, attempt, new AbortController().signal)
    const { scoring } = await readCharges(app, row.id)
    charges.push(`${result} ${scoring}`)
  }
  assert.deepEqual(charges, ['inconclusive 7', 'stopped 0'])
})
