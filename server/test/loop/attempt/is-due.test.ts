// When an attempt starts by itself: the schedule, what was tried in vain, how many samples are new, and how quiet it is.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Schedule } from '#contract/pipeline-settings.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'
import { hasEnough, hasNewTime, isQuiet, mayStart, onlyAfter } from '#server/loop/attempt/is-due.ts'
import { attemptRow, endedAs } from '#test/support/attempt-rows.ts'

/** A Sunday. */
const scheduled = '2026-03-01T12:00:00.000Z'
const at = (ms: number): Date => new Date(Date.parse(scheduled) + ms)
const second = 1000
const minute = 60 * second
const hour = 60 * minute
const daily: Schedule = { every: 'day', at: '12:00' }

type Start = {
  schedule?: Schedule
  savedAt?: Date
  /** When it was seen that its time had come. */
  seenAt?: Date
  newest?: Partial<AttemptRow>
  now?: Date
  stalls?: number
  starts: boolean
}

const inVain = (changes: Partial<AttemptRow> = {}): Partial<AttemptRow> => ({
  ...endedAs('not_tested'),
  error_code: 'NOT_ENOUGH_SAMPLES',
  ended_at: at(0),
  ...changes,
})

const starts: Record<string, Start> = {
  'the first one, without a schedule, at any time': { starts: true },
  'at once after a test that could not be paid for': {
    newest: inVain({ error_code: 'TEST_NOT_AFFORDABLE' }),
    starts: true,
  },
  'at its time': { schedule: daily, seenAt: at(0), starts: true },
  'not before one was seen': { schedule: daily, starts: false },
  'ten minutes after that no more': {
    schedule: daily,
    seenAt: at(0),
    now: at(10 * minute),
    starts: false,
  },
  'until just before that': {
    schedule: daily,
    seenAt: at(0),
    now: at(10 * minute - 1),
    starts: true,
  },
  'not while the clock is set back': {
    schedule: daily,
    seenAt: at(0),
    now: at(-1),
    starts: false,
  },
  'not when the pipeline was saved after its time': {
    schedule: daily,
    seenAt: at(0),
    savedAt: at(second),
    now: at(minute),
    starts: false,
  },
  'not when the newest was made at its time or after it': {
    schedule: daily,
    seenAt: at(0),
    newest: { ...endedAs('failed'), created_at: at(0) },
    now: at(minute),
    starts: false,
  },
  'when the newest was made before its time': {
    schedule: daily,
    seenAt: at(0),
    newest: { ...endedAs('failed'), created_at: at(-1) },
    now: at(minute),
    starts: true,
  },
  'not within an hour of one that found too little': {
    newest: inVain(),
    now: at(hour - 1),
    starts: false,
  },
  'not within an hour of one that stalled': {
    newest: inVain({ error_code: 'STEP_STALLED:WRITE_ROWS' }),
    now: at(hour - 1),
    starts: false,
  },
  'nor of one whose test stalled': {
    newest: inVain({ error_code: 'STEP_STALLED:ANSWER', adapter: 'a'.repeat(64) }),
    now: at(hour - 1),
    stalls: 1,
    starts: false,
  },
  'not within four hours of the third that stalled': {
    newest: inVain({ error_code: 'STEP_STALLED:WRITE_ROWS' }),
    now: at(4 * hour - 1),
    stalls: 3,
    starts: false,
  },
  'four hours after that': {
    newest: inVain({ error_code: 'STEP_STALLED:WRITE_ROWS' }),
    now: at(4 * hour),
    stalls: 3,
    starts: true,
  },
  'a day after however many': {
    newest: inVain({ error_code: 'STEP_STALLED:WRITE_ROWS' }),
    now: at(24 * hour),
    stalls: 99,
    starts: true,
  },
  'an hour after that': { newest: inVain(), now: at(hour), starts: true },
  'not at its time within that hour': {
    schedule: daily,
    seenAt: at(0),
    newest: inVain({ created_at: at(-hour), ended_at: at(-minute) }),
    starts: false,
  },
  'at once after the loop was off': {
    newest: inVain({ error_code: 'ENV_GATED:SWITCHED_OFF' }),
    now: at(second),
    starts: true,
  },
  'and then without waiting for its schedule': {
    schedule: daily,
    newest: inVain({ error_code: 'ENV_GATED:SWITCHED_OFF' }),
    now: at(hour),
    starts: true,
  },
  'until its next scheduled time has passed': {
    schedule: daily,
    newest: inVain({ error_code: 'ENV_GATED:SWITCHED_OFF' }),
    now: at(24 * hour + 10 * minute),
    starts: false,
  },
  'at that time': {
    schedule: daily,
    seenAt: at(24 * hour),
    newest: inVain({ error_code: 'ENV_GATED:SWITCHED_OFF', created_at: at(0) }),
    now: at(24 * hour),
    starts: true,
  },
  'at once after one that has trained': {
    newest: inVain({ error_code: null, adapter: 'a'.repeat(64) }),
    now: at(second),
    starts: true,
  },
  'at once after one that failed': {
    newest: { ...endedAs('failed'), ended_at: at(0) },
    now: at(second),
    starts: true,
  },
}

