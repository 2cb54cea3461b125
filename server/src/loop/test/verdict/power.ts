// The smallest gain that a test of so many samples shows: what a person can hope to see. Pure.
import { atLeast } from './at-least.ts'
import { eachTest } from './evidence.ts'
import { gainFloor } from './gain.ts'

/** A normal variable stays above its mean less this many deviations four times of five. */
const fourOfFive = 0.8416

/**
 * The gain in pass rate over `liveRate` that the rules call better four times of five, in steps of 0.1 points; null where
 * even passing every sample would be seen less often.
 *
 * The two models pass each sample independently, at their rates. The share of samples that only one of them passes is then
 * `decided`, and the gain that is measured is about normal with the variance decided - gain². It has to reach the largest
 * of the floors of the gain, of 55% of the decided ones, and of the sign test, which wants as many deviations of fair tosses
 * and one sample more, because wins are whole.
 */
export function smallestGainVisible(
  scored: number,
  liveRate: number,
  { errorsLeast } = eachTest,
): number | null {
  for (let step = 1; atLeast(1 - liveRate, step / 1000); step++) {
    const gain = step / 1000
    const rate = liveRate + gain
    const decided = rate * (1 - liveRate) + liveRate * (1 - rate)
    const standardError = Math.sqrt((decided - gain ** 2) / scored)
    const bySignTest = errorsLeast * Math.sqrt(decided / scored) + 1 / scored
    const floor = gainFloor(liveRate, errorsLeast * standardError).least
    const needed = Math.max(floor, 0.1 * decided, bySignTest)
    if (gain >= needed + fourOfFive * standardError) return gain
  }
  return null
}
