// Imports into a workspace with a bucket of its own: conversations go there, once, and rows whose object could not be
// written are not saved.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ImportResult } from '#contract/import.ts'
import { imported, manyRows, postImport } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
let s3: S3Server
before(async () => {
  s3 = await s3Server()
  hone = await testHone({ env: { HONE_STORAGE_HOSTS: s3.host } })
  await connect()
})
after(async () => {
  await hone.stop()
  await s3.close()
})

async function connect(): Promise<void> {
  const bucket = { bucket: 'customer-data', prefix: 'texts', region: 'us-east-1', ...s3Keys }
  const answer = await hone.call('PUT', '/api/integrations/storage', {
    key: hone.owner.key,
    body: { endpoint: s3.endpoint, ...bucket },
  })
  assert.equal(answer.status, 200, answer.text)
}

const conversationKeys = async (): Promise<string[]> =>
  (await s3.keys()).filter((key) => key.includes('/samples/'))

test('conversations go to the bucket, and sending again writes nothing there', async () => {
  const call = { import_id: 'bucket', rows: manyRows(12), default_feedback: 'good' }
  const result = await imported(hone, call)
  assert.equal(result.imported, 12)
  const keys = await conversationKeys()
  assert.equal(keys.length, 12)
  for (const id of result.trace_ids) assert.ok(keys.some((key) => key.includes(id)))
  const [text] = await inDatabase<{ count: number }>(
    hone.databaseUrl,
    'select count(*)::int as count from sample_text',
  )
  assert.equal(text?.count, 0)
  const again = await imported(hone, call)
  assert.equal(again.already_present, 12)
  assert.deepEqual(again.trace_ids, result.trace_ids)
  assert.deepEqual(await conversationKeys(), keys)
})

test('rows whose object could not be written are not saved, and the next try stores them', async () => {
  const call = { import_id: 'away', rows: [...manyRows(5), { text: 'x' }] }
  s3.trouble = (_, response) => (s3Error(response, 403, 'AccessDenied'), true)
  const answer = await postImport(hone, call)
  assert.equal(answer.status, 500, answer.text)
  const error = answer.json.error as unknown as ImportResult & { code: string }
  assert.equal(error.code, 'IMPORT_INCOMPLETE')
  assert.deepEqual(error.not_saved_rows, [1, 2, 3, 4, 5])
  assert.equal(error.refused, 1)
  s3.trouble = null
  // A bucket that did not answer is left alone for some seconds.
  hone.app.samples.ownStorages.forget(null)
  const again = await imported(hone, call)
  assert.equal(again.imported, 5)
})

test('the answer says why a bucket does not take rows', async () => {
  const call = { import_id: 'why', rows: manyRows(3) }
  const told = async (): Promise<unknown[]> => {
    hone.app.samples.ownStorages.forget(null)
    const { status, json } = await postImport(hone, call)
    const { code, reason, not_saved, import_id, message } = json.error as unknown as ImportResult &
      Record<string, string>
    assert.match(message ?? '', /; send the same rows again with this import_id\.$/)
    return [status, code, reason, not_saved, import_id]
  }
  const expected = (why: string): unknown[] => [500, 'IMPORT_INCOMPLETE', why, 3, 'why']
  for (const [status, code, why] of [
    [403, 'InvalidAccessKeyId', 'credentials'],
    [403, 'AccessDenied', 'credentials'],
    [404, 'NoSuchBucket', 'missing'],
  ] as const) {
    s3.trouble = (_, response) => (s3Error(response, status, code), true)
    assert.deepEqual(await told(), expected(why), code)
  }
  s3.trouble = null
  await s3.pause()
  assert.deepEqual(await told(), expected('unreachable'))
  await s3.resume()
  hone.app.samples.ownStorages.forget(null)
  assert.equal((await imported(hone, call)).imported, 3)
})

test('a bucket that is disconnected in the middle loses no row, and none is stored twice', async () => {
  const key = hone.owner.key
  // More than the first slice of an import.
  const rows = manyRows(250)
  const call = { import_id: 'middle', rows, row_ids: rows.map((_, nr) => `row-${nr}`) }
  const before = (await conversationKeys()).length
  const importing = postImport(hone, call)
  await until(async () => (await conversationKeys()).length !== before)
  assert.equal((await hone.call('DELETE', '/api/integrations/storage', { key })).status, 204)
  const answer = await importing
  assert.ok([200, 500].includes(answer.status), answer.text)
  const first = (answer.status === 200 ? answer.json : answer.json.error) as unknown as ImportResult
  assert.equal(first.imported + first.not_saved, rows.length)
  const whole = await imported(hone, call)
  assert.equal(whole.imported + whole.already_present, rows.length)
  assert.ok(whole.already_present >= first.imported)
  assert.equal(new Set(whole.trace_ids).size, rows.length)
  const [inBucket] = await idsInBucket('middle')
  assert.ok(inBucket, 'some are in the bucket')
  const path = `/api/loop/traces/${inBucket}`
  const away = await hone.call('GET', path, { key })
  assert.deepEqual([away.status, away.json.error?.code], [409, 'CONFLICT'])
  await connect()
  assert.equal((await hone.call('GET', path, { key })).status, 200)
  assert.equal((await imported(hone, call)).already_present, rows.length)
})

/** Ids of those of the import whose texts lie in a bucket. */
async function idsInBucket(importId: string): Promise<string[]> {
  const rows = await inDatabase<{ id: string }>(
    hone.databaseUrl,
    `select id from sample where import_id = '${importId}' and object_key is not null`,
  )
  return rows.map(({ id }) => id)
}
