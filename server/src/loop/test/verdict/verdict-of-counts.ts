// The rules that decide a held-back test. Spec 2, held-back test, rules 3 and 4. Pure.
import type { VerdictCheck, VerdictOutcome } from '#contract/verdict.ts'
import { atLeast } from './at-least.ts'
import { eachTest, type Evidence } from './evidence.ts'
import { gainFloor, gainOf, type Gain, type GainFloor } from './gain.ts'
import { chanceOfWins } from './sign-test.ts'
import type { TestCounts } from './test-counts.ts'

export type Check = Omit<VerdictCheck, 'sentence'>

const scoredWanted = 100
export const scoredLeast = 90
export const winPercentLeast = 55

/** Below this many held-back samples nothing is compared, and nothing is spent. */
export function isWorthTesting(samples: number): boolean {
  return samples >= scoredLeast
}

export type CountsVerdict = {
  outcome: VerdictOutcome
  checks: Check[]
  gain: Gain
  floor: GainFloor
}

export function verdictOfCounts(counts: TestCounts, evidence = eachTest): CountsVerdict {
  const gain = gainOf(counts)
  const coverage = coverageChecks(counts)
  const comparison = comparisonChecks(
    { ...gain, wins: counts.wins, losses: counts.losses },
    evidence,
  )
  return {
    outcome: outcomeOf(coverage, comparison),
    checks: [...coverage, ...comparison],
    gain,
    floor: floorOf(gain, evidence),
  }
}

function outcomeOf(coverage: readonly Check[], comparison: readonly Check[]): VerdictOutcome {
  if (!coverage.every(({ passed }) => passed)) return 'inconclusive'
  return comparison.every(({ passed }) => passed) ? 'better' : 'not_better'
}

/** Whether enough was scored to decide at all. */
function coverageChecks({ scored, unscored, missing, leftOut }: TestCounts): Check[] {
  const required = Math.max(scoredLeast, scoredWanted - unscored - missing - leftOut)
  return [
    { rule: 'scored', required, measured: scored, passed: scored >= required },
    {
      rule: 'failures',
      required: Math.floor(scored / 2),
      measured: unscored,
      passed: 2 * unscored <= scored,
    },
  ]
}

export type Comparison = Omit<Gain, 'score'> & { wins: number; losses: number }

/** Whether the one whose wins and gain these are is better than the other, whose score is `liveScore`. */
export function comparisonChecks(comparison: Comparison, evidence: Evidence): Check[] {
  const { wins, losses, gain } = comparison
  const decided = wins + losses
  const { least } = floorOf(comparison, evidence)
  const chance = chanceOfWins(wins, decided)
  return [
    {
      rule: 'wins',
      required: winPercentLeast / 100,
      measured: decided === 0 ? null : wins / decided,
      passed: decided > 0 && 100 * wins >= winPercentLeast * decided,
    },
    {
      rule: 'gain',
      required: least,
      measured: gain,
      passed: gain !== null && atLeast(gain, least),
    },
    {
      rule: 'chance',
      required: evidence.chanceMost,
      measured: chance,
      passed: chance <= evidence.chanceMost,
    },
  ]
}

/** Without any score the floor is that of a score of 0. */
function floorOf(
  { liveScore, standardError }: Omit<Gain, 'score'>,
  { errorsLeast }: Evidence,
): GainFloor {
  return gainFloor(liveScore ?? 0, errorsLeast * (standardError ?? 0))
}
