// How much tests have to show, which of them are on one set, and how often an equal model would pass.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chanceOfAny, chanceOfLuck } from '#server/loop/test/verdict/chance-of-luck.ts'
import { evidenceFor, isSameSet } from '#server/loop/test/verdict/evidence.ts'
import { heldBackVerdict } from '#server/loop/test/verdict/held-back-verdict.ts'
import { normalQuantile, normalTail } from '#server/loop/test/verdict/normal.ts'
import { promotionChance } from '#server/loop/test/verdict/policy-chance.ts'
import { testedSamples } from '../../../support/tested-samples.ts'

const near = (measured: number, expected: number, by: number) =>
  assert.ok(Math.abs(measured - expected) < by, `${measured}, not ${expected}`)

test('the normal distribution has its known values', () => {
  for (const [value, tail] of [
    [0, 0.5],
    [1.959963985, 0.025],
    [-1.644853627, 0.95],
    [4, 3.16712418e-5],
    [9, 0],
  ] as const) {
    near(normalTail(value), tail, 1e-10)
  }
  near(normalQuantile(0.025), 1.959963985, 1e-9)
})

test('each test has the level of rule 3, and the levels of a life add up to it', () => {
  assert.deepEqual(evidenceFor('each', 7), { chanceMost: 0.05, errorsLeast: 1.645 })
  const levels = Array.from({ length: 1000 }, (_, at) => evidenceFor('life', at + 1).chanceMost)
  near(levels[0]!, 0.0304, 1e-4)
  near(levels[1]!, levels[0]! / 4, 1e-12)
  const sum = levels.reduce((all, level) => all + level, 0)
  assert.ok(sum < 0.05 && sum > 0.0499, `${sum}`)
  near(evidenceFor('life', 1).errorsLeast, 1.875, 1e-3)
})

test('a set half of whose questions are new is another set', () => {
  const shares = [0, 49, 50, 51, 100].map((shared) => isSameSet({ questions: 100, shared }))
  assert.deepEqual(shares, [false, false, false, true, true])
})

test('an equal model passes as seldom as the rules let it', () => {
  const chance = (decided: number, scored: number) => {
    const half = { wins: decided / 2, losses: decided / 2 }
    return chanceOfLuck(
      heldBackVerdict(testedSamples({ ...half, bothRight: scored - decided }), { testNo: 1 }),
    )
  }
  // 32 wins of 50; the distribution test has 3.77% over all numbers of decided samples, and 0.29% for 1,500.
  near(chance(50, 100), 0.0325, 1e-4)
  near(chance(750, 1500), 0.0031, 2e-4)
  assert.equal(chance(0, 100), 0)
  assert.equal(chance(40, 50), 0)
})

test('twelve tests on one set find an equal model better in a fifth of all cases', () => {
  const tests = (count: number) => chanceOfAny(Array.from({ length: count }, () => 0.0377))
  near(tests(0), 0, 1e-12)
  near(tests(1), 0.0377, 1e-9)
  near(tests(12), 0.22, 0.005)
})

test('how often an equal model goes live depends on the policy', () => {
  const chance = (
    policy: Parameters<typeof promotionChance>[0]['policy'],
    benchmarks: number,
    k = 1,
  ) => promotionChance({ policy, k, evidence: 'each' }, benchmarks)
  assert.equal(chance('holdout', 3), 0.038)
  assert.equal(chance('manual', 3), 0)
  near(chance('k_of_n', 3), 1 / 7, 0.001)
  near(chance('k_of_n', 3, 2), 0.0083, 1e-4)
  near(chance('all', 1), 0.038 ** 2, 1e-9)
  assert.deepEqual([chance('primary', 0), chance('primary', 2)], [0, 0.019])
  assert.equal(chance('weighted', 0), 0.038)
  assert.equal(promotionChance({ policy: 'holdout', k: null, evidence: 'life' }, 0), 0.02310123)
})
