// How many samples an attempt needs. Spec 2, Limits, first attempt minimum.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstNeed, heldBackCount, minimumsOf } from '#server/loop/pipeline/selection/minimums.ts'

test('the first attempt needs the numbers that the spec gives', () => {
  assert.deepEqual([5, 10, 15, 20].map(firstNeed), [1100, 1112, 1177, 1250])
})

test('for every share, so many leave 1,000 to train on, and one fewer does not', () => {
  for (let percent = 1; percent <= 20; percent++) {
    const need = firstNeed(percent)
    assert.ok(need - heldBackCount(need, percent) >= 1000, `${percent}%`)
    for (let fewer = 0; fewer < need; fewer++) {
      assert.ok(fewer - heldBackCount(fewer, percent) < 1000, `${fewer} at ${percent}%`)
    }
  }
})

test('at least 100 are held back, and a share is rounded up', () => {
  assert.deepEqual(
    [heldBackCount(1100, 5), heldBackCount(2000, 5), heldBackCount(2001, 5), heldBackCount(0, 20)],
    [100, 100, 101, 100],
  )
})

for (const [usable, ready, reason] of [
  [0, false, '0 of 1,100 good or corrected samples are there, so 1,100 more are needed.'],
  [1099, false, '1,099 of 1,100 good or corrected samples are there, so 1 more is needed.'],
  [1100, true, null],
] as const) {
  test(`with ${usable} usable samples it is ${ready ? 'ready' : 'not ready'}`, () => {
    assert.deepEqual(minimumsOf({ usable, unreviewed: 7, heldBackPercent: 5 }), {
      have: usable,
      need: 1100,
      new_samples: usable,
      unreviewed: 7,
      ready,
      reason,
    })
  })
}
