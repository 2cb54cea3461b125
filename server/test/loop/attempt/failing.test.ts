// How failures of an attempt are counted, and how long it waits after each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failing } from '#server/loop/attempt/attempt.ts'
import type { FailingName } from '#server/loop/attempt/effect-names.ts'
import { isStalledTest, nextFailing, nextTry } from '#server/loop/attempt/failing.ts'

const now = new Date('2026-03-01T12:00:00Z')
const hour = 3_600_000
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString()

const before = (effect: FailingName, holds: boolean): Failing => {
  return { effect, since: ago(hour), tries: 4, holds }
}
const again = { since: ago(hour), tries: 5 }
const first = { since: ago(0), tries: 1 }

for (const [what, failing, name, counted] of [
  ['an effect', undefined, 'answer', { effect: 'answer', ...first, holds: false }],
  ['it again', before('answer', false), 'answer', { effect: 'answer', ...again, holds: false }],
  ['another effect', before('answer', false), 'read', { effect: 'read', ...first, holds: false }],
  ['facts', undefined, 'gather-facts', { effect: 'gather-facts', ...first, holds: true }],
  [
    'facts between tries of an effect',
    before('start-training', false),
    'gather-facts',
    { effect: 'start-training', ...again, holds: false },
  ],
  [
    'a move after an effect that holds its machine',
    before('start-training', true),
    'write-attempt',
    { effect: 'start-training', ...again, holds: true },
  ],
] as [string, Failing | undefined, FailingName, Failing][]) {
  test(`what is counted when this fails: ${what}`, () => {
    assert.deepEqual(nextFailing(failing, name, now), counted)
  })
}

for (const [tries, seconds] of [
  [1, 1],
  [2, 2],
  [6, 32],
  [7, 60],
  [359, 60],
] as const) {
  test(`try ${tries + 1} is ${seconds} s after try ${tries}`, () => {
    const failing = { ...before('answer', false), tries }
    assert.equal(nextTry(failing, now).getTime() - now.getTime(), seconds * 1000)
  })
}

for (const [hours, waited] of [
  [6, 1],
  [12, 2],
  [72, 12],
  [1000, 24],
] as const) {
  test(`after ${hours} h the next try is ${waited} h later`, () => {
    const failing = { ...before('answer', false), since: ago(hours * hour), tries: 360 }
    assert.equal(nextTry(failing, now).getTime() - now.getTime(), waited * hour)
  })
}

for (const [stalls, what, adapter, wakesIn, since] of [
  [true, 'a test that is tried again after six hours', 'hash', hour, 5 * hour],
  [false, 'one that is tried again before', 'hash', hour, 4 * hour],
  [false, 'what ends by itself', null, hour, 5 * hour],
] as const) {
  test(`${what} ${stalls ? 'has' : 'has not'} stalled`, () => {
    const failing = { ...before('answer', false), since: ago(since) }
    const wake_at = new Date(now.getTime() + wakesIn)
    assert.equal(
      isStalledTest({ adapter, wake_at, state: { phase: 'answering', failing } }),
      stalls,
    )
  })
}
