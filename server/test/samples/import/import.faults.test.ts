// A database that goes away, falls silent or loses its answer in the middle of an import: the answer says exactly which
// rows to worry about, and sending again puts it right. Spec 2, import rules 1 and 2.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { ImportResult } from '#contract/import.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { imported, manyRows, postImport, served, storedRows } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let database: TestDatabase
let proxy: DatabaseProxy
let hone: TestHone
before(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  hone = await testHone({ databaseUrl: proxy.url, storage: {} })
})
after(async () => {
  await proxy.set('pass')
  await hone.stop()
  await proxy.close()
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

/** Until some of the rows are stored. An answer that comes before that says what went wrong. */
async function inTheMiddle(import_id: string, answer: Promise<Answer>): Promise<void> {
  let early: string | undefined
  void answer.then(({ text }) => (early = text))
  await until(async () => early !== undefined || (await countOf(import_id)) >= 500)
  assert.equal(early, undefined)
}

for (const mode of ['refuse', 'stall'] as const) {
  test(`a database that begins to ${mode} in the middle leaves exact positions`, async () => {
    const import_id = `middle-${mode}`
    await proxy.set('slow')
    const answer = postImport(hone, { import_id, rows })
    await inTheMiddle(import_id, answer)
    await proxy.set(mode)
    const result = incomplete(await answer)
    assert.ok(result.imported + result.not_saved === sent)
    await proxy.set('pass')
    await checkAndRetry(import_id, result)
  })
}

test('connections that are cut once cost only the rows on them', async () => {
  const import_id = 'cut-once'
  // Connections that nobody uses are cut too, and are not to cost rows.
  await Promise.all(Array.from({ length: 8 }, () => hone.call('GET', '/api/loop/traces')))
  await proxy.set('slow')
  const answer = postImport(hone, { import_id, rows })
  await inTheMiddle(import_id, answer)
  proxy.cut()
  await proxy.set('pass')
  const result = incomplete(await answer)
  assert.ok(result.not_saved <= 2 * 500, `${result.not_saved} rows were on two connections`)
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

describe('rows that are there, when the database fails before their feedback is known', () => {
  const few = manyRows(20)
  const more = (import_id: string) => ({
    import_id,
    rows: [...few, { prompt: 'a' }],
    default_feedback: 'good',
  })

  test('are counted as they are, where only the answer was lost', async () => {
    const import_id = 'reply-of-review'
    const first = await imported(hone, { import_id, rows: few })
    proxy.loseReplyTo('review-present-rows')
    const result = served(await postImport(hone, more(import_id)))
    assert.deepEqual(
      [result.imported, result.already_present, result.reviewed, result.needs_review],
      [1, 20, 20, 1],
    )
    assert.equal(result.verdicts_not_saved, 0)
    assert.deepEqual(result.trace_ids.slice(0, 20), first.trace_ids)
    const stored = await storedRows(direct(), import_id)
    for (const { signals, verdict } of stored) assert.equal(signals.length, verdict ? 1 : 0)
  })

  test('are counted as waiting, with the verdicts that were not saved and no others', async () => {
    const import_id = 'failed-review'
    const labelled = few.map((row, index) => (index < 5 ? { ...row, label: true } : row))
    const row_ids = few.map((_, index) => `row-${index}`)
    const first = await imported(hone, { import_id, rows: labelled, row_ids })
    const call = { import_id, rows: few, row_ids, default_feedback: 'good' }
    const result = await whileFeedbackFails(async () => incomplete(await postImport(hone, call)))
    assert.deepEqual([result.already_present, result.not_saved, result.reviewed], [20, 0, 0])
    assert.deepEqual([result.verdicts_not_saved, result.needs_review], [15, 15])
    assert.deepEqual(result.trace_ids, first.trace_ids)
    const again = await imported(hone, call)
    assert.deepEqual([again.already_present, again.reviewed, again.needs_review], [20, 15, 0])
  })

  test('are not saved, where nothing is known of them', async () => {
    const import_id = 'nothing-known'
    await imported(hone, { import_id, rows: few })
    proxy.loseReplyTo('review-present-rows', 'read-present-rows')
    // Without feedback to add, only the counts say that something is amiss.
    const result = incomplete(await postImport(hone, { import_id, rows: few }))
    assert.deepEqual([result.already_present, result.not_saved], [0, 20])
    assert.deepEqual(result.trace_ids, [])
    const again = await imported(hone, { import_id, rows: few })
    assert.deepEqual([again.already_present, again.needs_review], [20, 20])
  })

  /** Rows of the table of feedback that come from an import are refused. */
  async function whileFeedbackFails<T>(act: () => Promise<T>): Promise<T> {
    await inDatabase(
      database.url,
      `alter table signal add constraint no_feedback check (given_by <> 'import') not valid`,
    )
    try {
      return await act()
    } finally {
      await inDatabase(database.url, 'alter table signal drop constraint no_feedback')
    }
  }
})

test('a database that is away from the start is 503 or names every row', async () => {
  await proxy.set('refuse')
  const answer = await postImport(hone, { import_id: 'away', rows: manyRows(3) })
  if (answer.status === 503) return
  assert.deepEqual(incomplete(answer).not_saved_rows, [1, 2, 3])
})
