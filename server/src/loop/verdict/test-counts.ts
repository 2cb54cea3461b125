// The held-back samples of one test, counted and summed: all that the rules look at. Pure.
import type { UnscoredReason } from '#contract/verdict.ts'
import { readSample, type TestedSample } from './readings.ts'

export type TestCounts = {
  scored: number
  unscored: number
  missing: number
  wins: number
  losses: number
  /** Sums over the scored samples. */
  scoreSum: number
  liveScoreSum: number
  squaredChangeSum: number
}

export type CountedTest = TestCounts & { unscoredBy: ReadonlyMap<UnscoredReason, number> }

export function countTest(samples: Iterable<TestedSample>): CountedTest {
  const counts = {
    scored: 0,
    unscored: 0,
    missing: 0,
    wins: 0,
    losses: 0,
    scoreSum: 0,
    liveScoreSum: 0,
    squaredChangeSum: 0,
  }
  const unscoredBy = new Map<UnscoredReason, number>()
  for (const sample of samples) {
    const result = readSample(sample)
    switch (result.kind) {
      case 'missing':
        counts.missing += 1
        break
      case 'unscored':
        counts.unscored += 1
        unscoredBy.set(result.reason, (unscoredBy.get(result.reason) ?? 0) + 1)
        break
      case 'scored':
        counts.scored += 1
        if (result.outcome === 'win') counts.wins += 1
        if (result.outcome === 'loss') counts.losses += 1
        counts.scoreSum += result.score
        counts.liveScoreSum += result.liveScore
        counts.squaredChangeSum += (result.score - result.liveScore) ** 2
    }
  }
  return { ...counts, unscoredBy }
}
