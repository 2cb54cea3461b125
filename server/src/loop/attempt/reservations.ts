// What an attempt reserves funds for: one reservation each, whatever is tried again.
import type { ReservationOf } from '../../wallet/reserve.ts'
import type { AttemptRow } from './attempt.ts'

export function trainingFundsOf({ id }: { id: string }): ReservationOf {
  return { purpose: 'training', reference: id }
}

/** Whatever became of it. */
export function allFundsOf({ id }: { id: string }): ReservationOf[] {
  const purposes = ['training', 'scoring', 'retest'] as const
  return purposes.map((purpose) => ({ purpose, reference: id }))
}

/** Of the test under way: a second one is paid for by itself. */
export function testFundsOf({
  id,
  retested_at,
}: Pick<AttemptRow, 'id' | 'retested_at'>): ReservationOf {
  return { purpose: retested_at === null ? 'scoring' : 'retest', reference: id }
}
