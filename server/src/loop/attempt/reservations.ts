// What an attempt reserves funds for: one reservation each, whatever is tried again.
import type { ReservationOf } from '../../wallet/reserve.ts'

export function trainingFundsOf({ id }: { id: string }): ReservationOf {
  return { purpose: 'training', reference: id }
}

export function testFundsOf({ id }: { id: string }): ReservationOf {
  return { purpose: 'scoring', reference: id }
}
