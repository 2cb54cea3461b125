// Whether a training is better under the promotion policy of its pipeline, and whether a rebuild is clearly worse. Pure.
import type { PromotionPolicy } from '#contract/pipeline-settings.ts'
import type { Verdict, VerdictOutcome } from '#contract/verdict.ts'
import { atLeast, isAbove } from './at-least.ts'
import { comparisonChecks } from './verdict-of-counts.ts'

export type BenchmarkMeasurement = { improved: boolean; change: number }

export type Measurements = {
  heldBack: Verdict
  /** In the order of the pipeline: the first is the main one. */
  benchmarks: readonly BenchmarkMeasurement[]
}

export type Policy = { policy: PromotionPolicy; k: number | null }
type Rule = (measurements: Measurements, k: number | null) => VerdictOutcome

/**
 * Spec 2, promotion policies. Where the held-back test is inconclusive, so is the training, unless the benchmarks alone
 * decide: a policy that is not met, whatever the test would have said, is not_better.
 */
export function isBetter({ policy, k }: Policy, measurements: Measurements): VerdictOutcome {
  return rules[policy](measurements, k)
}

const weightedChangeAbove = 0.05
const clearFall = 0.05

const rules: Record<PromotionPolicy, Rule> = {
  holdout: ({ heldBack }) => heldBack.outcome,
  // Manual says who promotes, not what is better.
  manual: ({ heldBack }) => heldBack.outcome,
  all: ({ heldBack, benchmarks }) =>
    benchmarks.every(({ improved }) => improved) ? heldBack.outcome : 'not_better',
  primary: ({ heldBack, benchmarks: [main] }) => {
    // Without a benchmark this policy is refused, so that only a benchmark removed since then is missing here.
    if (!main) return 'inconclusive'
    if (!main.improved) return 'not_better'
    if (heldBack.outcome === 'inconclusive') return 'inconclusive'
    return isNotWorse(heldBack) ? 'better' : 'not_better'
  },
  // A k above 0 is required with this policy when a pipeline is saved.
  k_of_n: ({ heldBack, benchmarks }, k) => {
    const wanted = k ?? 1
    const improved =
      benchmarks.filter((benchmark) => benchmark.improved).length +
      (heldBack.outcome === 'better' ? 1 : 0)
    if (improved >= wanted) return 'better'
    return heldBack.outcome === 'inconclusive' && improved + 1 >= wanted
      ? 'inconclusive'
      : 'not_better'
  },
  weighted: ({ heldBack, benchmarks }) => {
    if (heldBack.outcome === 'inconclusive' || heldBack.gain === null) return 'inconclusive'
    const change = weightedMean([
      { change: heldBack.gain, weight: 1 },
      ...benchmarks.map(({ change }, index) => ({ change, weight: 1 / (index + 1) })),
    ])
    const anyImproved = heldBack.outcome === 'better' || benchmarks.some(({ improved }) => improved)
    return anyImproved && isAbove(change, weightedChangeAbove) ? 'better' : 'not_better'
  },
}

function weightedMean(changes: readonly { change: number; weight: number }[]): number {
  const weights = changes.reduce((sum, { weight }) => sum + weight, 0)
  return changes.reduce((sum, { change, weight }) => sum + change * weight, 0) / weights
}

/** A mean change of at least 0 leaves the live model no gain, so that by rule 3 it cannot be the better one. */
function isNotWorse({ gain }: Verdict): boolean {
  return gain !== null && atLeast(gain, 0)
}

/** Rule 3 with the roles changed. */
function isLiveBetter({ wins, losses, gain, score, standard_error }: Verdict): boolean {
  if (gain === null) return false
  return comparisonChecks({
    wins: losses,
    losses: wins,
    gain: -gain,
    liveScore: score,
    standardError: standard_error,
  }).every(({ passed }) => passed)
}

/**
 * A rebuild that is clearly worse does not go live without a member. Spec 2, promotion policies: one whose test could
 * score nothing is not worse, unless it was asked and gave no answer at all.
 */
export function isClearlyWorse(heldBack: Verdict, rebuild: { gaveNoAnswer: boolean }): boolean {
  const { gain } = heldBack
  if (rebuild.gaveNoAnswer) return true
  return gain !== null && (isAbove(-gain, clearFall) || isLiveBetter(heldBack))
}
