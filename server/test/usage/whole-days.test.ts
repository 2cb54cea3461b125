// Which days of UTC lie wholly in a span.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeDays } from '#server/usage/whole-days.ts'

const at = (text: string): Date => new Date(`2022-${text}Z`)
for (const [from, to, first, end] of [
  ['01-01T00:00:00', '01-03T00:00:00', '01-01T00:00:00', '01-03T00:00:00'],
  ['01-01T00:00:00.001', '01-03T23:59:59.999', '01-02T00:00:00', '01-03T00:00:00'],
  ['01-01T00:00:00.001', '01-02T23:59:59.999', null, null],
  ['01-01T08:00:00', '01-01T09:00:00', null, null],
  ['01-01T08:00:00', null, '01-02T00:00:00', null],
] as const) {
  test(`the whole days of ${from} to ${to ?? 'whenever'}`, () => {
    const days = wholeDays({ from: at(from), to: to && at(to) })
    assert.deepEqual(days, first && { from: at(first), to: end && at(end) })
  })
}
