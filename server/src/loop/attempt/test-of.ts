// What belongs to the test of an attempt: its funds, and its plan once that was fixed.
import type { ReservationOf } from '../../wallet/reserve.ts'
import type { AttemptRow, TestPlan } from './attempt.ts'

export function testFundsOf({ id }: AttemptRow): ReservationOf {
  return { purpose: 'scoring', reference: id }
}

export function plannedTest(attempt: AttemptRow): AttemptRow & { test: TestPlan } {
  const { test } = attempt
  if (test === null) throw new Error(`the test of ${attempt.id} has no plan`)
  return { ...attempt, test }
}
