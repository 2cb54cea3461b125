// How many samples an attempt needs. Spec 2, Limits, first attempt minimum.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  distanceOf,
  firstNeed,
  heldBackCount,
  lackingOf,
  minimumsOf,
} from '#server/loop/selection/minimums.ts'
import { hasEnough } from '#server/loop/attempt/is-due.ts'

test('the first attempt needs the numbers that the spec gives', () => {
  assert.deepEqual(
    [5, 10, 15, 20].map((percent) => firstNeed(percent)),
    [1100, 1112, 1177, 1250],
  )
})

test('for every share, so many leave 1,000 to train on, and one fewer does not', () => {
  for (let percent = 1; percent <= 20; percent++) {
    const need = firstNeed(percent)
    assert.ok(need - heldBackCount(need, percent) >= 1000, `${percent}%`)
    for (let fewer = 0; fewer < need; fewer++) {
      assert.ok(fewer - heldBackCount(fewer, percent) < 1000, `${fewer} at ${percent}%`)
    }
  }
})

test('at least 100 are held back, and a share is rounded up', () => {
  assert.deepEqual(
    [heldBackCount(1100, 5), heldBackCount(2000, 5), heldBackCount(2001, 5), heldBackCount(0, 20)],
    [100, 100, 101, 100],
  )
})

/** What it has: usable, held back, not learned, not used, skipped; whether a version is live. What that makes: have, need, new. */
const distances: [
  what: string,
  counts: [number, number, number, number, number],
  hasVersion: boolean,
  distance: [number, number, number],
  may: 'start by itself' | 'train now' | 'wait',
][] = [
  ['none', [0, 0, 0, 0, 0], false, [0, 1100, 0], 'wait'],
  ['one too few', [1099, 0, 1099, 1099, 0], false, [1099, 1100, 1099], 'wait'],
  ['enough', [1100, 0, 1100, 1100, 0], false, [1100, 1100, 1100], 'start by itself'],
  ['what cannot be used', [1110, 0, 1110, 1110, 20], false, [1090, 1100, 1090], 'wait'],
  [
    'an attempt that led to nothing',
    [1150, 100, 1050, 50, 0],
    false,
    [1150, 1100, 50],
    'train now',
  ],
  ['a version just went live', [1150, 100, 0, 0, 0], true, [0, 1000, 0], 'wait'],
  // 5% of 2,150 are 108, so 8 of the new ones will be held back.
  ['1,000 new ones', [2150, 100, 1000, 1000, 0], true, [992, 1000, 1000], 'wait'],
  ['8 more to hold back', [2158, 100, 1008, 1008, 0], true, [1000, 1000, 1008], 'start by itself'],
  ['they were used in vain', [2158, 108, 1000, 0, 0], true, [1000, 1000, 0], 'train now'],
  [
    'more is held back than must be',
    [1500, 200, 1000, 1000, 0],
    true,
    [1000, 1000, 1000],
    'start by itself',
  ],
  ['skipped ones stay new for ever', [1190, 100, 40, 40, 40], true, [0, 1000, 0], 'wait'],
  ['skipped ones that were deleted since', [1150, 100, 10, 10, 40], true, [0, 1000, 0], 'wait'],
]
for (const [
  what,
  [usable, heldBack, unlearned, unused, lastSkipped],
  hasVersion,
  distance,
  may,
] of distances) {
  test(`${hasVersion ? 'with' : 'without'} a live version, ${what}: ${may}`, () => {
    const counts = { usable, heldBack, unlearned, unused, arrived: 0 }
    const of = { heldBackPercent: 5, lastSkipped, shortfall: null, hasVersion }
    const { have, need, new_samples, ready } = distanceOf(counts, of)
    assert.deepEqual([have, need, new_samples], distance)
    const starts = hasEnough(counts, of, false)
    assert.equal(ready ? (starts ? 'start by itself' : 'train now') : 'wait', may)
  })
}

