// How a start that waits for its database hears that it is to stop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilReachable } from '#server/storage/until-reachable.ts'

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
