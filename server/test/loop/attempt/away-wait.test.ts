// How long a test waits for servers that take no calls: ten minutes in a row, for a model and its judge apart.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptState } from '#server/loop/attempt/attempt.ts'
import { afterAwayTry } from '#server/loop/attempt/after-portion.ts'
import { isAwayAwaited } from '#server/loop/test/away-wait.ts'

const now = new Date('2026-03-02T03:30:00.000Z')
const minute = 60_000
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString()
const away = (ms: number) => ({ since: ago(ms), tried_at: ago(5000) })

test('they are waited for less than ten minutes', () => {
  assert.equal(isAwayAwaited(undefined, now), true)
  assert.equal(isAwayAwaited(away(10 * minute - 1), now), true)
  assert.equal(isAwayAwaited(away(10 * minute), now), false)
})

const scoring: AttemptState = { phase: 'scoring' }
const scoringAway = (ms: number): AttemptState => ({
  ...scoring,
  away: { since: ago(ms), tried_at: ago(0) },
})

const cases: Record<string, [AttemptState, boolean, AttemptState]> = {
  'all calls were taken': [scoring, false, scoring],
  'the first that was not': [scoring, true, scoringAway(0)],
  'still away': [{ ...scoring, away: away(minute) }, true, scoringAway(minute)],
  'back again': [{ ...scoring, away: away(minute) }, false, scoring],
}

for (const [what, [state, wasAway, expected]] of Object.entries(cases)) {
  test(what, () => assert.deepEqual(afterAwayTry(state, wasAway, now), expected))
}
