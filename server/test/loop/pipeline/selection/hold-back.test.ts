// What is held back: random edits of a pipeline's samples between attempts must never move one that was held back, nor split equal
// prompts. Spec 2, held-back test, rule 6.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { holdBack, sides } from '#server/loop/pipeline/selection/hold-back.ts'
import { firstNeed, heldBackCount } from '#server/loop/pipeline/selection/minimums.ts'
import { promptHashBytes } from '#server/loop/pipeline/selection/prompt-hash.ts'
import { rowFlags } from '#server/loop/pipeline/selection/selected-rows.ts'

type Sample = { prompt: number; held: boolean; learned: boolean; byJudge: boolean }

const hashOf = (prompt: number): Buffer =>
  createHash('sha256').update(String(prompt)).digest().subarray(0, promptHashBytes)

function divide(samples: readonly Sample[], percent: number) {
  const rows = {
    count: samples.length,
    prompts: Buffer.concat(samples.map(({ prompt }) => hashOf(prompt))),
    flags: Uint8Array.from(
      samples.map(
        ({ held, learned, byJudge }) =>
          (held ? rowFlags.held : 0) |
          (learned ? rowFlags.learned : 0) |
          (byJudge ? rowFlags.byJudge : 0),
      ),
    ),
  }
  return holdBack(rows, percent)
}

const fresh = (prompt: number): Sample => ({ prompt, held: false, learned: false, byJudge: false })
const many = (count: number): Sample[] =>
  Array.from({ length: count }, (_, prompt) => fresh(prompt))

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
  assert.deepEqual([5, 10, 15, 20].map(firstNeed), [1100, 1112, 1177, 1250])
  for (let percent = 1; percent <= 20; percent++) {
    const need = firstNeed(percent)
    assert.equal(divide(many(need), percent).training, 1000)
    assert.ok(divide(many(need - 1), percent).training < 1000)
  }
})

test('fewer than 100 are held back only where fewer may be', () => {
  assert.equal(divide(many(60), 5).heldBack, 60)
  const judged = many(1000).map((sample, at) => ({ ...sample, byJudge: at >= 60 }))
  assert.equal(divide(judged, 5).heldBack, 60)
  const learned = many(1000).map((sample, at) => ({ ...sample, learned: at >= 60 }))
  assert.equal(divide(learned, 5).heldBack, 60)
})

test('a group larger than the room left trains, and smaller ones fill the room', () => {
  const large = Array.from({ length: 101 }, () => fresh(-1))
  const { sides: side, heldBack } = divide([...large, ...many(500)], 5)
  assert.ok(side.subarray(0, 101).every((one) => one === sides.training))
  assert.equal(heldBack, 100)
})

test("a judge's answer to a prompt that is held back is neither tested nor trained with", () => {
  const held = { ...fresh(1), held: true }
  const judged = { ...fresh(1), byJudge: true }
  const { sides: side } = divide([held, judged, ...many(0)], 5)
  assert.deepEqual([...side], [sides.heldBack, sides.neither])
})

type Edit =
  | { kind: 'add'; prompts: number[]; byJudge: boolean }
  | { kind: 'remove'; every: number; from: number }
  | { kind: 'train' }

const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    prompts: fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 400 }),
    byJudge: fc.boolean(),
  }),
  // Deleted, expired or pinned: to this decision they are the same, the row is no longer there.
  fc.record({
    kind: fc.constant('remove' as const),
    every: fc.integer({ min: 2, max: 9 }),
    from: fc.nat(8),
  }),
  fc.record({ kind: fc.constant('train' as const) }),
)

test('through random edits, what is held back stays so, equal prompts stand together, and the share is met', () => {
  fc.assert(
    fc.property(
      fc.array(edits, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 20 }),
      (history, percent) => {
        let samples: Sample[] = []
        for (const edit of history) {
          if (edit.kind === 'add') {
            const { byJudge } = edit
            samples.push(...edit.prompts.map((prompt) => ({ ...fresh(prompt), byJudge })))
          } else if (edit.kind === 'remove') {
            samples = samples.filter((_, at) => at % edit.every !== edit.from % edit.every)
          }
          const divided = divide(samples, percent)
          checkDivision(samples, divided.sides, percent)
          if (edit.kind !== 'train') continue
          samples = samples.map((sample, at) => ({
            ...sample,
            held: sample.held || divided.sides[at] === sides.heldBack,
            learned: sample.learned || divided.sides[at] === sides.training,
          }))
        }
      },
    ),
    { numRuns: 60 },
  )
})

function checkDivision(samples: readonly Sample[], side: Uint8Array, percent: number): void {
  const groups = Map.groupBy(samples.keys(), (at) => samples[at]!.prompt)
  let held = 0
  let mayBeHeld = 0
  for (const rows of groups.values()) {
    const of = (which: number): number => rows.filter((at) => side[at] === which).length
    assert.ok(of(sides.heldBack) === 0 || of(sides.training) === 0, 'a group stands on one side')
    const judged = rows.filter((at) => samples[at]!.byJudge).length
    assert.ok(of(sides.neither) <= judged)
    held += of(sides.heldBack)
    const isFree = judged === 0 && !rows.some((at) => samples[at]!.learned)
    if (isFree && rows.length === 1) mayBeHeld += 1
    for (const at of rows) {
      const { byJudge, learned } = samples[at]!
      if (samples[at]!.held) assert.equal(side[at], sides.heldBack, 'it stays held back')
      if (byJudge || learned) assert.notEqual(side[at], sides.heldBack)
    }
  }
  assert.ok(held >= Math.min(heldBackCount(samples.length, percent), mayBeHeld))
}

test('the order of the rows changes nothing', () => {
  const samples = many(700)
  const one = divide(samples, 20).sides
  const other = divide(samples.toReversed(), 20).sides
  assert.deepEqual([...other].reverse(), [...one])
})
