// How often a start that waits for its database tries again, and how it hears that it is to stop.
import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { DatabaseUnreachable, untilReachable } from '#server/storage/until-reachable.ts'

test('a database that is down is tried again ever more seldom, and every two seconds at last', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.timers.reset()
    syncBuiltinESMExports()
  })
  let tries = 0
  const step = async (): Promise<string> => {
    tries += 1
    if (tries <= 8) throw new DatabaseUnreachable('Down.')
    return 'there'
  }
  const waiting = untilReachable(step, { say: () => {}, meanwhile: 'So.', signal: undefined })
  const pauses: number[] = []
  for (let ms = 0; tries <= 8; ms = 0) {
    await turn()
    for (const before = tries; tries === before && ms < 10_000; ms += 250) {
      t.mock.timers.tick(250)
      await turn()
    }
    pauses.push(ms)
  }
  assert.deepEqual(pauses, [250, 500, 1000, 2000, 2000, 2000, 2000, 2000])
  assert.equal(await waiting, 'there')
})

test('a start that was told to stop before it waits does not wait', async () => {
  const reason = new Error('told to stop')
  const patience = { say: () => {}, meanwhile: 'So.', signal: AbortSignal.abort(reason) }
  await assert.rejects(
    untilReachable(() => new Promise(() => {}), patience),
    reason,
  )
})

test('a wait that is over no longer listens for the word to stop', async (t) => {
  const { signal } = new AbortController()
  const removed = t.mock.method(signal, 'removeEventListener')
  await untilReachable(() => Promise.resolve('there'), { say: () => {}, meanwhile: '', signal })
  assert.equal(removed.mock.callCount(), 1)
})
