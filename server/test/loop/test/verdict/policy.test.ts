// The promotion policies, each at its boundaries, and which rebuilds are clearly worse.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PromotionPolicy } from '#contract/pipeline-settings.ts'
import type { Verdict, VerdictOutcome } from '#contract/verdict.ts'
import { heldBackVerdict } from '#server/loop/test/verdict/held-back-verdict.ts'
import {
  isBetter,
  isClearlyWorse,
  type BenchmarkMeasurement,
} from '#server/loop/test/verdict/policy.ts'
import { testedSample, testedSamples, type OutcomeCounts } from '../../../support/tested-samples.ts'

const verdictOf = (counts: OutcomeCounts) => heldBackVerdict(testedSamples(counts), { testNo: 1 })

const better = verdictOf({ wins: 30, bothWrong: 70 })
const same = verdictOf({ bothRight: 50, bothWrong: 50 })
const slightlyUp = verdictOf({ wins: 11, losses: 10, bothRight: 40, bothWrong: 39 })
const slightlyDown = verdictOf({ wins: 10, losses: 11, bothRight: 40, bothWrong: 39 })
/** Better by its own rules, because the live model leaves little to gain. */
const smallGain = verdictOf({ wins: 40, losses: 5, bothRight: 945, bothWrong: 10 })
const undecided = verdictOf({ wins: 50 })
const nothing = verdictOf({})
/** Not better, for lack of wins, and with this gain. */
const gained = (gain: number): Verdict =>
  heldBackVerdict(
    Array.from({ length: 100 }, () => testedSample({ score: 0.5 + gain, liveScore: 0.5 })),
    { testNo: 1 },
  )

/** On each of so many, without a preference of the judge. */
function lowerBy(scored: number): Verdict {
  return heldBackVerdict(
    Array.from({ length: scored }, () => testedSample({ score: 0.3, liveScore: 0.5 })),
    { testNo: 1 },
  )
}

const up: BenchmarkMeasurement = { improved: true, change: 0.1 }
const down: BenchmarkMeasurement = { improved: false, change: -0.1 }
const unmeasured: BenchmarkMeasurement = null
const changed = (change: number, improved = true): BenchmarkMeasurement => ({ improved, change })

