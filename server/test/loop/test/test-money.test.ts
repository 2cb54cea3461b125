// Whether a test can be paid for, and what is said where it cannot.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogRow as row } from '#test/support/catalog-rows.ts'
import { leastSizes, type TestSizes } from '#server/loop/test/judge/test-sizes.ts'
import { shortOfMoney, testMoney } from '#server/loop/test/test-money.ts'

const usd = 1_000_000_000_000n
const model = row('own', 0, 0)
const setup = (judge: typeof model) => ({ candidate: model, live: model, judge, rubric: null })
/** A question of 20,000 tokens. */
const long: TestSizes = { ...leastSizes, asked: 20_000, shown: 20_000, shownBytes: 80_000 }
const of = (limit: 'attempt' | 'month', amount: bigint) => ({ limit, amount: amount * usd })

test('a test may cost 25 USD, 10 less while a benchmark is attached, and no more than the month has left', () => {
  assert.deepEqual(testMoney({ left: 100n * usd }), of('attempt', 25n))
  assert.deepEqual(testMoney({ left: 100n * usd }, 2), of('attempt', 15n))
  assert.deepEqual(testMoney({ left: 15n * usd }, 2), of('attempt', 15n))
  assert.deepEqual(testMoney({ left: 4n * usd }), of('month', 4n))
})

for (const [what, judge, sizes, money, expected] of [
  ['a dear judge of short samples', row('dear', 15, 75), leastSizes, 25n, null],
  ['a cheap judge of long samples', row('cheap', 0.2, 0.8), long, 25n, null],
  [
    'a dear judge of long samples',
    row('dear', 3, 15),
    long,
    25n,
    /^The 90 samples that decide a test can cost 3\d\.\d\d USD with the judge dear and the model own, and a test may cost 25\.00 USD, so nothing trains\. .*cheaper judge_model.*shorter samples/,
  ],
  [
    'a month that is nearly spent',
    row('dear', 15, 75),
    leastSizes,
    4n,
    /, and its tests may cost only 4\.00 USD more in this month, so nothing trains before the next month\./,
  ],
  [
    'a judge that must think, before any sample is known',
    row('thinks', 15, 75, {
      reasoning: { efforts: ['low'], default: 'low', required: true },
    }),
    null,
    25n,
    /^The 90 samples/,
  ],
] as const) {
  test(what, () => {
    const limit = money === 25n ? 'attempt' : 'month'
    const sentence = shortOfMoney(sizes, setup(judge), of(limit, money))
    if (expected === null) assert.equal(sentence, null)
    else assert.match(sentence ?? '', expected)
  })
}
