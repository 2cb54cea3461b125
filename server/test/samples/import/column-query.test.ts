// Statements whose parameters are sent as written columns: the database finds what was written beside the other parameters,
// and a statement that it refuses, or that stalls, costs no later one anything.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { orderedId } from '#server/samples/import/ordered-id.ts'
import * as arrays from '#server/storage/binary-array.ts'
import { GuardedPool } from '#server/storage/guarded-pool.ts'
import { StorageUnavailable } from '#server/storage/storage-unavailable.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'

let database: TestDatabase
let pool: GuardedPool
before(async () => {
  database = await testDatabase()
  // One connection, so that each statement meets what the one before has left.
  pool = new GuardedPool({ url: database.url, connectionsMax: 1, connectMs: 30_000, queryMs: 3000 })
})
after(async () => {
  await pool.end()
})

const texts = ['', 'Straße 東京 😀', null, '\\"{}', 'x'.repeat(300_000)]
const ids = texts.map((_, index) => (index === 1 ? null : orderedId(1e12, index)))

function query(name: string, text: string, rest: (string | null)[] = []): Promise<object[]> {
  const columns = [arrays.textColumn(texts), arrays.uuidColumn(ids)]
  const bytes = arrays.writeColumns(columns, (size) => new ArrayBuffer(size + 5000))
  return pool.queryColumns({ name, text, columns: { count: columns.length, bytes }, rest })
}

const select = `select $1::text[] as texts, $2::uuid[] as ids, $3::text as said, $4::uuid as missing`
const found = [{ texts, ids, said: 'ä, \\ and "b"', missing: null }]

test('the database finds the columns and what comes behind them, every time', async () => {
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(await query('columns', select, ['ä, \\ and "b"', null]), found)
    assert.deepEqual(await pool.query('one', 'select $1::int as one', [1]), [{ one: 1 }])
  }
})

test('a statement that the database refuses leaves the connection as it was', async () => {
  const refused = 'select 1 / cardinality($1::text[] || $2::uuid[]::text[] || $3::text[])'
  await assert.rejects(query('columns-refused', refused, ['no list']), { code: '22P02' })
  await assert.rejects(query('columns-wrong', 'select $1::text[], $2::uuid[], nothing'), {
    code: '42703',
  })
  assert.deepEqual(await query('columns', select, ['ä, \\ and "b"', null]), found)
})

test('a statement that stalls is given up, and its connection with it', async () => {
  const stalled = 'select pg_sleep(60), $1::text[], $2::uuid[]'
  await assert.rejects(query('columns-stalled', stalled), StorageUnavailable)
  assert.deepEqual(await query('columns', select, ['ä, \\ and "b"', null]), found)
})
