// When there will be enough samples, at the rate at which they come now.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Forecast, forecast } from '#server/loop/selection/forecast.ts'

const now = new Date('2026-03-01T00:00:00Z')
const day = (days: number): Date => new Date(now.getTime() + days * 86_400_000)

const cases: [
  what: string,
  facts: {
    have: number
    recent: number
    age: number | null
    reviewAge?: null | number
    retention: number
  },
  expected: Forecast,
][] = [
  ['enough are there', { have: 1100, recent: 0, age: 3, retention: 30 }, { kind: 'reached' }],
  ['there are none', { have: 0, recent: 0, age: null, retention: 0 }, { kind: 'unknown' }],
  ['none came lately', { have: 500, recent: 0, age: 20, retention: 30 }, { kind: 'unknown' }],
  [
    '100 a day came for a week, and 400 are missing',
    { have: 700, recent: 700, age: 7, retention: 30 },
    { kind: 'at', at: day(4), sooner: 0 },
  ],
  [
    'the rate is that of the last 7 days, not of the time before',
    { have: 700, recent: 350, age: 20, retention: 365 },
    { kind: 'at', at: day(8), sooner: 1 },
  ],
  [
    'the first came two days ago',
    { have: 200, recent: 200, age: 2, retention: 30 },
    { kind: 'at', at: day(9), sooner: 0 },
  ],
  [
    'all came within the last minute, which counts as a day',
    { have: 600, recent: 600, age: 0, retention: 365 },
    { kind: 'at', at: day(500 / 600), sooner: 0 },
  ],
  [
    'all there is was imported',
    { have: 600, recent: 0, age: 0, reviewAge: null, retention: 30 },
    { kind: 'unknown' },
  ],
  [
    'an import is reviewed for two days',
    { have: 700, recent: 100, age: 20, reviewAge: 2, retention: 365 },
    { kind: 'at', at: day(8), sooner: 1 },
  ],
  [
    '30 a day that last 30 days are 900 at most',
    { have: 210, recent: 210, age: 7, retention: 30 },
    { kind: 'never', most: 900, enough: 37 },
  ],
  [
    'most of what is there expires, but what comes makes up for it',
    { have: 500, recent: 350, age: 30, retention: 30 },
    { kind: 'at', at: day(18), sooner: 4 },
  ],
  [
    'fewer come than expire',
    { have: 900, recent: 70, age: 30, retention: 30 },
    { kind: 'never', most: 900, enough: 37 },
  ],
  [
    'few are missing before the oldest expires',
    { have: 1000, recent: 7, age: 10, retention: 30 },
    { kind: 'never', most: 1020, enough: 5 },
  ],
  [
    'with so many they come in time',
    { have: 1000, recent: 35, age: 10, retention: 30 },
    { kind: 'at', at: day(20), sooner: 13 },
  ],
]

const before = (age: number | null): Date | null => (age === null ? null : day(-age))

for (const [what, { have, recent, age, reviewAge = age, retention }, expected] of cases) {
  test(what, () => {
    const came = { recent, firstReviewAt: before(reviewAge), firstAt: before(age) }
    assert.deepEqual(
      forecast({ now, have, need: 1100, ...came, retentionDays: retention }),
      expected,
    )
  })
}