describe('an attempt may start', () => {
  for (const [
    name,
    { schedule = null, savedAt, seenAt = null, newest, now = at(0), stalls, starts: may },
  ] of Object.entries(starts)) {
    test(name, () => {
      const updated_at = savedAt ?? at(-24 * hour)
      const pipeline = { schedule, updated_at, schedule_seen_at: seenAt }
      assert.equal(mayStart(pipeline, newest ? attemptRow(newest) : null, now, stalls), may)
    })
  }
})

type Time = { schedule?: Schedule | null; savedAt?: Date; newestAt?: Date; seenAt?: Date }
const day = 24 * hour
const times: [what: string, Time, now: Date, isNew: boolean][] = [
  ['without a schedule', { schedule: null }, at(0), false],
  ['just before', {}, at(-1), false],
  ['at its time', {}, at(0), true],
  ['on its day', { schedule: { every: 'week', at: '12:00', weekday: 'sunday' } }, at(0), true],
  ['on another', { schedule: { every: 'week', at: '12:00', weekday: 'monday' } }, at(0), false],
  ['once it was seen', { seenAt: at(second) }, at(minute), false],
  ['hours late, because the machine slept', {}, at(9 * hour), true],
  ['days late, for all of them', { seenAt: at(-day) }, at(5 * day), true],
  ['and then no more', { seenAt: at(5 * day + hour) }, at(6 * day - 1), false],
  ['until the next', { seenAt: at(5 * day + hour) }, at(6 * day), true],
  ['after a save at its time', { savedAt: at(0) }, at(minute), false],
  ['after a save before it', { savedAt: at(-1) }, at(minute), true],
  ['after an attempt that was made since', { newestAt: at(second) }, at(hour), false],
  ['after an attempt that was made before', { newestAt: at(-1) }, at(hour), true],
]

describe('a time of its schedule has come that was not seen', () => {
  for (const [what, { schedule = daily, savedAt, newestAt, seenAt = null }, now, isNew] of times) {
    test(`${what}: ${isNew}`, () => {
      const updated_at = savedAt ?? at(-day / 2)
      const newest = newestAt ? { created_at: newestAt } : null
      const pipeline = { schedule, schedule_seen_at: seenAt, updated_at }
      assert.equal(hasNewTime(pipeline, newest, now), isNew)
    })
  }
})

test('after one that was stopped before it marked its samples, only what came later counts', () => {
  const stopped = { ...endedAs('stopped'), ended_at: at(0) }
  const after = (newest: Partial<AttemptRow> | null): Date | null =>
    onlyAfter(newest && attemptRow(newest))
  assert.deepEqual(after({ ...stopped, train_rows: null }), at(0))
  assert.equal(after({ ...stopped, train_rows: 1000 }), null, 'what it used is marked')
  assert.equal(after({ ...endedAs('failed'), train_rows: null }), null)
  assert.equal(after(null), null)
})

test('what starts again after the loop was off needs no new samples beyond the minimum', () => {
  const counts = { usable: 3000, heldBack: 150, unlearned: 1000, unused: 0, arrived: 0 }
  const of = { heldBackPercent: 5, lastSkipped: 0, shortfall: null, hasVersion: true }
  assert.deepEqual([hasEnough(counts, of, true), hasEnough(counts, of, false)], [true, false])
  assert.equal(hasEnough({ ...counts, unlearned: 999 }, of, true), false)
})

test('it is quiet for a minute, or has been ready for ten', () => {
  const quiet = (newestAgo: number | null, readyAgo: number): boolean => {
    const newestAt = newestAgo === null ? null : at(-newestAgo)
    return isQuiet({ newestAt }, at(-readyAgo), at(0))
  }
  assert.equal(quiet(minute, 0), true)
  assert.equal(quiet(minute - 1, 0), false)
  assert.equal(quiet(0, 10 * minute - 1), false)
  assert.equal(quiet(0, 10 * minute), true)
  assert.equal(quiet(null, 0), true)
})
