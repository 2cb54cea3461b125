// What an attempt trains on, of what is not held back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTraining, type TrainingChoice } from '#server/loop/selection/replay.ts'
import { sides } from '#server/loop/selection/hold-back.ts'
import { rowFlags } from '#server/loop/selection/selected-rows.ts'

const live: TrainingChoice = { buildsOn: 'live', liveVersion: 1, replayPercent: 50, seed: 1 }

function rowsOf(kinds: readonly ('new' | 'learned' | 'held')[]) {
  return {
    count: kinds.length,
    flags: Uint8Array.from(
      kinds.map((kind) => (kind === 'new' ? rowFlags.unlearned : rowFlags.learned)),
    ),
    sides: Uint8Array.from(
      kinds.map((kind) => (kind === 'held' ? sides.heldBack : sides.training)),
    ),
  }
}
const rows = (fresh: number, learned: number) =>
  rowsOf([
    ...Array.from({ length: fresh }, () => 'new' as const),
    ...Array.from({ length: learned }, () => 'learned' as const),
    'held',
  ])
const indexes = (chosen: Uint8Array): number[] =>
  [...chosen.keys()].filter((row) => chosen[row] === 1)

test('before the first version, and from the base, all is trained on that is not held back', () => {
  for (const choice of [
    { ...live, liveVersion: null },
    { ...live, buildsOn: 'base' as const },
  ]) {
    const { chosen, unlearnedRows, replayed } = chooseTraining(rows(3, 2), choice)
    assert.deepEqual([indexes(chosen), unlearnedRows, replayed], [[0, 1, 2, 3, 4], 3, 0])
  }
})

test('on the live version, what is new is trained on and a share of what was learned is repeated', () => {
  const table = [
    [0, 1000],
    [10, 1111],
    [50, 2000],
  ] as const
  for (const [replayPercent, total] of table) {
    const { chosen, unlearnedRows, replayed } = chooseTraining(rows(1000, 5000), {
      ...live,
      replayPercent,
    })
    assert.deepEqual([unlearnedRows, unlearnedRows + replayed], [1000, total])
    assert.equal(indexes(chosen).length, total)
    assert.ok(chosen.subarray(0, 1000).every((one) => one === 1))
    assert.equal(chosen.at(-1), 0)
  }
})

test('when little was learned, all of it is repeated', () => {
  assert.equal(chooseTraining(rows(1000, 7), live).replayed, 7)
})

test('what is repeated follows from the seed, and is spread over all that was learned', () => {
  const of = (seed: number): number[] =>
    indexes(chooseTraining(rows(500, 2000), { ...live, seed }).chosen).slice(500)
  assert.deepEqual(of(1), of(1))
  assert.notDeepEqual(of(1), of(2))
  const inFirstHalf = of(3).filter((row) => row < 1500).length
  assert.ok(inFirstHalf > 180 && inFirstHalf < 320, `${inFirstHalf} of 500`)
})

test('of more than 200,000, the newest are trained on', () => {
  const { chosen, unlearnedRows } = chooseTraining(rows(200_010, 0), { ...live, liveVersion: null })
  assert.equal(unlearnedRows, 200_000)
  assert.deepEqual([chosen[199_999], chosen[200_000]], [1, 0])
})