for (const [usable, hasVersion, reason] of [
  [0, false, '0 of 1,100 good or corrected samples are there, so 1,100 more are needed.'],
  [1099, false, '1,099 of 1,100 good or corrected samples are there, so 1 more is needed.'],
  [1100, false, null],
  [999, true, '999 of 1,000 new good or corrected samples are there, so 1 more is needed.'],
] as const) {
  test(`what is missing is said for ${usable} samples ${hasVersion ? 'with' : 'without'} a live version`, () => {
    const counts = { usable, heldBack: 100, unlearned: usable, unused: usable, arrived: 0 }
    const of = { heldBackPercent: 5, lastSkipped: 0, shortfall: null, hasVersion }
    const shown = minimumsOf({ ...counts, unreviewed: 7 }, of)
    assert.deepEqual([shown.reason, shown.ready, shown.unreviewed], [reason, reason === null, 7])
  })
}

/** What a selection lacked, and how much of that to hold back; what came since, and what there is now. */
const shortfalls: [
  what: string,
  shortfall: { samples: number; held_back?: number; had?: number; arrived?: number },
  has: { usable: number; unlearned?: number; hasVersion?: boolean },
  distance: [have: number, need: number],
  reason: RegExp,
][] = [
  ['two', { samples: 2 }, { usable: 1100 }, [1100, 1102], /which left 2 too few to train on\.$/],
  [
    'two, of which one came',
    { samples: 2, arrived: 1 },
    { usable: 1101 },
    [1101, 1102],
    /so 1 more/,
  ],
  ['two that came', { samples: 2, arrived: 2 }, { usable: 1102 }, [1102, 1100], /^ready$/],
  [
    'as many as were there',
    { samples: 600 },
    { usable: 500 },
    [500, 1100],
    /600 more are needed\.$/,
  ],
  [
    'some, and others went',
    { samples: 50, had: 9000, arrived: 20 },
    { usable: 3000 },
    [3000, 3030],
    /30 more/,
  ],
  ['two, and older ones were added', { samples: 2 }, { usable: 1102 }, [1102, 1100], /^ready$/],
  [
    'some to hold back',
    { samples: 40, held_back: 40 },
    { usable: 1100 },
    [1100, 1140],
    /so 40 more are needed\. Only 60 of the 100 samples for its test can be held back, because there are too few other questions/,
  ],
  [
    'all to hold back, of few',
    { samples: 1100, held_back: 100 },
    { usable: 0 },
    [0, 1100],
    /1,100 more are needed\.$/,
  ],
  [
    'new ones',
    { samples: 400 },
    { usable: 2100, unlearned: 1005, hasVersion: true },
    [1000, 1400],
    /^1,000 of 1,400 new .* which left 400 too few to train on\.$/,
  ],
]
for (const [what, lacked, has, distance, reason] of shortfalls) {
  test(`a selection that lacked ${what} raises the need until so many came`, () => {
    const { samples, held_back = 0, had: have = 1100, arrived = 0 } = lacked
    const { usable, unlearned = usable, hasVersion = false } = has
    const counts = { usable, heldBack: 100, unlearned, unused: unlearned, arrived, unreviewed: 0 }
    const shortfall = { samples, held_back, have, at: new Date().toISOString() }
    const shown = minimumsOf(counts, { heldBackPercent: 5, lastSkipped: 0, shortfall, hasVersion })
    assert.deepEqual([shown.have, shown.need], distance)
    assert.match(shown.reason ?? 'ready', reason)
  })
}

test('what a selection lacked is told by its rows, and with a version by those that are new', () => {
  const lacked = (trainRows: number, unlearnedRows: number, holdoutRows: number, live = false) =>
    Object.values(lackingOf({ trainRows, unlearnedRows, holdoutRows }, live))
  assert.deepEqual(lacked(1000, 0, 100), [0, 0])
  assert.deepEqual(lacked(998, 998, 102), [2, 0])
  assert.deepEqual(lacked(990, 0, 60), [50, 40])
  assert.deepEqual(lacked(5000, 900, 250, true), [100, 0])
  assert.deepEqual(lacked(5000, 1000, 250, true), [0, 0])
})
