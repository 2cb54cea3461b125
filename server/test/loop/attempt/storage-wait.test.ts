// The hour for which a test waits for the workspace's own storage: once in each failure of it, and not once for each portion.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptState } from '#server/loop/attempt/attempt.ts'
import { afterStorageTry } from '#server/loop/attempt/after-portion.ts'
import { isStorageAwaited } from '#server/loop/test/storage-wait.ts'

const now = new Date('2026-03-02T03:30:00.000Z')
const minute = 60_000
const hour = 60 * minute
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString()
const since = (ms: number) => ({ since: ago(ms), tried_at: ago(minute), count: 3 })

test('it is waited for less than an hour', () => {
  assert.equal(isStorageAwaited(undefined, now), true)
  assert.equal(isStorageAwaited(since(hour - 1), now), true)
  assert.equal(isStorageAwaited(since(hour), now), false)
})

const answering: AttemptState = { phase: 'answering' }
const waiting = (ms: number): AttemptState => ({
  phase: 'waiting_for_storage',
  unreadable: since(ms),
  during: 'answering',
})
const tried = (awaited: number, leftOut = 0) => ({ awaited, leftOut })
const at = (sinceAgo: number, count: number) => ({ since: ago(sinceAgo), tried_at: ago(0), count })

const cases: Record<string, [AttemptState, ReturnType<typeof tried>, AttemptState]> = {
  'all could be read': [answering, tried(0), answering],
  'the first that could not': [answering, tried(3), { ...answering, unreadable: at(0, 3) }],
  'still away': [
    waiting(20 * minute),
    tried(2),
    { ...waiting(0), unreadable: at(20 * minute, 2) } as AttemptState,
  ],
  'back again, so that the next failure has an hour of its own': [
    waiting(20 * minute),
    tried(0),
    { ...waiting(0), unreadable: at(0, 0) } as AttemptState,
  ],
  'left out after the hour': [
    waiting(hour),
    tried(0, 3),
    { ...waiting(0), unreadable: at(hour, 0) } as AttemptState,
  ],
  'the next portion is left out at once': [
    { ...answering, unreadable: at(hour, 0) },
    tried(0, 3),
    { ...answering, unreadable: at(hour, 0) },
  ],
  'back again after the hour': [{ ...answering, unreadable: at(hour, 0) }, tried(0), answering],
}
for (const [what, [state, counts, expected]] of Object.entries(cases)) {
  test(what, () => assert.deepEqual(afterStorageTry(state, counts, now), expected))
}
