// What stores redacted calls, without its thread and its database: how much may wait for a bucket, what becomes of those that do
// not get there, and how long a database that is away is asked again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CaptureOutcome } from '#contract/capture.ts'
import { newId } from '#server/lib/id.ts'
import { Patience } from '#server/samples/capture/patience.ts'
import { type PlaceTexts, SampleStorer } from '#server/samples/capture/sample-storer.ts'
import type { NewSample } from '#server/samples/sample/sample.ts'
import type { Storage } from '#server/storage/open-storage.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { newSample } from '#test/support/new-samples.ts'

const at = new Date('2026-05-04T03:02:01.234Z')
const owner = newId(at)
/** Nothing here waits for anything outside, so that far fewer are enough. */
const turnsMax = 10_000

function open(placeTexts: PlaceTexts): {
  storer: SampleStorer
  outcomes: Map<number, CaptureOutcome>
  finished: (count: number) => Promise<void>
} {
  const outcomes = new Map<number, CaptureOutcome>()
  // Says of everything that it was not there yet.
  const query = async (_name: string, _text: string, [, , ids]: unknown[]) =>
    String(ids)
      .slice(1, -1)
      .split(',')
      .map((id) => ({ id }))
  const storer = new SampleStorer({
    storage: { pool: { query } as unknown as Storage['pool'] },
    findOwners: async (ids) => new Set(ids),
    placeTexts,
    finish: (done) => {
      for (const { number, outcome } of done) {
        assert.ok(!outcomes.has(number), `${number} is finished once`)
        outcomes.set(number, outcome)
      }
    },
    failed: () => {},
  })
  const finished = async (count: number): Promise<void> => {
    for (let turn = 0; turn < turnsMax && outcomes.size < count; turn++) await nextTurn()
    assert.equal(outcomes.size, count)
  }
  return { storer, outcomes, finished }
}

const mebi = 1024 * 1024

function samples(count: number, bytes = 10): { number: number; sample: NewSample }[] {
  const text = { conversation: '', searchText: null, bytes }
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    sample: newSample(owner, at, { text, objectKey: 'somewhere' }),
  }))
}

for (const [what, count, bytes, taken] of [
  ['5,000 samples', 5_600, 10, 512 + 5_000],
  ['16 MiB and the one that fills them', 30, mebi, 4 + 17],
] as const) {
  test(`beside what is under way, ${what} wait for a bucket, and the rest is lost at once`, async () => {
    const opened = Promise.withResolvers<void>()
    const { storer, outcomes, finished } = open(async (_, given) => {
      await opened.promise
      return { placed: given, failed: [] }
    })
    storer.add(samples(count, bytes))
    await finished(count - taken)
    assert.deepEqual(new Set(outcomes.values()), new Set(['own_storage_unavailable']))
    opened.resolve()
    await finished(count)
    const recorded = [...outcomes.values()].filter((outcome) => outcome === 'recorded')
    assert.equal(recorded.length, taken)
    // There is room again.
    storer.add(samples(1).map(({ sample }) => ({ number: count + 1, sample })))
    await finished(count + 1)
    assert.equal(outcomes.get(count + 1), 'recorded')
  })
}

test('those that a bucket does not take are lost, and the others of their group stored', async () => {
  const { storer, outcomes, finished } = open(async (_, given) => ({
    placed: given.filter((_one, index) => index !== 1),
    failed: given.slice(1, 2),
  }))
  storer.add(samples(3))
  await finished(3)
  assert.deepEqual(
    [1, 2, 3].map((number) => outcomes.get(number)),
    ['recorded', 'own_storage_unavailable', 'recorded'],
  )
})

test('a bucket that fails otherwise loses its group, and the next one is tried', async () => {
  let tried = 0
  const { storer, outcomes, finished } = open(async (_, given) => {
    if (++tried === 1) throw new Error('odd')
    return { placed: given, failed: [] }
  })
  storer.add(samples(600))
  await finished(600)
  const count = (sought: CaptureOutcome): number =>
    [...outcomes.values()].filter((outcome) => outcome === sought).length
  assert.deepEqual([count('storage_unavailable'), count('recorded')], [512, 88])
})

const away = new StorageUnavailable(new Error('refused'))

test('a database that is away is asked ten times, and one that answers no more than once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const patience = new Patience()
  let asked = 0
  const failing = patience.trying(async () => {
    asked += 1
    throw away
  })
  const failed = assert.rejects(failing, away)
  for (let turn = 0; turn < 100; turn++) {
    await nextTurn()
    t.mock.timers.tick(60_000)
  }
  assert.equal(asked, 10)
  await failed
  const odd = new Error('odd')
  await assert.rejects(
    patience.trying(async () => {
      asked += 1
      throw odd
    }),
    odd,
  )
  assert.equal(asked, 11)
  assert.equal(await patience.trying(async () => 'here'), 'here')
})

test('once Hone stops, a database that is away is asked once more and then not at all', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const patience = new Patience()
  let asked = 0
  const ask = () =>
    patience.trying(async () => {
      asked += 1
      throw away
    })
  const waiting = assert.rejects(ask(), away)
  await nextTurn()
  assert.equal(asked, 1)
  patience.end()
  await waiting
  assert.equal(asked, 2)
  await assert.rejects(ask(), StorageUnavailable)
  assert.equal(asked, 2)
})

test('once Hone stops, a database that is there is still given everything', async () => {
  const patience = new Patience()
  patience.end()
  for (const value of [1, 2, 3]) assert.equal(await patience.trying(async () => value), value)
})
