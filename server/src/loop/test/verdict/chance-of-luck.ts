// How often tests would have called a model better that is equal to the live one. Pure.
import type { Verdict } from '#contract/verdict.ts'
import { normalDensity, normalQuantile, normalTail } from './normal.ts'
import { chanceOfWins } from './sign-test.ts'
import { winPercentLeast } from './verdict-of-counts.ts'

type Tested = Pick<Verdict, 'outcome' | 'checks' | 'wins' | 'losses' | 'standard_error'>

/** By one test, if as many questions had been decided and the changes had varied as they did. */
export function chanceOfLuck(verdict: Tested): number {
  const { outcome, checks, wins, losses, standard_error: error } = verdict
  if (outcome === 'inconclusive') return 0
  const required = (rule: string): number => checks.find((one) => one.rule === rule)!.required
  const byGain = error ? normalTail(required('gain') / error) : 1
  return Math.min(byGain, levelReached(wins + losses, required('chance')))
}

/** Wins are whole, so that the sign test mostly stays below its level; and they must be 55%. */
function levelReached(decided: number, chanceMost: number): number {
  for (let wins = Math.ceil((winPercentLeast * decided) / 100); wins <= decided; wins++) {
    const chance = chanceOfWins(wins, decided)
    if (chance <= chanceMost) return chance
  }
  return 0
}

/**
 * By at least one of several tests on one set, with these chances. They share the luck of the live answers, which make half of the
 * variance of each change, so that any two changes have a correlation of a half. The integral is over what they share.
 */
export function chanceOfAny(chances: readonly number[]): number {
  const limits = chances.filter((chance) => chance > 0).map(normalQuantile)
  const step = 1 / 16
  let none = 0
  for (let shared = -8; shared <= 8; shared += step) {
    const below = limits.map((limit) => 1 - normalTail(Math.SQRT2 * limit - shared))
    none += below.reduce((product, one) => product * one, normalDensity(shared) * step)
  }
  return 1 - none
}
