// Posting a conversation to a workspace whose own bucket does not take it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Trace } from '#contract/sample.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone
let s3: S3Server

before(async () => {
  s3 = await s3Server()
  hone = await loopHone({ env: { HONE_STORAGE_HOSTS: s3.host } })
  const body = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  const key = hone.owner.key
  const answer = await hone.call('PUT', '/api/integrations/storage', { key, body })
  assert.equal(answer.status, 200, answer.text)
})
after(async () => {
  await hone.stop()
  await s3.close()
})

const reason = (answer: Answer): unknown =>
  (answer.json.error as unknown as { reason?: string } | undefined)?.reason

test('a conversation that cannot be written says why, in the words of one that cannot be read', async () => {
  const post = (): Promise<Answer> =>
    hone.call('POST', '/api/loop/traces', {
      key: hone.owner.key,
      body: { deployment_id: 'serverless', prompt: 'Keep me', completion: 'I try.' },
    })
  const before = (await hone.stats()).samples.total
  const told = async (): Promise<unknown[]> => {
    const answer = await post()
    return [answer.status, answer.json.error?.code, reason(answer)]
  }
  await s3.pause()
  assert.deepEqual(await told(), [409, 'CONFLICT', 'unreachable'])
  assert.deepEqual(await told(), [409, 'CONFLICT', 'unreachable'], 'also while it is let rest')
  await s3.resume()
  for (const [status, code, why] of [
    [403, 'InvalidAccessKeyId', 'credentials'],
    [403, 'AccessDenied', 'credentials'],
    [404, 'NoSuchBucket', 'missing'],
  ] as const) {
    hone.app.samples.ownStorages.forget(null)
    s3.trouble = ({ method }, response) => {
      if (method === 'PUT') s3Error(response, status, code)
      return method === 'PUT'
    }
    assert.deepEqual(await told(), [409, 'CONFLICT', why], code)
  }
  s3.trouble = null
  hone.app.samples.ownStorages.forget(null)
  assert.equal((await hone.stats()).samples.total, before, 'and nothing was saved')
  assert.equal((await post()).status, 201)
})

test('a conversation that was written is answered as saved, although it cannot be read back just then', async () => {
  const post = (body: object): Promise<Answer> =>
    hone.call('POST', '/api/loop/traces', {
      key: hone.owner.key,
      body: { deployment_id: 'serverless', prompt: 'Keep me', completion: 'Kept.', ...body },
    })
  const before = (await hone.stats()).samples.total ?? 0
  s3.trouble = ({ method }, response) => {
    if (method === 'GET') s3Error(response, 403, 'AccessDenied')
    return method === 'GET'
  }
  const answer = await post({ request_id: 'once', feedback: 'good' })
  assert.equal(answer.status, 201, answer.text)
  const { trace } = answer.json as unknown as { trace: Trace }
  assert.deepEqual(trace.messages, [{ role: 'user', content: 'Keep me' }])
  assert.deepEqual([trace.where, trace.signals_total], ['your_storage', 1])
  const again = await post({ request_id: 'once', feedback: 'bad' })
  assert.deepEqual([again.status, reason(again)], [409, 'credentials'], 'nothing came of this one')
  s3.trouble = null
  const read = await hone.call('GET', `/api/loop/traces/${trace.id}`, { key: hone.owner.key })
  assert.deepEqual((read.json as unknown as { trace: Trace }).trace, trace)
  assert.equal((await hone.stats()).samples.total, before + 1)
})
