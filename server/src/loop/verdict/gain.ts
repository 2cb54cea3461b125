// The mean change of the score from the live model to the new one, how sure it is, and how large it must be. Pure.
import type { TestCounts } from './test-counts.ts'

/** Nulls where too few samples were scored to say. */
export type Gain = {
  score: number | null
  liveScore: number | null
  gain: number | null
  standardError: number | null
}

/** One-sided 1 in 20, and the 90% interval. Spec 2, held-back test, rule 3. */
export const standardErrors = 1.645

export function gainOf(counts: Omit<TestCounts, 'unscored' | 'missing'>): Gain {
  const { scored, scoreSum, liveScoreSum, squaredChangeSum } = counts
  if (scored === 0) return { score: null, liveScore: null, gain: null, standardError: null }
  const change = scoreSum - liveScoreSum
  const squaresAroundMean = Math.max(0, squaredChangeSum - change ** 2 / scored)
  return {
    score: scoreSum / scored,
    liveScore: liveScoreSum / scored,
    gain: change / scored,
    standardError: scored > 1 ? Math.sqrt(squaresAroundMean / (scored - 1) / scored) : null,
  }
}

export function intervalOf({ gain, standardError }: Gain): [number, number] | null {
  if (gain === null || standardError === null) return null
  const margin = standardErrors * standardError
  return [Math.max(-1, gain - margin), Math.min(1, gain + margin)]
}

export type GainFloor = { least: number; because: 'step' | 'headroom' | 'noise' | 'minimum' }

/** The gain that is needed over `otherScore`. Spec 2, held-back test, rule 3. */
export function gainFloor(otherScore: number, standardError: number): GainFloor {
  const headroom = (1 - otherScore) / 4
  const floors: GainFloor[] = [
    headroom < 0.05 ? { least: headroom, because: 'headroom' } : { least: 0.05, because: 'step' },
    { least: standardErrors * standardError, because: 'noise' },
    { least: 0.01, because: 'minimum' },
  ]
  return floors.reduce((largest, floor) => (floor.least > largest.least ? floor : largest))
}
