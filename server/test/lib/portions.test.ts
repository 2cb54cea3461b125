// What is read together: never more than memory is meant to take, and always something.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portions } from '#server/lib/portions.ts'

const cases: Record<string, [sizes: number[], portions: number[][]]> = {
  'nothing is no portion': [[], []],
  'so many bytes fit': [
    [4, 6, 1],
    [[4, 6], [1]],
  ],
  'so many items fit': [
    [1, 1, 1, 1],
    [[1, 1, 1], [1]],
  ],
  'what is larger is alone': [
    [1, 11, 1],
    [[1], [11], [1]],
  ],
}
for (const [what, [sizes, expected]] of Object.entries(cases)) {
  test(what, () => {
    const items = sizes.map((bytes) => ({ bytes }))
    const found = [...portions(items, { items: 3, bytes: 10 })]
    assert.deepEqual(
      found.map((portion) => portion.map(({ bytes }) => bytes)),
      expected,
    )
  })
}
