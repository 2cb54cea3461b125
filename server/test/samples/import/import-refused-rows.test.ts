// Rows that the database refuses for a reason of its own: each is refused alone, the others are stored, and a retry stays
// exact. What is wrong with the database and not with a row refuses none. Spec 2, import rules 1 and 2.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { ImportResult } from '#contract/import.ts'
import { imported, manyRows, postImport, storedRows } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
let s3: S3Server
before(async () => {
  s3 = await s3Server()
  hone = await testHone({ env: { HONE_STORAGE_HOSTS: s3.host } })
})
after(async () => {
  await hone.stop()
  await s3.close()
})

const poison = { prompt: 'This is poison', completion: 'Indeed' }
const reason = 'The database does not take this row.'
const change = (sql: string) => inDatabase(hone.databaseUrl, sql)

const refuseTexts = () =>
  change(
    `alter table sample_text add constraint pure check (conversation not like '%poison%') not valid`,
  )
const refuseFeedback = () =>
  change(`alter table signal add constraint pure check (correction not like '%poison%') not valid`)

/** Every statement that stores samples, or feedback, fails with this code, the first so many times. */
async function failWith(code: string, times: number, table = 'sample_text'): Promise<void> {
  await change(`
    create sequence failures;
    create function fail() returns trigger language plpgsql as $$ begin
      if nextval('failures') <= ${times} then raise 'no' using errcode = '${code}'; end if;
      return null;
    end $$;
    create trigger fail before insert on ${table}
      for each ${table === 'signal' ? 'row' : 'statement'} execute function fail()`)
}

afterEach(() =>
  change(`
    alter table sample_text drop constraint if exists pure;
    alter table signal drop constraint if exists pure;
    drop trigger if exists fail on sample_text;
    drop trigger if exists fail on signal;
    drop function if exists fail;
    drop sequence if exists failures`),
)

function rowsWithPoison(count: number, positions: readonly number[]): object[] {
  const rows: object[] = manyRows(count)
  for (const position of positions) rows[position - 1] = { ...poison, nr: position }
  return rows
}

function checkSums(result: ImportResult, sent: number): void {
  const { imported: stored, already_present, refused, not_saved, by_shape, trace_ids } = result
  assert.equal(stored + already_present + refused + not_saved, sent)
  assert.equal(trace_ids.length, stored + already_present)
  assert.equal(
    Object.values(by_shape).reduce((sum, count) => sum + count, 0),
    sent - refused,
  )
}

describe('a row whose text is refused', () => {
  const positions = [1, 2, 700, 1200]

  test('leaves a new import without it and with all others', async () => {
    await refuseTexts()
    const result = await imported(hone, { rows: rowsWithPoison(1200, positions) })
    checkSums(result, 1200)
    assert.deepEqual([result.imported, result.not_saved], [1196, 0])
    assert.deepEqual(result.refused_why, [{ reason, rows: positions }])
    assert.equal((await storedRows(hone, result.import_id)).length, 1196)
  })

  test('is refused again by a retry, and stored by one after the reason is gone', async () => {
    await refuseTexts()
    const call = { import_id: 'again', rows: rowsWithPoison(1200, positions) }
    const first = await imported(hone, call)
    assert.deepEqual([first.imported, first.refused], [1196, 4])
    const second = await imported(hone, call)
    checkSums(second, 1200)
    assert.deepEqual([second.imported, second.already_present, second.refused], [0, 1196, 4])
    assert.deepEqual(second.refused_why, [{ reason, rows: positions }])
    assert.deepEqual(second.trace_ids, first.trace_ids)
    await change('alter table sample_text drop constraint pure')
    const third = await imported(hone, call)
    checkSums(third, 1200)
    assert.deepEqual([third.imported, third.already_present, third.refused], [4, 1196, 0])
    assert.equal((await storedRows(hone, 'again')).length, 1200)
  })

  test('stands beside rows that are refused for what they are', async () => {
    await refuseTexts()
    const rows = [{ text: 'alone' }, poison, ...manyRows(2)]
    const result = await imported(hone, { rows, default_feedback: 'good' })
    checkSums(result, 4)
    assert.deepEqual([result.imported, result.reviewed, result.refused], [2, 2, 2])
    assert.deepEqual(result.refused_why.find((why) => why.reason === reason)?.rows, [2])
  })

  test('may be every row there is', async () => {
    await refuseTexts()
    const result = await imported(hone, { import_id: 'all', rows: manyRows(30).map(() => poison) })
    checkSums(result, 30)
    assert.equal(result.refused, 30)
    assert.deepEqual(await storedRows(hone, 'all'), [])
  })
})

