// When recording waits for calls, on both sides of every limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Backlog, giveWayMs } from '#server/samples/capture/give-way.ts'

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
    [{ oldestMs: 1400 }, 100],
    [{ oldestMs: 1401 }, 99],
    [{ oldestMs: 1499 }, 1],
    [{ oldestMs: 1500 }, 0],
    [{ oldestMs: 60_000 }, 0],
  ]
  for (const [changed, expected] of cases) {
    assert.equal(giveWayMs({ ...busy, ...changed }), expected, JSON.stringify(changed))
  }
})
