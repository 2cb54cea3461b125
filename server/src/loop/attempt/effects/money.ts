// Reserves funds before a training or a test, and charges afterwards what it came to.
import type { App } from '../../../app.ts'
import type { Picodollars } from '../../../lib/money.ts'
import {
  chargeReservation,
  releaseReservation,
  type ReservationOf,
  reserveFunds,
} from '../../../wallet/reserve.ts'
import { sumTestCosts } from '../../test/test-store.ts'
import type { AttemptRow } from '../attempt.ts'
import { testFundsOf, trainingFundsOf } from '../reservations.ts'
import { chargedSeconds, mostItCosts, priceOf } from '../training-of.ts'
import type { Done } from './effect.ts'

/** The most that the training can cost. */
export async function reserveTraining(app: App, attempt: AttemptRow): Promise<Done | void> {
  const { state } = attempt
  if (state.phase !== 'preparing' && state.phase !== 'waiting_for_funds') return
  const funds = await reserve(app, attempt, trainingFundsOf(attempt), mostItCosts(attempt))
  return { changes: { state: { ...state, funds } } }
}

/** The most that the test can cost. */
export async function reserveTest(app: App, attempt: AttemptRow): Promise<Done | void> {
  const { state, test } = attempt
  if (state.phase !== 'starting_machine' && state.phase !== 'waiting_for_funds') return
  const funds = await reserve(app, attempt, testFundsOf(attempt), BigInt(test?.most ?? 0))
  return { changes: { state: { ...state, funds } } }
}

/** Or says what the wallet lacks. */
async function reserve(
  app: App,
  { org_id: orgId, workspace_id: workspaceId }: AttemptRow,
  of: ReservationOf,
  amount: Picodollars,
): Promise<{ asked_at: string; missing: string }> {
  // What has no price needs no funds.
  const result =
    amount === 0n ? 'reserved' : await reserveFunds(app, { ...of, orgId, workspaceId, amount })
  if (result === 'ended') throw new Error(`the ${of.purpose} of ${of.reference} was charged before`)
  const missing = result === 'reserved' ? '0' : result.short.toString()
  return { asked_at: app.clock.now().toISOString(), missing }
}

/** For the seconds of training, where they are charged for; the rest of what was reserved is released. */
export async function chargeTraining(app: App, attempt: AttemptRow): Promise<void> {
  const funds = trainingFundsOf(attempt)
  // It goes on to its test once this is paid.
  const isCharged = attempt.state.closing?.charge ?? true
  if (!isCharged) return releaseReservation(app, funds)
  const status = await app.learning.compute.status(attempt.id)
  const seconds = status.state === 'ended' ? chargedSeconds(status.outcome.seconds) : 0
  const detail = { attempt_id: attempt.id, rule_id: attempt.pipeline_id, seconds }
  await chargeReservation(app, { ...funds, amount: priceOf(attempt, seconds), detail })
}

/**
 * For the answers and readings of the test as one sum; the rest is released. Of what was stopped, only the GPU time is charged (spec 2,
 * moves of an attempt).
 */
export async function chargeTest(app: App, attempt: AttemptRow): Promise<void> {
  const funds = testFundsOf(attempt)
  if (attempt.state.closing?.result === 'stopped') return releaseReservation(app, funds)
  const { cost, readings } = await sumTestCosts(app.storage.db, attempt)
  const most = BigInt(attempt.test?.most ?? 0)
  const detail = { attempt_id: attempt.id, rule_id: attempt.pipeline_id, readings }
  // What costs more than could be foreseen is not the customer's to pay.
  const amount = cost < most ? cost : most
  await chargeReservation(app, { ...funds, amount, detail })
}
