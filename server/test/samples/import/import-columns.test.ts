// The rows of an import as arrays in binary: the database reads in them what was written, and so do we.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { PreparedRow } from '#server/samples/import/import-messages.ts'
import { orderedId } from '#server/samples/import/ordered-id.ts'
import { columnsOf, idsOf, rowsOf } from '#server/samples/import/row-columns.ts'
import * as arrays from '#server/storage/binary-array.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

let database: TestDatabase
let client: pg.Client
before(async () => {
  database = await testDatabase()
  client = new pg.Client(database.url)
  await client.connect()
})
after(async () => {
  await client.end()
})

const take = (bytes: number): ArrayBuffer => new ArrayBuffer(bytes)

function written(column: arrays.Column): Buffer {
  const [bytes] = arrays.splitColumns(arrays.writeColumns([column], take))
  return bytes as Buffer
}

async function throughDatabase(type: string, column: arrays.Column): Promise<unknown> {
  const { rows } = await client.query<{ found: unknown }>(`select $1::${type}[] as found`, [
    written(column),
  ])
  return rows[0]?.found
}

const texts = ['', 'a', null, 'Straße, 東京 😀', '{"a,b",\\}', 'NULL', null, 'x'.repeat(100_000)]
const ids = [orderedId(0, 0), null, 'ffffffff-ffff-ffff-ffff-ffffffffffff', orderedId(1e12, 4999)]
const integers = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]
const booleans = [true, false, true]

test('what the database finds in a column is what was put into it', async () => {
  assert.deepEqual(await throughDatabase('text', arrays.textColumn(texts)), texts)
  assert.deepEqual(await throughDatabase('uuid', arrays.uuidColumn(ids)), ids)
  assert.deepEqual(await throughDatabase('integer', arrays.integerColumn(integers)), integers)
  assert.deepEqual(await throughDatabase('boolean', arrays.booleanColumn(booleans)), booleans)
  for (const type of ['text', 'uuid'] as const) {
    assert.deepEqual(await throughDatabase(type, arrays[`${type}Column`]([])), [])
    assert.deepEqual(await throughDatabase(type, arrays[`${type}Column`]([null])), [null])
  }
})

test('a column is read back as it was written', () => {
  assert.deepEqual(arrays.readTextColumn(written(arrays.textColumn(texts))), texts)
  assert.deepEqual(arrays.readUuidColumn(written(arrays.uuidColumn(ids))), ids)
  assert.deepEqual(arrays.readIntegerColumn(written(arrays.integerColumn(integers))), integers)
  assert.deepEqual(arrays.readBooleanColumn(written(arrays.booleanColumn(booleans))), booleans)
  assert.deepEqual(arrays.readTextColumn(written(arrays.textColumn([]))), [])
})

test('rows come back from their columns', () => {
  const row = (position: number, more: Partial<PreparedRow>): PreparedRow => ({
    position,
    id: orderedId(1e12, position),
    rowKey: `key ${position}`,
    shape: 'completion',
    answered: true,
    conversation: '{"answer":"ä"}',
    searchText: 'ä',
    bytes: 15,
    feedback: null,
    ...more,
  })
  const signalId = orderedId(1e12, 9)
  const rows = [
    row(1, {}),
    row(3, { shape: 'prompt', answered: false }),
    row(4, { shape: 'label', feedback: { signalId, verdict: 'accepted', correction: null } }),
    row(7, { shape: 'correction', feedback: { signalId, verdict: 'edited', correction: 'ö' } }),
  ]
  const columns = columnsOf(rows, take)
  assert.deepEqual(rowsOf(columns), rows)
  assert.deepEqual(
    idsOf(columns),
    rows.map(({ id }) => id),
  )
  assert.equal(columns.reviewed, 2)
  assert.deepEqual(columns.shapeCounts, { completion: 1, prompt: 1, label: 1, correction: 1 })
})

test('ids of rows come in the order of the rows, also where the counter runs over', () => {
  const made = Array.from({ length: 10_000 }, (_, index) => orderedId(1e12, index))
  assert.deepEqual(made.toSorted(), made)
  assert.equal(new Set(made).size, made.length)
  for (const id of made)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
})
