// The loop of a workspace with its own bucket, over HTTP: calls are recorded there, read from there and erased there, and a
// bucket that is away costs samples, never calls.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { eventually, type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone
let s3: S3Server
let tag: string

before(async () => {
  s3 = await s3Server()
  hone = await loopHone({ env: { HONE_STORAGE_HOSTS: s3.host } })
  await connect()
  tag = (await hone.pipeline('In a bucket')).tag
})
after(async () => {
  await hone.stop()
  await hone.upstream.close()
  await s3.close()
})
afterEach(() => {
  s3.trouble = null
  hone.app.samples.ownStorages.forget(null)
})

async function connect(): Promise<void> {
  const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  const answer = await hone.call('PUT', '/api/integrations/storage', { key: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
}

const ask = (text: string): Promise<Answer> =>
  hone.ask({ text, headers: { 'x-loop-pipeline': tag } })
const trace = (method: string, id: string): Promise<Answer> =>
  hone.call(method, `/api/loop/traces/${id}`, { key: hone.owner.key })
const reason = (answer: Answer): unknown =>
  (answer.json.error as unknown as { reason?: string } | undefined)?.reason

test('a recorded call lies in the bucket, is read from it and erased in it', async () => {
  const sample = await hone.sampleOf(await ask('Where does this go?'))
  assert.equal(sample.where, 'your_storage')
  const [key = ''] = (await s3.keys()).filter((one) => one.includes(sample.id))
  assert.match(await s3.read(key), /Where does this go\?/)
  assert.deepEqual(sample.messages, [{ role: 'user', content: 'Where does this go?' }])
  const { storage } = await hone.stats()
  assert.deepEqual([storage.where, storage.objects, storage.billed], ['your_storage', 1, false])

  await s3.remove(key)
  const gone = await trace('GET', sample.id)
  assert.deepEqual([gone.status, gone.json.error?.code, reason(gone)], [409, 'CONFLICT', 'missing'])

  assert.equal((await trace('DELETE', sample.id)).status, 204)
  assert.equal((await trace('GET', sample.id)).status, 404)
  assert.equal((await hone.stats()).storage.objects, 0)
})

test('a posted conversation goes there too, and is gone from there when it is deleted', async () => {
  const answer = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: {
      deployment_id: 'serverless',
      messages: [
        { role: 'user', content: 'Post me' },
        { role: 'assistant', content: 'Posted' },
      ],
    },
  })
  assert.equal(answer.status, 201, answer.text)
  const { id } = (answer.json as unknown as { trace: { id: string } }).trace
  const here = async (): Promise<boolean> => (await s3.keys()).some((key) => key.includes(id))
  assert.equal(await here(), true)
  assert.equal((await trace('DELETE', id)).status, 204)
  assert.equal(await here(), false)
})

test('while the bucket is away calls are answered, and what is not recorded is counted', async () => {
  const count = async (): Promise<number> => {
    const { capture } = await hone.stats()
    const of = capture.counts.filter(({ outcome }) => outcome === 'own_storage_unavailable')
    return of.reduce((sum, { calls }) => sum + calls, 0)
  }
  await s3.pause()
  const answer = await ask('Is anybody there?')
  assert.equal(answer.status, 200, answer.text)
  assert.equal(await eventually(count, (counted) => counted > 0), 1)
  await s3.resume()
  // A bucket that did not answer is left alone for a while, unless it is connected anew.
  await connect()
  const sample = await hone.sampleOf(await ask('And now?'))
  assert.equal(sample.where, 'your_storage')
})

test('a text that cannot be read just now says so', async () => {
  const sample = await hone.sampleOf(await ask('Read me later'))
  await s3.pause()
  const answer = await trace('GET', sample.id)
  await s3.resume()
  assert.deepEqual([answer.status, reason(answer)], [409, 'unreachable'])
  assert.equal((await trace('GET', sample.id)).status, 200)
})
