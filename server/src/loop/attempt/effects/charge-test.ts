// Charges for the answers and readings of the test as one sum, and releases the rest of what was reserved. Of what was stopped, only the
// GPU time is charged. Spec 2, moves of an attempt.
import type { App } from '../../../app.ts'
import { chargeReservation, releaseReservation } from '../../../wallet/reserve.ts'
import type { AttemptRow } from '../attempt.ts'
import { sumTestCosts } from '../../test/test-store.ts'
import { testFundsOf } from '../test-of.ts'

export async function chargeTest(app: App, attempt: AttemptRow): Promise<void> {
  const funds = testFundsOf(attempt)
  if (attempt.state.closing?.result === 'stopped') return releaseReservation(app, funds)
  const { cost, readings } = await sumTestCosts(app.storage.db, attempt.id)
  const most = BigInt(attempt.test?.most ?? 0)
  const detail = { attempt_id: attempt.id, rule_id: attempt.pipeline_id, readings }
  // What costs more than could be foreseen is not the customer's to pay.
  const amount = cost < most ? cost : most
  await chargeReservation(app, { ...funds, amount, detail })
}
