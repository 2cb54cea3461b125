// How much the scoring of a pipeline may cost until the month ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoringCap, startOfMonth } from '#server/loop/test/judge/scoring-cap.ts'

const at = (text: string): Date => new Date(text)

const cases: [spent: bigint, cap: bigint, now: string, left: bigint, until: string | null][] = [
  [0n, 100n, '2026-03-01T00:00:00.000Z', 100n, null],
  [99n, 100n, '2026-03-31T23:59:59.999Z', 1n, null],
  [100n, 100n, '2026-03-31T23:59:59.999Z', 0n, '2026-04-01T00:00:00.000Z'],
  [101n, 100n, '2026-03-01T00:00:00.000Z', 0n, '2026-04-01T00:00:00.000Z'],
  [100n, 100n, '2026-12-05T08:00:00.000Z', 0n, '2027-01-01T00:00:00.000Z'],
  [0n, 0n, '2028-02-29T08:00:00.000Z', 0n, '2028-03-01T00:00:00.000Z'],
]

for (const [spent, cap, now, left, until] of cases) {
  test(`${spent} of ${cap} on ${now} leaves ${left}, capped until ${until}`, () => {
    const expected = { left, cappedUntil: until === null ? null : at(until) }
    assert.deepEqual(scoringCap({ spent, cap, now: at(now) }), expected)
  })
}

test('a month starts in UTC', () => {
  assert.deepEqual(startOfMonth(at('2026-03-31T23:30:00-01:00')), at('2026-04-01T00:00:00.000Z'))
})
