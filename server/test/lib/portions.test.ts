// What is read together: never more than memory is meant to take, and always something.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portions } from '#server/lib/portions.ts'

test('a portion has at most so many items and bytes, and what is larger is alone', () => {
  const split = (...sizes: number[]): number[][] =>
    [...portions(toItems(sizes), { items: 3, bytes: 10 })].map((portion) =>
      portion.map(({ bytes }) => bytes),
    )
  const toItems = (sizes: number[]) => sizes.map((bytes) => ({ bytes }))
  assert.deepEqual(split(), [])
  assert.deepEqual(split(4, 6, 1, 1, 1, 1), [[4, 6], [1, 1, 1], [1]])
  assert.deepEqual(split(1, 11, 1), [[1], [11], [1]])
})
