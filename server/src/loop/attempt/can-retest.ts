// Whether the test of an attempt can be run once more: readings are missing that the judge can still give. Pure.
import type { Picodollars } from '../../lib/money.ts'
import { isWorthTesting } from '../test/verdict/verdict-of-counts.ts'
import type { AttemptRow } from './attempt.ts'

type Tested = Pick<AttemptRow, 'result' | 'adapter' | 'retested_at' | 'test' | 'verdict'>

/** `charged`: for its test, which together with a second one costs at most what the first was allowed. */
export function canRetest(attempt: Tested, charged: Picodollars): boolean {
  const { result, adapter, retested_at, test, verdict } = attempt
  if (result !== 'inconclusive' || adapter === null || retested_at !== null) return false
  if (test !== null && charged > 0n && charged >= BigInt(test.most)) return false
  // Without a verdict, its scoring key was lost, or too few samples were left.
  if (verdict === null) return test === null || isWorthTesting(test.asked)
  return verdict.unscored.some(({ reason }) => reason === 'judge_failed')
}
