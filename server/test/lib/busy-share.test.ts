// The share of its time that a thread works.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { BusyShare } from '#server/lib/busy-share.ts'
import { until } from '#test/support/until.ts'

function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a thread that works all the time is busy, and one that waits is not', async () => {
  // Nothing is known before the event loop had its first turn.
  await delay(1)
  const busy = new BusyShare()
  work(60)
  assert.ok(busy.now() > 0.9)
  await until(async () => {
    await delay(200)
    return busy.now() < 0.1
  })
  // Neither all of the time nor none of it, so that a look at a moment alone would see something else.
  await delay(30)
  work(60)
  const share = busy.now()
  assert.ok(share > 0.5 && share < 1)
  assert.equal(busy.now(), share, 'a look right after it sees the same')
})
