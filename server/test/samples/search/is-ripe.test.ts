// When a queue of samples becomes a segment: on both sides of every bound.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { isRipe, type Queue } from '#server/samples/search/is-ripe.ts'

const ripeness = {
  queueSamples: 100,
  queueBytes: 10_000,
  ripeMs: 5000,
  ripeSamples: 1000,
  ripeBytes: 100_000,
}
const now = 1_700_000_000_000

function queue(samples: number, ageMs: number, bytesEach = 10): Queue {
  const looked = Math.min(samples, ripeness.queueSamples)
  const oldestId = newId(new Date(now - ageMs))
  return { samples, looked, lookedBytes: looked * bytesEach, oldestId }
}

for (const [name, waiting, ripe] of [
  ['99 samples, however old', queue(99, 1e9), false],
  ['100 samples that waited', queue(100, 5000), true],
  ['100 samples that did not wait', queue(100, 4999), false],
  ['999 samples that did not wait', queue(999, 0), false],
  ['1,000 samples that did not wait', queue(1000, 0), true],
  ['few heavy ones that waited', queue(10, 5000, 1000), true],
  ['few that are almost heavy', queue(10, 5000, 999), false],
  ['few very heavy ones that did not wait', queue(10, 0, 10_000), true],
  ['few almost very heavy ones that did not wait', queue(10, 0, 9_999), false],
  ['many of which only the first were weighed', queue(500, 0, 200), true],
  ['samples from a time that is yet to come', queue(100, -1), true],
  ['samples without any text', { ...queue(100, 5000), looked: 0, lookedBytes: 0 }, true],
  ['an id that says no time', { ...queue(100, 0), oldestId: 'none' }, true],
] as const) {
  test(`${ripe ? 'ripe' : 'not ripe'}: ${name}`, () => {
    assert.equal(isRipe(waiting, ripeness, now), ripe)
  })
}
