// Charges for the seconds of training, where it is charged for, and releases the rest of what was reserved.
import type { App } from '../../../app.ts'
import { chargeReservation, releaseReservation } from '../../../wallet/reserve.ts'
import type { AttemptRow } from '../attempt.ts'
import { chargedSeconds, fundsOf, priceOf } from '../training-of.ts'

export async function chargeTraining(app: App, attempt: AttemptRow): Promise<void> {
  const funds = fundsOf(attempt)
  // It goes on to its test once this is paid.
  const isCharged = attempt.state.closing?.charge ?? true
  if (!isCharged) return releaseReservation(app, funds)
  const status = await app.learning.compute.status(attempt.id)
  const seconds = status.state === 'ended' ? chargedSeconds(status.outcome.seconds) : 0
  const detail = { attempt_id: attempt.id, rule_id: attempt.pipeline_id, seconds }
  await chargeReservation(app, { ...funds, amount: priceOf(attempt, seconds), detail })
}
