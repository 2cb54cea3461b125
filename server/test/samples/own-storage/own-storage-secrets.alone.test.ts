// A real process that logs everything it can meets every way a bucket can fail, and its secret is then in no output and no
// file.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { honeFolder, honeProcess, type HoneProcess, ownerEnv } from '#test/support/hone-process.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { callHttp } from '#test/support/test-hone.ts'

const wrongSecret = 'canary/wrong+secret'
let s3: S3Server
let hone: HoneProcess
before(async () => {
  s3 = await s3Server()
  const dataDir = honeFolder()
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify({ models: [] }))
  const env = { ...ownerEnv, HONE_LOG_LEVEL: 'trace', HONE_STORAGE_HOSTS: s3.host }
  hone = honeProcess({ dataDir, env })
})
after(() => s3.close())

test('the secret of a bucket is in no log and no file', async () => {
  const url = await hone.listening()
  const key = ownerEnv.HONE_ADMIN_KEY ?? ''
  const send = (method: string, path: string, body?: object) =>
    callHttp(url, method, path, { key, ...(body ? { body } : {}) })
  const bucket = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', ...s3Keys }
  const connect = (change: object = {}) =>
    send('PUT', '/api/integrations/storage', { ...bucket, ...change })
  const post = () =>
    send('POST', '/api/loop/traces', {
      deployment_id: 'serverless',
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'yes' },
      ],
    })

  const statuses = [
    (await connect({ secret_access_key: wrongSecret })).status,
    (await connect({ bucket: 'no-such-bucket' })).status,
    (await connect({ region: 5 })).status,
    (await connect({ endpoint: 'https://127.0.0.1:1' })).status,
    (await connect()).status,
  ]
  assert.deepEqual(statuses, [409, 409, 400, 409, 200])
  const posted = await post()
  assert.equal(posted.status, 201, posted.text)
  const { id } = (posted.json as unknown as { trace: { id: string } }).trace
  s3.trouble = (_, response) => (s3Error(response, 403, 'SignatureDoesNotMatch'), true)
  assert.equal((await send('GET', `/api/loop/traces/${id}`)).status, 409)
  assert.equal((await post()).status, 409)
  assert.equal((await send('DELETE', `/api/loop/traces/${id}`)).status, 204)
  hone.kill('SIGTERM')
  assert.equal((await hone.ended).code, 0)
  // What is logged comes through a pipe, and all of it is there only now.
  assert.match(hone.stdout, /could not be deleted/)

  const places = new Map([['the output', Buffer.from(hone.stdout + hone.stderr)]])
  for (const entry of readdirSync(hone.dataDir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) places.set(file, readFileSync(file))
  }
  for (const [place, bytes] of places) {
    for (const secret of [s3Keys.secret_access_key, wrongSecret]) {
      for (const form of [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('hex'),
      ]) {
        assert.ok(!bytes.includes(form), `the secret is in ${place}`)
      }
    }
  }
})
