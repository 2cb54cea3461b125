// The slices of an import: whatever bounds them, each row is in one of them, at its own place and with what it brings.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PreparedRow, RefusedRow, RowOrder } from '#server/samples/import/import-messages.ts'
import { prepareSlice, type SliceLimits } from '#server/samples/import/prepare-rows.ts'
import { rowsOf } from '#server/samples/import/row-columns.ts'
import { rowsOfList } from '#server/samples/import/row-lines.ts'

const order: RowOrder = {
  rowIds: null,
  rowOffset: 0,
  pipelineId: null,
  goodByDefault: false,
  atMs: Date.UTC(2026, 0, 1),
}
const unbounded: SliceLimits = { rowsMax: 1000, charactersMax: 1e9, ms: 1e9 }

type Prepared = { rows: PreparedRow[]; refused: RefusedRow[]; sizes: number[] }

async function prepared(
  given: readonly object[],
  { limits = {}, ...ordered }: Partial<RowOrder> & { limits?: Partial<SliceLimits> } = {},
): Promise<Prepared> {
  const source = rowsOfList(structuredClone([...given]))
  const all: Prepared = { rows: [], refused: [], sizes: [] }
  for (let next = 0; next < given.length;) {
    const from = next
    const bounds = { ...unbounded, ...limits }
    const take = (bytes: number): ArrayBuffer => new ArrayBuffer(bytes)
    const done = await prepareSlice(source, { ...order, ...ordered }, from, bounds, take)
    next = done.next
    assert.ok(next > from, 'a slice brings at least one row on')
    all.rows.push(...rowsOf(done.slice.rows))
    all.refused.push(...done.slice.refused)
    all.sizes.push(next - from)
  }
  return all
}

const answered = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ prompt: `q${at}`, completion: `a${at}` }))
const bad = { text: 'no conversation' }
const positions = (rows: readonly { position: number }[]): number[] =>
  rows.map(({ position }) => position)
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)
const keysOf = ({ rows }: Prepared): string[] => rows.map(({ rowKey }) => rowKey)

describe('a slice ends', () => {
  for (const [why, limits, sizes] of [
    ['with as many rows as it may have', { rowsMax: 4 }, [4, 4, 2]],
    ['with the row that fills it', { charactersMax: 60 }, [2, 2, 2, 2, 2]],
    ['with the row that takes its time', { ms: 0 }, upTo(10).map(() => 1)],
  ] as const) {
    test(`${why}, and no row is lost or there twice`, async () => {
      const all = await prepared(answered(10), { limits })
      assert.deepEqual([all.sizes, positions(all.rows)], [sizes, upTo(10)])
      assert.deepEqual(keysOf(all), keysOf(await prepared(answered(10))), 'the bounds are no part')
      assert.equal(new Set(all.rows.map(({ id }) => id)).size, 10)
      all.rows.forEach((row, at) => assert.ok(row.conversation.includes(`q${at}`)))
    })
  }

  test('after rows that are refused as after others', async () => {
    const rows = answered(10).map((row, at) => (at % 3 === 0 ? bad : row))
    const all = await prepared(rows, { limits: { rowsMax: 2 } })
    assert.deepEqual(positions(all.refused), [1, 4, 7, 10])
    assert.deepEqual(positions(all.rows), [2, 3, 5, 6, 8, 9])
    const none = await prepared([bad, bad, bad], { limits: { ms: 0 } })
    assert.deepEqual([positions(none.refused), none.rows], [upTo(3), []])
  })
})

describe('the key of a row', () => {
  const rows = answered(3)

  test('is its place in the file and its content', async () => {
    const keys = keysOf(await prepared(rows, { rowOffset: 5000 }))
    assert.deepEqual(
      keys.map((key) => key.slice(0, 11)),
      ['at:0005000:', 'at:0005001:', 'at:0005002:'],
    )
    const [same, other] = [rows[0], { prompt: 'q0', completion: 'changed' }] as [object, object]
    const [first, second] = [keysOf(await prepared([same])), keysOf(await prepared([other]))]
    assert.notDeepEqual(first, second)
    assert.equal(first[0]?.length, 'at:0000000:'.length + 43, 'no word of it stands there')
  })

  test('is its own id where it has one, which cannot be read there', async () => {
    const rowIds = ['zoe@example.org', '', '17']
    const keys = keysOf(await prepared(rows, { rowIds }))
    for (const key of keys) assert.match(key, /^id:[\w-]{43}$/)
    assert.equal(new Set(keys).size, 3)
    const moved = keysOf(await prepared(answered(5).slice(2), { rowIds, rowOffset: 9 }))
    assert.deepEqual(moved, keys, 'wherever it stands and whatever it says')
  })

  test('is another one in each pipeline', async () => {
    const into = (pipelineId: string | null, rowIds: string[] | null) =>
      prepared(rows.slice(0, 1), { pipelineId, rowIds }).then(keysOf)
    for (const rowIds of [null, ['17']]) {
      const keys = await Promise.all([null, 'p1', 'p2'].map((id) => into(id, rowIds)))
      assert.equal(new Set(keys.flat()).size, 3)
    }
  })
})

test('feedback is what the row brings, else good where an answer is and good is the default', async () => {
  const rows = [
    { prompt: 'q', completion: 'a' },
    { prompt: 'q' },
    { prompt: 'q', completion: 'a', label: false },
    { prompt: 'q', completion: 'a', correction: 'Ask zoe@example.org' },
  ]
  for (const [goodByDefault, first] of [
    [false, null],
    [true, 'accepted'],
  ] as const) {
    const { rows: made } = await prepared(rows, { goodByDefault })
    assert.deepEqual(
      made.map(({ feedback }) => feedback?.verdict ?? null),
      [first, null, 'rejected', 'edited'],
    )
    assert.deepEqual(
      made.map(({ answered }) => answered),
      [true, false, true, true],
    )
    const correction = made[3]?.feedback?.correction ?? ''
    assert.ok(correction.includes('redacted:email') && !correction.includes('zoe'), correction)
  }
})
