// How failures of an attempt are counted, and how long it waits after each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failing } from '#server/loop/attempt/attempt.ts'
import type { FailingName } from '#server/loop/attempt/effect-names.ts'
import { nextFailing, nextTry } from '#server/loop/attempt/failing.ts'

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
  [400, 60],
] as const) {
  test(`try ${tries + 1} is ${seconds} s after try ${tries}`, () => {
    const failing = { ...before('answer', false), tries }
    assert.equal(nextTry(failing, now).getTime() - now.getTime(), seconds * 1000)
  })
}