type Case = [Verdict, BenchmarkMeasurement[], VerdictOutcome, k?: number]
const policies: Record<PromotionPolicy, Record<string, Case>> = {
  holdout: {
    'the held-back test decides': [better, [down], 'better'],
    'and no benchmark helps': [same, [up], 'not_better'],
    'nor decides in its place': [undecided, [up], 'inconclusive'],
  },
  manual: {
    'the held-back test says what is better': [better, [down], 'better'],
    'what is not': [same, [up], 'not_better'],
    'and what is open': [undecided, [up], 'inconclusive'],
  },
  all: {
    'without benchmarks the held-back test decides': [better, [], 'better'],
    'every benchmark improved': [better, [up, up], 'better'],
    'one benchmark did not': [better, [up, down], 'not_better'],
    'the held-back test did not': [same, [up, up], 'not_better'],
    'the held-back test is open and decides': [undecided, [up], 'inconclusive'],
    'the held-back test is open and cannot help': [undecided, [up, down], 'not_better'],
    'a benchmark was not measured': [better, [up, unmeasured], 'inconclusive'],
    'one was not measured and another did not improve': [better, [unmeasured, down], 'not_better'],
  },
  primary: {
    'the main benchmark improved and nothing got worse': [same, [up, down], 'better'],
    'the main benchmark did not improve': [better, [down, up], 'not_better'],
    'a mean change of 0 is not worse': [gained(0), [up], 'better'],
    'a mean change above 0 is not worse': [slightlyUp, [up], 'better'],
    'a mean change below 0 is worse': [slightlyDown, [up], 'not_better'],
    'the held-back test is open and decides': [undecided, [up], 'inconclusive'],
    'the held-back test is open and cannot help': [undecided, [down], 'not_better'],
    'its benchmark was removed': [better, [], 'inconclusive'],
    'its benchmark was not measured': [better, [unmeasured, up], 'inconclusive'],
    'another was not measured': [same, [up, unmeasured], 'better'],
  },
  k_of_n: {
    'as many as wanted improved': [better, [up, down], 'better', 2],
    'the benchmarks alone are as many': [same, [up, up], 'better', 2],
    'one too few improved': [same, [up, down], 'not_better', 2],
    'more than there are cannot improve': [better, [up], 'not_better', 3],
    'benchmarks alone are enough, whatever the test says': [undecided, [up, up], 'better', 2],
    'the held-back test is the one that is missing': [undecided, [up, down], 'inconclusive', 2],
    'the held-back test would not be enough': [undecided, [down, down], 'not_better', 2],
    'a benchmark that was not measured is missing': [same, [up, unmeasured], 'inconclusive', 2],
    'one that was not measured would not be enough': [same, [unmeasured], 'not_better', 2],
  },
  weighted: {
    'the held-back test alone': [better, [], 'better'],
    'an average of exactly 0.05 is not above it': [gained(0.05), [changed(0.05)], 'not_better'],
    'nor is one that rounding lifts above it': [
      gained(0.01),
      [changed(0.14), changed(-0.05)],
      'not_better',
    ],
    'an average just above 0.05 is': [gained(0.05), [changed(0.0502)], 'better'],
    // (0.0 + 0.12 + 0.04 / 2) / 2.5 = 0.056; with equal weights it would be 0.0533, and swapped 0.04.
    'the second benchmark weighs a half': [gained(0), [changed(0.12), changed(0.04)], 'better'],
    'so its order matters': [gained(0), [changed(0.04), changed(0.12)], 'not_better'],
    // (0.1 + 0.1 - 0.1 / 2 - 0.05 / 3) / (1 + 1 + 1/2 + 1/3) = 0.047
    'the third weighs a third': [
      gained(0.1),
      [changed(0.1), changed(-0.1), changed(-0.05)],
      'not_better',
    ],
    'at least one must have improved': [gained(0.2), [changed(0.2, false)], 'not_better'],
    'a better held-back test is one': [better, [changed(0.2, false)], 'better'],
    'without a decided held-back test it is open': [undecided, [changed(0.9)], 'inconclusive'],
    'without one of its benchmarks it is open': [better, [up, unmeasured], 'inconclusive'],
    'a better held-back test of 0.035 is not enough': [smallGain, [], 'not_better'],
  },
}

for (const [policy, cases] of Object.entries(policies)) {
  for (const [situation, [heldBack, benchmarks, outcome, k]] of Object.entries(cases)) {
    test(`${policy}: ${situation}: ${outcome}`, () => {
      const chosen = { policy: policy as PromotionPolicy, k: k ?? null }
      assert.equal(isBetter(chosen, { heldBack, benchmarks }), outcome)
    })
  }
}

const rebuilds: [situation: string, Verdict, gaveNoAnswer: boolean, isWorse: boolean][] = [
  ['better', better, false, false],
  ['the same', same, false, false],
  ['a little lower', slightlyDown, false, false],
  ['lower by exactly 0.05', gained(-0.05), false, false],
  ['lower by more than 0.05', gained(-0.0501), false, true],
  // Lower by 0.02 where the live model leaves little headroom.
  [
    'beaten by the live model under its own rule',
    verdictOf({ wins: 5, losses: 25, bothRight: 930, bothWrong: 40 }),
    false,
    true,
  ],
  [
    'lower by as much without a clear difference',
    verdictOf({ wins: 105, losses: 125, bothRight: 400, bothWrong: 370 }),
    false,
    false,
  ],
  [
    'lower by more than 0.05, and less than 1.645 standard errors',
    verdictOf({ wins: 22, losses: 30, bothRight: 20, bothWrong: 28 }),
    false,
    false,
  ],
  [
    'lower by more than 1.645 standard errors, which luck alone explains',
    lowerBy(100),
    false,
    true,
  ],
  ['lower on fewer than 90', lowerBy(89), false, false],
  ['without any score', nothing, false, false],
  ['without any answer of its own', nothing, true, true],
]

for (const [situation, verdict, gaveNoAnswer, isWorse] of rebuilds) {
  test(`a rebuild that is ${situation} is ${isWorse ? '' : 'not '}clearly worse`, () => {
    assert.equal(isClearlyWorse(verdict, { gaveNoAnswer }), isWorse)
  })
}
