// The share of the scored answers that pass, of both models. Spec 2, held-back test, rule 2. Pure.
import { atLeast } from './at-least.ts'
import { readSample, type TestedSample } from './readings.ts'

/** Null where nothing was scored. */
export type PassRates = { candidate: number; live: number } | null

export const passingScore = 0.7

export function passRates(samples: Iterable<TestedSample>): PassRates {
  let scored = 0
  let candidate = 0
  let live = 0
  for (const sample of samples) {
    const result = readSample(sample)
    if (result.kind !== 'scored') continue
    scored += 1
    if (atLeast(result.score, passingScore)) candidate += 1
    if (atLeast(result.liveScore, passingScore)) live += 1
  }
  return scored === 0 ? null : { candidate: candidate / scored, live: live / scored }
}
