// When a schedule starts the next attempt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schedule } from '#contract/pipeline-settings.ts'
import { scheduledAfter } from '#server/loop/pipeline/scheduled-at.ts'

// A Thursday.
const cases: [schedule: Schedule, now: string, expected: string][] = [
  [{ every: 'day', at: '03:30' }, '2026-01-15T03:29', '2026-01-15T03:30'],
  [{ every: 'day', at: '03:30' }, '2026-01-15T03:30', '2026-01-16T03:30'],
  [{ every: 'day', at: '00:00' }, '2026-12-31T10:00', '2027-01-01T00:00'],
  [{ every: 'week', at: '03:30' }, '2026-01-15T03:30', '2026-01-19T03:30'],
  [{ every: 'week', at: '03:30', weekday: 'thursday' }, '2026-01-15T03:00', '2026-01-15T03:30'],
  [{ every: 'week', at: '03:30', weekday: 'thursday' }, '2026-01-15T04:00', '2026-01-22T03:30'],
  [{ every: 'week', at: '03:30', weekday: 'sunday' }, '2026-01-15T04:00', '2026-01-18T03:30'],
  [{ every: 'month', at: '03:30' }, '2026-01-15T04:00', '2026-02-01T03:30'],
  [{ every: 'month', at: '03:30', day: 31 }, '2026-01-15T04:00', '2026-01-31T03:30'],
  [{ every: 'month', at: '03:30', day: 31 }, '2026-01-31T04:00', '2026-02-28T03:30'],
  [{ every: 'month', at: '03:30', day: 31 }, '2027-12-31T04:00', '2028-01-31T03:30'],
  [{ every: 'month', at: '03:30', day: 30 }, '2028-01-30T03:30', '2028-02-29T03:30'],
]

for (const [schedule, now, expected] of cases) {
  test(`${JSON.stringify(schedule)} after ${now} is ${expected}`, () => {
    const next = scheduledAfter(schedule, new Date(`${now}:00Z`))
    assert.equal(next.toISOString(), `${expected}:00.000Z`)
  })
}
