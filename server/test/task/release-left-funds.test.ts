// What is still reserved for an attempt minutes after its end is free again, without a charge.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { testFundsOf, trainingFundsOf } from '#server/loop/attempt/reservations.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { releaseLeftFunds } from '#server/task/release-left-funds.ts'
import { readReservation, reserveFunds } from '#server/wallet/reserve.ts'
import { endedAs, keepAttempt } from '#test/support/attempt-rows.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone({ tasks: [] })
})
after(() => hone.stop())

const minutesAgo = (minutes: number) => new Date(hone.app.clock.now().getTime() - minutes * 60_000)

test('funds of attempts that ended minutes ago are released, of training and test, and no others', async () => {
  const attempts: AttemptRow[] = []
  for (const [name, change] of Object.entries({
    'Ended long ago': { ...endedAs('not_tested'), ended_at: minutesAgo(11) },
    'To be reviewed': { ...endedAs('waiting_for_review'), ended_at: minutesAgo(11) },
    'Just ended': { ...endedAs('stopped'), ended_at: minutesAgo(1) },
    Running: {},
  })) {
    const { rule_id } = await hone.pipeline(name)
    const attempt = await keepAttempt(hone, rule_id, { id: newId(new Date()), ...change })
    attempts.push(attempt)
    const { id: reference, org_id: orgId, workspace_id: workspaceId } = attempt
    for (const purpose of ['training', 'scoring', 'retest', 'serving'] as const) {
      const of = { purpose, reference, orgId, workspaceId, amount: 1n }
      assert.equal(await reserveFunds(hone.app, of), 'reserved')
    }
  }
  await releaseLeftFunds.run(hone.app)
  const found: string[][] = []
  for (const { id } of attempts) {
    const serving = { purpose: 'serving', reference: id } as const
    const test = testFundsOf({ id, retested_at: null })
    const retest = testFundsOf({ id, retested_at: new Date() })
    const all = [trainingFundsOf({ id }), test, retest, serving]
    found.push(await Promise.all(all.map((of) => readReservation(hone.app, of))))
  }
  const [released, kept] = [
    ['ended', 'ended', 'ended', 'open'],
    ['open', 'open', 'open', 'open'],
  ]
  assert.deepEqual(found, [released, released, kept, kept])
  const charged = await hone.app.storage.db
    .selectFrom('reservation')
    .select('id')
    .where('charged', '<>', '0')
    .execute()
  assert.deepEqual(charged, [])
})
