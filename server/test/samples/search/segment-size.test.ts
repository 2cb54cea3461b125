// Which segments of the index become one: neighbours of one size, as full as they are by samples or by characters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planMerge } from '#server/samples/search/segment-size.ts'

const full = { samples: 15_360, characters: 12_000_000 }
const some = (count: number, samples: number, characters: number) =>
  Array.from({ length: count }, (_, id) => ({ id, samples, characters }))

test('eight of a size become one, and seven stay', () => {
  for (const [samples, characters] of [
    [1, 10],
    [full.samples / 64, 10],
    [full.samples / 8, 10],
    [1, full.characters / 64],
    [1, full.characters / 8],
  ] as const) {
    const eight = some(8, samples, characters)
    assert.deepEqual(planMerge(eight), eight, `${samples} samples of ${characters} characters`)
    assert.equal(planMerge(eight.slice(1)), null)
  }
})

test('none becomes larger than a segment may be', () => {
  assert.equal(planMerge(some(99, full.samples / 8 + 1, 10)), null)
  assert.equal(planMerge(some(99, 1, full.characters / 8 + 1)), null)
  assert.equal(planMerge(some(99, full.samples, full.characters)), null)
})

test('those of different sizes stay apart, and the smallest and oldest go first', () => {
  const [small, large] = [some(9, 1, 10), some(9, 1000, 10)]
  assert.equal(planMerge([...small.slice(2), ...large.slice(2)]), null)
  assert.deepEqual(planMerge([...large, ...small]), small.slice(0, 8))
  assert.deepEqual(planMerge(large), large.slice(0, 8))
})
