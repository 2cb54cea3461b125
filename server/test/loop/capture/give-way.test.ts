// When recording waits for calls, on both sides of every limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Backlog, giveWayMs, isCrowded } from '#server/loop/capture/give-way.ts'

const busy: Backlog = { busyShare: 1, filledShare: 0, oldestMs: 0 }

test('what waits is looked at again in a tenth of a second, or when it has waited long enough', () => {
  const cases: [Partial<Backlog>, number][] = [
    [{}, 100],
    [{ busyShare: 0.5 }, 100],
    [{ busyShare: 0.49 }, 0],
    [{ busyShare: 0 }, 0],
    [{ filledShare: 0.24 }, 100],
    [{ filledShare: 0.25 }, 0],
    [{ filledShare: 1 }, 0],
    [{ oldestMs: 1900 }, 100],
    [{ oldestMs: 1901 }, 99],
    [{ oldestMs: 1999 }, 1],
    [{ oldestMs: 2000 }, 0],
    [{ oldestMs: 60_000 }, 0],
  ]
  for (const [changed, expected] of cases) {
    assert.equal(giveWayMs({ ...busy, ...changed }), expected, JSON.stringify(changed))
  }
})

test('from a quarter of the room on it is crowded', () => {
  assert.equal(isCrowded(0.2499), false)
  assert.equal(isCrowded(0.25), true)
})
