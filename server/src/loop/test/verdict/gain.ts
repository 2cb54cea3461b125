// The mean change of the score from the live model to the new one, how sure it is, and how large it must be. Pure.
import { eachTest } from './evidence.ts'
import type { TestCounts } from './test-counts.ts'

/** Nulls where too few samples were scored to say. */
export type Gain = {
  score: number | null
  liveScore: number | null
  gain: number | null
  standardError: number | null
}

export function gainOf(counts: TestCounts): Gain {
  const { scored, questions, scoreSum, liveScoreSum, squaresAroundMean } = counts
  if (scored === 0) return { score: null, liveScore: null, gain: null, standardError: null }
  const change = scoreSum - liveScoreSum
  return {
    score: scoreSum / scored,
    liveScore: liveScoreSum / scored,
    gain: change / scored,
    // Clustered by question. Where each question has one sample, this is the usual error of a mean.
    standardError:
      questions > 1 ? Math.sqrt((questions / (questions - 1)) * squaresAroundMean) / scored : null,
  }
}

/** Of 90%. */
export function intervalOf({ gain, standardError }: Gain): [number, number] | null {
  if (gain === null || standardError === null) return null
  const margin = eachTest.errorsLeast * standardError
  return [Math.max(-1, gain - margin), Math.min(1, gain + margin)]
}

export type GainFloor = { least: number; because: 'step' | 'headroom' | 'noise' | 'minimum' }

/** The gain that is needed over `otherScore`, of which `error` may be luck. Spec 2, held-back test, rule 3. */
export function gainFloor(otherScore: number, error: number): GainFloor {
  const headroom = (1 - otherScore) / 4
  const floors: GainFloor[] = [
    headroom < 0.05 ? { least: headroom, because: 'headroom' } : { least: 0.05, because: 'step' },
    { least: error, because: 'noise' },
    { least: 0.01, because: 'minimum' },
  ]
  return floors.reduce((largest, floor) => (floor.least > largest.least ? floor : largest))
}
