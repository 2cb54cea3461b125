// What the next test asks, as far as its cost goes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastSizes } from '#server/loop/test/judge/test-sizes.ts'
import { sides } from '#server/loop/selection/hold-back.ts'
import { idBytes } from '#server/loop/selection/packed-ids.ts'
import { testedMax, testSetOf } from '#server/loop/selection/test-set.ts'

/** Newest first; those of even index are held back, the last third of all since an earlier attempt. */
function setOf(count: number) {
  const ids = Buffer.alloc(count * idBytes)
  const rows = Array.from({ length: count }, (_, row) => {
    ids.writeUInt32BE(count - row, row * idBytes)
    const sizes = { ...leastSizes, promptTokens: row, answerTokens: 1 }
    return { heldAt: row >= (2 * count) / 3 ? new Date(0) : null, sizes }
  })
  const held = rows.map((_, row) => (row % 2 === 0 ? sides.heldBack : sides.training))
  return testSetOf({ ids }, { sides: Uint8Array.from(held) }, rows)
}

test('the longest held back are asked first, then the oldest, up to 1,500', () => {
  assert.equal(setOf(0), null)
  const set = setOf(600)
  // Of the 100 held before, the 90 oldest: from the 598th row to the 420th.
  assert.deepEqual([set?.samples, set?.firstSizes.promptTokens], [300, 509])
  assert.equal(set?.sizes.promptTokens, 299)
  assert.equal(setOf(4000)?.samples, testedMax)
})
