// How often a model that is no better than the live one goes live under a promotion policy. Pure.
import type { EvidenceChoice, PromotionPolicy } from '#contract/pipeline-settings.ts'
import { evidenceFor } from './evidence.ts'
import { normalTail } from './normal.ts'
import { shown } from './shown.ts'
import { benchmarkWeight, type Policy, weightedChangeAbove } from './policy.ts'

/** In a test of 100 samples half of which are decided: wins are whole, so that 5% are hardly ever reached. */
const reachedOfLevel = 0.76
const usualError = 0.0707

type Measured = {
  /** The chance that the held-back test calls an equal model better. */
  heldBack: number
  /** Of the gain of the held-back test. */
  error: number
  /** How many are attached. */
  benchmarks: number
}

/** For a pipeline, before any test: with a held-back test and benchmarks of 100 samples. */
export function promotionChance(
  { evidence, ...policy }: Policy & { evidence: EvidenceChoice },
  benchmarks: number,
): number {
  const heldBack = reachedOfLevel * evidenceFor(evidence, 1).chanceMost
  return shown(chanceOfPolicy(policy, { heldBack, error: usualError, benchmarks }))
}

/** The measurements are taken to be independent of each other, as their conversations are. */
export function chanceOfPolicy({ policy, k }: Policy, measured: Measured): number {
  return chances[policy](measured, k)
}

const benchmarkChance = reachedOfLevel * evidenceFor('each', 1).chanceMost

const chances: Record<PromotionPolicy, (measured: Measured, k: number | null) => number> = {
  holdout: ({ heldBack }) => heldBack,
  // Nothing goes live on its own.
  manual: () => 0,
  all: ({ heldBack, benchmarks }) => heldBack * benchmarkChance ** benchmarks,
  // An equal model does not get worse in half of all tests.
  primary: ({ benchmarks }) => (benchmarks === 0 ? 0 : benchmarkChance / 2),
  k_of_n: (measured, k) => chanceOfImproved(measured, k ?? 1),
  // Both have to come true, which happens at most as often as the rarer one.
  weighted: (measured) => {
    const weights = [
      1,
      ...Array.from({ length: measured.benchmarks }, (_, at) => benchmarkWeight(at)),
    ]
    const errors = weights.map((weight, at) => weight * (at === 0 ? measured.error : usualError))
    const error = Math.hypot(...errors) / weights.reduce((sum, weight) => sum + weight, 0)
    const byChange = error === 0 ? 0 : normalTail(weightedChangeAbove / error)
    return Math.min(byChange, chanceOfImproved(measured, 1))
  },
}

/** That at least so many improve. */
function chanceOfImproved({ heldBack, benchmarks }: Measured, least: number): number {
  const single = [heldBack, ...Array.from({ length: benchmarks }, () => benchmarkChance)]
  // By how many have improved so far.
  let exactly = [1]
  for (const chance of single) {
    exactly = [...exactly, 0].map(
      (same, count) => same * (1 - chance) + (exactly[count - 1] ?? 0) * chance,
    )
  }
  return exactly.slice(least).reduce((sum, one) => sum + one, 0)
}
