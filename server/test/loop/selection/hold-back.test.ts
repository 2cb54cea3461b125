// What is held back, and that whole questions are, as few as leave enough to train on. Spec 2, held-back test, rule 6.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdBack, sides } from '#server/loop/selection/hold-back.ts'
import { firstNeed, heldBackCount } from '#server/loop/selection/minimums.ts'
import { rowFlags } from '#server/loop/selection/selected-rows.ts'

/** A question and what a version or an earlier attempt did with it; of its rows, some were held back and some have a judge's answer. */
type Asked = { rows: number; judged?: number; wasHeld?: number; held?: boolean; learned?: boolean }

function divide(asked: readonly Asked[], percent = 5, least = {}) {
  const of = asked.flatMap(({ rows }, question) => Array<number>(rows).fill(question))
  const flags = asked.flatMap(({ rows, judged = 0, wasHeld = 0 }) =>
    Array.from(
      { length: rows },
      (_, row) => (row < judged ? rowFlags.byJudge : 0) | (row < wasHeld ? rowFlags.held : 0),
    ),
  )
  const rows = {
    count: of.length,
    flags: Uint8Array.from(flags),
    questions: {
      count: asked.length,
      of: Uint32Array.from(of),
      held: Uint8Array.from(asked, ({ held = false }) => Number(held)),
      learned: Uint8Array.from(asked, ({ learned = false }) => Number(learned)),
    },
  }
  const divided = holdBack(rows, percent, least)
  const sidesOf = (question: number): number[] =>
    [...divided.sides].filter((_, row) => of[row] === question)
  return { ...divided, sidesOf }
}

const many = (count: number, one: Asked = { rows: 1 }): Asked[] =>
  Array.from({ length: count }, () => one)
const { training, heldBack, neither } = sides

test('at least 100 are held back, or the share if that is more, rounded up', () => {
  const table = [
    [0, 5, 100],
    [1100, 5, 100],
    [2000, 5, 100],
    [2001, 5, 101],
    [1112, 10, 112],
    [1177, 15, 177],
    [1250, 20, 250],
  ] as const
  for (const [usable, percent, held] of table) assert.equal(heldBackCount(usable, percent), held)
})

test('need is the smallest number that leaves 1,000 to train on, at every share', () => {
  assert.deepEqual(
    [5, 10, 15, 20].map((percent) => firstNeed(percent)),
    [1100, 1112, 1177, 1250],
  )
  for (let percent = 1; percent <= 20; percent++) {
    const need = firstNeed(percent)
    assert.equal(divide(many(need), percent).training, 1000)
    assert.ok(divide(many(need - 1), percent).training < 1000)
  }
})

const tables: [what: string, asked: Asked[], held: number, trained: number][] = [
  ['fewer where there are fewer', many(60), 60, 0],
  ['nothing of what a version learned', many(940, { rows: 1, learned: true }), 0, 940],
  ["no judge's answers", [...many(60), ...many(940, { rows: 1, judged: 1 })], 60, 940],
  ['whole questions of four', many(420, { rows: 4 }), 100, 1580],
  ['small questions before a large one', [{ rows: 6 }, ...many(1100)], 100, 1006],
  ['a large one where small ones are too few', [...many(94), ...many(20, { rows: 60 })], 100, 1194],
  ['one more of three where no others fit', many(400, { rows: 3 }), 102, 1098],
  [
    'a large one where one more of three leaves too few',
    [{ rows: 100 }, { rows: 7 }, ...many(331, { rows: 3 })],
    100,
    1000,
  ],
  ['one of ten questions', many(10, { rows: 120 }), 120, 1080],
  [
    "what has no judge's answer first",
    [...many(50, { rows: 2, judged: 1 }), ...many(1100)],
    100,
    1100,
  ],
  [
    'the others where that is too little',
    [...many(120, { rows: 2, judged: 1 }), ...many(1000, { rows: 1, learned: true })],
    100,
    1040,
  ],
]
for (const [what, asked, held, trained] of tables) {
  test(`held back: ${what}`, () => {
    const divided = divide(asked)
    assert.deepEqual([divided.heldBack, divided.training], [held, trained])
  })
}

test('a question that is held back stays so with all that comes to it, but what a judge answered is set aside', () => {
  const { sidesOf, ...counts } = divide([{ rows: 300, judged: 2, held: true }, ...many(1100)])
  const judged = sidesOf(0).filter((side) => side === neither)
  assert.deepEqual([judged.length, counts.heldBack, counts.training], [2, 298, 1100])
  assert.deepEqual(new Set(sidesOf(0).slice(2)), new Set([heldBack]))
})

test('what was held back of a question that a version learned is set aside, and counts nowhere', () => {
  const asked = [{ rows: 5, wasHeld: 2, held: true, learned: true }, ...many(1100)]
  const { sidesOf, ...counts } = divide(asked)
  assert.deepEqual(sidesOf(0), [neither, neither, training, training, training])
  assert.deepEqual([counts.heldBack, counts.training], [100, 1003])
})

test('whenever whole questions can be held back so that enough remain, they are', () => {
  const least = { heldBackMin: 10, trainingMin: 100 }
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 3, max: 30 })),
    {
      minLength: 10,
      maxLength: 60,
    },
  )
  fc.assert(
    fc.property(sizes, (sizes) => {
      const total = sizes.reduce((sum, size) => sum + size, 0)
      const sums = new Set([0])
      for (const size of sizes) for (const sum of [...sums]) sums.add(sum + size)
      const isPossible = [...sums].some((sum) => sum >= 10 && total - sum >= 100)
      const asked = sizes.map((rows) => ({ rows }))
      const divided = divide(asked, 5, least)
      assert.equal(divided.heldBack >= 10 && divided.training >= 100, isPossible)
      // With ten equal questions or more, that is so from a tenth more than enough on.
      if (Math.max(...sizes) <= total / 10 && total >= 130) assert.ok(isPossible)
    }),
    { numRuns: 300 },
  )
})
