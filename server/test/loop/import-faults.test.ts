// A database that goes away, falls silent or loses its answer in the middle of an import: the answer says exactly which
// rows to worry about, and sending again puts it right. Spec 2, import rules 1 and 2.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { ImportResult } from '#contract/import.ts'
import { until } from '#test/embedded-postgres/scratch.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { imported, manyRows, postImport, storedRows } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let hone: TestHone
before(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  hone = await testHone({ databaseUrl: proxy.url })
})
after(async () => {
  await proxy.set('pass')
  await hone.stop()
  await proxy.close()
  await database.drop()
})
beforeEach(recovered)

async function recovered(): Promise<void> {
  await proxy.set('pass')
  await until(
    async () =>
      hone.app.storage.changes.connected && (await hone.call('GET', '/readyz')).status === 200,
  )
}

const direct = () => ({ databaseUrl: database.url })

async function countOf(importId: string): Promise<number> {
  const [row] = await inDatabase<{ count: string }>(
    database.url,
    `select count(*) from sample where import_id = '${importId}'`,
  )
  return Number(row?.count)
}

function incomplete(answer: Answer): ImportResult {
  assert.equal(answer.status, 500, answer.text)
  const error = answer.json.error as unknown as ImportResult & { code: string; message: string }
  assert.equal(error.code, 'IMPORT_INCOMPLETE')
  assert.match(error.message, /import_id/)
  return error
}

const sent = 5000
const rows = manyRows(sent)

/** What the answer claims is so, and the same rows again make it whole. */
async function checkAndRetry(import_id: string, result: ImportResult): Promise<void> {
  assert.equal(result.import_id, import_id)
  assert.equal(result.imported + result.already_present + result.refused + result.not_saved, sent)
  assert.equal(result.not_saved_rows.length, result.not_saved)
  assert.ok(result.not_saved > 0)
  const there = await storedRows(direct(), import_id)
  const placeOf = (rowKey: string): number => Number(rowKey.split(':')[1]) + 1
  const storedPlaces = new Set(there.map(({ row_key }) => placeOf(row_key)))
  const notSaved = new Set(result.not_saved_rows)
  for (let place = 1; place <= sent; place++) {
    assert.ok(storedPlaces.has(place) || notSaved.has(place), `row ${place} is unaccounted for`)
  }
  const ids = new Set(there.map(({ id }) => id))
  for (const id of result.trace_ids) assert.ok(ids.has(id))
  assert.equal(result.trace_ids.length, result.imported)

  await recovered()
  const again = await imported(hone, { import_id, rows })
  assert.equal(again.imported, sent - there.length)
  assert.equal(again.already_present, there.length)
  const whole = await storedRows(direct(), import_id)
  assert.deepEqual(
    whole.map(({ row_key }) => placeOf(row_key)).sort((a, b) => a - b),
    rows.map((_, index) => index + 1),
  )
}

for (const mode of ['refuse', 'stall'] as const) {
  test(`a database that begins to ${mode} in the middle leaves exact positions`, async () => {
    const import_id = `middle-${mode}`
    await proxy.set('slow')
    const answer = postImport(hone, { import_id, rows })
    await until(async () => (await countOf(import_id)) >= 500)
    await proxy.set(mode)
    const result = incomplete(await answer)
    assert.ok(result.imported + result.not_saved === sent)
    await proxy.set('pass')
    await checkAndRetry(import_id, result)
  })
}

test('connections that are cut once cost only the rows on them', async () => {
  const import_id = 'cut-once'
  await proxy.set('slow')
  const answer = postImport(hone, { import_id, rows })
  await until(async () => (await countOf(import_id)) >= 500)
  proxy.cut()
  await proxy.set('pass')
  const result = incomplete(await answer)
  assert.ok(result.imported > 500, 'the rest was stored')
  await checkAndRetry(import_id, result)
})

test('an answer that is lost counts as not saved, and the next try finds the rows', async () => {
  const import_id = 'lost-reply'
  const lostBefore = proxy.repliesLost
  // The name of the statement goes with every use of it.
  proxy.loseReplyTo('insert-resumed-rows')
  const result = incomplete(await postImport(hone, { import_id, rows }))
  assert.equal(proxy.repliesLost, lostBefore + 1)
  const there = await countOf(import_id)
  assert.ok(there >= result.imported)
  await checkAndRetry(import_id, result)
})

test('feedback that could not be added to rows that are there is counted', async () => {
  const import_id = 'verdicts'
  const few = manyRows(20)
  const first = await imported(hone, { import_id, rows: few })
  assert.equal(first.imported, 20)
  proxy.loseReplyTo('review-present-rows')
  const call = { import_id, rows: [...few, { prompt: 'a' }], default_feedback: 'good' }
  const result = incomplete(await postImport(hone, call))
  assert.equal(result.already_present, 20)
  assert.equal(result.imported, 1)
  assert.equal(result.not_saved, 0)
  assert.equal(result.verdicts_not_saved, 20)
  await recovered()
  const again = await imported(hone, call)
  assert.equal(again.already_present, 21)
  assert.equal(again.verdicts_not_saved, 0)
  const stored = await storedRows(direct(), import_id)
  assert.equal(stored.filter(({ verdict }) => verdict === 'accepted').length, 20)
  for (const { signals, verdict } of stored) assert.equal(signals.length, verdict ? 1 : 0)
})

test('a database that is away from the start is 503 or names every row', async () => {
  await proxy.set('refuse')
  const answer = await postImport(hone, { import_id: 'away', rows: manyRows(3) })
  if (answer.status === 503) return
  assert.deepEqual(incomplete(answer).not_saved_rows, [1, 2, 3])
})
