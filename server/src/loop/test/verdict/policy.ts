// Whether a training is better under the promotion policy of its pipeline, and whether a rebuild is clearly worse. Pure.
import type { PromotionPolicy } from '#contract/pipeline-settings.ts'
import type { Verdict, VerdictOutcome } from '#contract/verdict.ts'
import { atLeast, isAbove } from './at-least.ts'
import { eachTest } from './evidence.ts'
import { comparisonChecks, scoredLeast } from './verdict-of-counts.ts'

/** Null where it was not measured. */
export type BenchmarkMeasurement = { improved: boolean; change: number } | null

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

export const weightedChangeAbove = 0.05
const clearFall = 0.05

const rules: Record<PromotionPolicy, Rule> = {
  holdout: ({ heldBack }) => heldBack.outcome,
  // Manual says who promotes, not what is better.
  manual: ({ heldBack }) => heldBack.outcome,
  all: ({ heldBack, benchmarks }) => all([heldBack.outcome, ...benchmarks.map(outcomeOfBenchmark)]),
  // Without a benchmark this policy is refused, so that only a benchmark removed since then is missing here.
  primary: ({ heldBack, benchmarks: [main = null] }) =>
    all([outcomeOfBenchmark(main), notWorseOutcome(heldBack)]),
  // A k above 0 is required with this policy when a pipeline is saved.
  k_of_n: ({ heldBack, benchmarks }, k) => {
    const wanted = k ?? 1
    const outcomes = [heldBack.outcome, ...benchmarks.map(outcomeOfBenchmark)]
    const count = (outcome: VerdictOutcome) => outcomes.filter((one) => one === outcome).length
    if (count('better') >= wanted) return 'better'
    return count('better') + count('inconclusive') >= wanted ? 'inconclusive' : 'not_better'
  },
  weighted: ({ heldBack, benchmarks }) => {
    const measured = benchmarks.filter((benchmark) => benchmark !== null)
    const isOpen = heldBack.outcome === 'inconclusive' || measured.length < benchmarks.length
    if (isOpen || heldBack.gain === null) return 'inconclusive'
    const change = weightedMean([
      { change: heldBack.gain, weight: 1 },
      ...measured.map(({ change }, index) => ({ change, weight: benchmarkWeight(index) })),
    ])
    const anyImproved = heldBack.outcome === 'better' || measured.some(({ improved }) => improved)
    return anyImproved && isAbove(change, weightedChangeAbove) ? 'better' : 'not_better'
  },
}

function outcomeOfBenchmark(benchmark: BenchmarkMeasurement): VerdictOutcome {
  if (benchmark === null) return 'inconclusive'
  return benchmark.improved ? 'better' : 'not_better'
}

/** One that is not met decides, whatever an open one would have said. */
function all(outcomes: readonly VerdictOutcome[]): VerdictOutcome {
  if (outcomes.includes('not_better')) return 'not_better'
  return outcomes.includes('inconclusive') ? 'inconclusive' : 'better'
}

function notWorseOutcome(heldBack: Verdict): VerdictOutcome {
  if (heldBack.outcome === 'inconclusive') return 'inconclusive'
  return isNotWorse(heldBack) ? 'better' : 'not_better'
}

/** From 0, the main one. */
export function benchmarkWeight(index: number): number {
  return 1 / (index + 1)
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
  const turned = {
    wins: losses,
    losses: wins,
    gain: -gain,
    liveScore: score,
    standardError: standard_error,
  }
  return comparisonChecks(turned, eachTest).every(({ passed }) => passed)
}

/**
 * A rebuild that is clearly worse does not go live without a member. Spec 2, promotion policies: one whose test could
 * score nothing is not worse, unless it was asked and gave no answer at all.
 */
export function isClearlyWorse(heldBack: Verdict, rebuild: { gaveNoAnswer: boolean }): boolean {
  return rebuild.gaveNoAnswer || isClearlyLower(heldBack) || isLiveBetter(heldBack)
}

/** The mean of few samples falls by luck. */
function isClearlyLower({ scored, gain, standard_error: error }: Verdict): boolean {
  if (scored < scoredLeast || gain === null || error === null) return false
  return isAbove(-gain, clearFall) && isAbove(-gain, eachTest.errorsLeast * error)
}
