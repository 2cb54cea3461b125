// How often the rules call a training better, summed exactly over all that a test can measure: two models that are
// each right or wrong on every sample, independently, at their own rates.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smallestGainVisible } from '#server/loop/test/verdict/power.ts'
import { countTest } from '#server/loop/test/verdict/test-counts.ts'
import { verdictOfCounts } from '#server/loop/test/verdict/verdict-of-counts.ts'
import { outcomes, testedSample } from '../../../support/tested-samples.ts'

const logFactorials = [0]
for (let n = 1; n <= 1500; n++) logFactorials.push(logFactorials[n - 1]! + Math.log(n))

/** The chance of `better`. */
function betterChance(scored: number, liveRate: number, rate: number): number {
  const winRate = rate * (1 - liveRate)
  const lossRate = liveRate * (1 - rate)
  let chance = 0
  for (const wins of likely(scored, winRate)) {
    for (const losses of likely(scored, lossRate)) {
      const ties = scored - wins - losses
      if (ties < 0) continue
      // Among the ties, how many both got right only moves the headroom of a live model that is right on more than 80%:
      // their expected number stands for them.
      const bothRight = Math.min(ties, Math.max(0, Math.round(scored * liveRate) - losses))
      const { outcome } = verdictOfCounts({
        scored,
        unscored: 0,
        missing: 0,
        leftOut: 0,
        questions: scored,
        wins,
        losses,
        scoreSum: wins + bothRight,
        liveScoreSum: losses + bothRight,
        squaresAroundMean: wins + losses - (wins - losses) ** 2 / scored,
      })
      if (outcome !== 'better') continue
      const ways = [wins, losses, ties].reduce(
        (log, count) => log - logFactorials[count]!,
        logFactorials[scored]!,
      )
      chance += Math.exp(
        ways +
          wins * Math.log(winRate) +
          losses * Math.log(lossRate) +
          ties * Math.log(1 - winRate - lossRate),
      )
    }
  }
  return chance
}

/** Counts within 4.5 deviations of their mean; all others together have a chance below 1 in 10,000. */
function likely(of: number, rate: number): number[] {
  const reach = 4.5 * Math.sqrt(of * rate * (1 - rate)) + 1
  const from = Math.max(0, Math.floor(of * rate - reach))
  const to = Math.min(of, Math.ceil(of * rate + reach))
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

for (const [scored, rate, percent] of [
  [100, 0.5, 3.77],
  [300, 0.5, 4.21],
  [1500, 0.5, 0.29],
  [100, 0.6, 35.9],
  [300, 0.6, 76.9],
  [1500, 0.6, 99.7],
  [100, 0.7, 86.9],
] as const) {
  test(`right with ${rate} against 0.5 is better in ${percent}% of tests with ${scored} samples`, () => {
    const measured = 100 * betterChance(scored, 0.5, rate)
    assert.ok(Math.abs(measured - percent) < 0.1, `${measured}%`)
  })
}

test('the smallest gain that is visible is seen about four times of five', () => {
  for (const [scored, liveRate] of [
    [100, 0.1],
    [100, 0.5],
    [100, 0.75],
    [300, 0.2],
    [300, 0.5],
    [300, 0.9],
  ] as const) {
    const gain = smallestGainVisible(scored, liveRate)
    assert.ok(gain !== null)
    const seen = betterChance(scored, liveRate, liveRate + gain)
    assert.ok(seen > 0.74 && seen < 0.86, `${scored} at ${liveRate}: ${gain} is seen in ${seen}`)
  }
})

test('more samples show smaller gains, down to those that the rules accept', () => {
  const gains = [100, 300, 1000, 1500].map((scored) => smallestGainVisible(scored, 0.5)!)
  assert.deepEqual(
    gains,
    gains.toSorted((a, b) => b - a),
  )
  assert.ok(gains.at(-1)! > 0.05)
  assert.equal(smallestGainVisible(100, 1), null)
  assert.equal(smallestGainVisible(100, 0.97), null)
})

test('an equal model is better in at most 5% of tests also where each prompt is there four times', () => {
  let state = 7
  const toss = () => (state = (state * 48_271) % 2_147_483_647) < 2 ** 30
  let better = 0
  for (let no = 0; no < 2000; no++) {
    const samples = Array.from({ length: 75 }, (_, at) => {
      const [isRight, isLiveRight] = [toss(), toss()]
      const winner = isRight ? outcomes.wins : outcomes.losses
      const outcome = isRight === isLiveRight ? outcomes.bothRight : winner
      return Array.from({ length: 4 }, () => testedSample({ ...outcome, questionKey: `q${at}` }))
    })
    if (verdictOfCounts(countTest(samples.flat())).outcome === 'better') better += 1
  }
  assert.ok(better > 40 && better < 100, `${better} of 2,000`)
})
