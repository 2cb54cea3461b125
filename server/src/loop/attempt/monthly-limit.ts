// The monthly safety limit. Spec 2, limits: per pipeline and month, in UTC, 30 times the most that one attempt may cost. Pure.
import type { Picodollars } from '../../lib/money.ts'
import { startOfMonth } from '../test/judge/scoring-cap.ts'

const attemptsPerMonth = 30n

export type MonthFacts = {
  /** What the attempts of the pipeline cost in the month of `now`, with what is still reserved for them. */
  spent: Picodollars
  /** The most that one more may cost. */
  most: Picodollars
  now: Date
}

/** When the next month begins, where one more attempt could exceed the limit of this one; null where it could not. */
export function limitedUntil({ spent, most, now }: MonthFacts): Date | null {
  return spent + most > attemptsPerMonth * most ? startOfMonth(now, 1) : null
}
