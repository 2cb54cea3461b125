// The chance of so many wins by luck, held against whole numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chanceOfWins } from '#server/loop/test/verdict/sign-test.ts'

test('a few tosses have their exact chances', () => {
  for (const [wins, decided, chance] of [
    [0, 0, 1],
    [0, 1, 1],
    [1, 1, 1 / 2],
    [5, 5, 1 / 32],
    [4, 5, 6 / 32],
    [3, 4, 5 / 16],
  ] as const) {
    assert.ok(Math.abs(chanceOfWins(wins, decided) - chance) < 1e-15, `${wins} of ${decided}`)
  }
})

test('at the 1-in-20 level 50 decided samples need 32 wins, and 100 need 59', () => {
  const passes = (wins: number, decided: number) => chanceOfWins(wins, decided) <= 0.05
  assert.deepEqual([passes(31, 50), passes(32, 50)], [false, true])
  assert.deepEqual([passes(58, 100), passes(59, 100)], [false, true])
})

test('up to 1,500 decided samples the level is reached where whole numbers reach it', () => {
  for (const decided of [1, 4, 5, 19, 333, 1024, 1075, 1500]) {
    const needed = winsNeeded(decided)
    assert.ok(needed > decided || chanceOfWins(needed, decided) <= 0.05, `${needed} of ${decided}`)
    assert.ok(chanceOfWins(needed - 1, decided) > 0.05, `${needed - 1} of ${decided}`)
  }
})

/** The fewest wins whose tail is at most a twentieth of all 2^decided ways. */
function winsNeeded(decided: number): number {
  let ways = 1n
  let tail = 0n
  for (let wins = decided; ; wins--) {
    tail += ways
    if (tail * 20n > 2n ** BigInt(decided)) return wins + 1
    ways = (ways * BigInt(wins)) / BigInt(decided - wins + 1)
  }
}