describe('a row whose feedback is refused', () => {
  const good = (nr: number) => ({ prompt: `q${nr}`, completion: 'a', correction: 'Better' })
  const bad = { prompt: 'q', completion: 'a', correction: 'poison' }

  test('is refused where it is new', async () => {
    await refuseFeedback()
    const result = await imported(hone, { rows: [good(1), bad, good(2)] })
    checkSums(result, 3)
    assert.deepEqual([result.imported, result.reviewed, result.refused], [2, 2, 1])
    const stored = await storedRows(hone, result.import_id)
    assert.deepEqual(
      stored.map(({ signals }) => signals.length),
      [1, 1],
    )
  })

  test('costs a row that is there its verdict, and no other row anything', async () => {
    const call = { import_id: 'late', row_ids: ['1', '2', '3', '4'] }
    const rows = manyRows(3)
    const first = await imported(hone, { ...call, row_ids: ['1', '2', '3'], rows })
    await refuseFeedback()
    const answer = await postImport(hone, { ...call, rows: [good(1), bad, good(3), good(4)] })
    assert.equal(answer.status, 500, answer.text)
    const result = answer.json.error as unknown as ImportResult
    checkSums(result, 4)
    assert.deepEqual([result.imported, result.already_present, result.reviewed], [1, 3, 3])
    assert.deepEqual([result.verdicts_not_saved, result.needs_review, result.not_saved], [1, 1, 0])
    assert.deepEqual(result.trace_ids.slice(0, 3), first.trace_ids)
  })

  test('is refused in a bucket too, and leaves no object there for good', async () => {
    const key = hone.owner.key
    const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
    assert.equal((await hone.call('PUT', '/api/integrations/storage', { key, body })).status, 200)
    await refuseFeedback()
    const result = await imported(hone, { import_id: 'bucket', rows: [good(1), bad, good(2)] })
    checkSums(result, 3)
    assert.deepEqual([result.imported, result.refused], [2, 1])
    const unheld = await change(
      `select 1 from object_erasure where sample_id not in (select id from sample)`,
    )
    assert.equal(unheld.length, 1)
    await hone.call('DELETE', '/api/integrations/storage', { key })
  })
})

describe('what is not about a row', () => {
  // Read-only, not permitted, no such table, locked, broken inside.
  for (const code of ['25006', '42501', '42P01', '55P03', 'XX000']) {
    test(`refuses none: ${code} leaves all of them to be sent again`, async () => {
      await failWith(code, 1_000_000)
      const call = { import_id: `fault-${code}`, rows: manyRows(20) }
      const answer = await postImport(hone, call)
      assert.equal(answer.status, 500, answer.text)
      const result = answer.json.error as unknown as ImportResult
      checkSums(result, 20)
      assert.deepEqual([result.not_saved, result.refused], [20, 0])
      await change('drop trigger fail on sample_text')
      assert.equal((await imported(hone, call)).imported, 20)
    })
  }

  test('is said of a single row too', async () => {
    await failWith('XX000', 1_000_000)
    const answer = await postImport(hone, { rows: manyRows(1) })
    assert.equal(answer.json.error?.code, 'IMPORT_INCOMPLETE', answer.text)
    const result = answer.json.error as unknown as ImportResult
    assert.deepEqual([result.imported, result.not_saved_rows], [0, [1]])
  })

  test('costs only those their verdict that had one to add', async () => {
    const call = { import_id: 'verdicts', row_ids: ['1', '2', '3', '4'] }
    const rows = manyRows(3)
    const first = await imported(hone, {
      ...call,
      row_ids: ['1', '2', '3'],
      rows: [{ ...rows[0], label: false }, ...rows.slice(1)],
    })
    await failWith('XX000', 1_000_000, 'signal')
    const good = { prompt: 'q', completion: 'a', label: true }
    const answer = await postImport(hone, { ...call, rows: [good, good, rows[2], rows[2]] })
    assert.equal(answer.json.error?.code, 'IMPORT_INCOMPLETE', answer.text)
    const result = answer.json.error as unknown as ImportResult
    checkSums(result, 4)
    assert.deepEqual([result.imported, result.already_present, result.not_saved], [1, 3, 0])
    assert.deepEqual([result.reviewed, result.needs_review, result.verdicts_not_saved], [0, 3, 1])
    assert.deepEqual(result.trace_ids.slice(0, 3), first.trace_ids)
  })

  test('is tried again where two writers met', async () => {
    await failWith('40P01', 2)
    const result = await imported(hone, { rows: manyRows(20) })
    assert.deepEqual([result.imported, result.refused, result.not_saved], [20, 0, 0])
  })
})

test('imports of the same rows at the same time, in any order, store each once', async () => {
  const count = 1500
  const call = { import_id: 'at-once', default_feedback: 'good' }
  const forward = manyRows(count).map((row, nr) => ({ row, id: `row-${nr}` }))
  const orders = [forward, forward.toReversed(), forward, forward.toReversed()]
  const answers = await Promise.all(
    orders.map((order) =>
      imported(hone, {
        ...call,
        rows: order.map(({ row }) => row),
        row_ids: order.map(({ id }) => id),
      }),
    ),
  )
  for (const answer of answers) checkSums(answer, count)
  const sum = (of: (answer: ImportResult) => number): number =>
    answers.reduce((all, answer) => all + of(answer), 0)
  assert.equal(
    sum((answer) => answer.imported),
    count,
  )
  assert.equal(
    sum((answer) => answer.reviewed),
    count,
  )
  const stored = await storedRows(hone, 'at-once')
  assert.equal(stored.length, count)
  assert.ok(stored.every(({ signals }) => signals.length === 1))
  assert.deepEqual(answers[0]?.trace_ids, answers[2]?.trace_ids)
  assert.deepEqual(answers[0]?.trace_ids, answers[1]?.trace_ids.toReversed())
  // Waiting a second for a statement to be broken off, and beginning again, would have hidden that they met the wrong way.
  assert.equal(await deadlocks(), 0)
})

/** How often the database had to break off one of two statements that waited for each other. */
async function deadlocks(): Promise<number> {
  // A connection tells its counts when it ends, and may keep them to itself for ten seconds otherwise.
  const others = `from pg_stat_activity where datname = current_database()
    and backend_type = 'client backend' and pid <> pg_backend_pid()`
  await change(`select pg_terminate_backend(pid, 5000) ${others}`)
  const [row] = await change(
    `select deadlocks::int from pg_stat_database where datname = current_database()`,
  )
  return Number(row?.['deadlocks'])
}
