// S10: names that are paths, in every place where a client of the loop can write one. They are data or refused; what Hone
// writes lies in the workspace's folder of its bucket and nowhere else.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Trace } from '#contract/sample.ts'
import { newId } from '#server/lib/id.ts'
import { digestOf, writeReference } from '#server/samples/own-storage/object-key.ts'
import { eraseObjects } from '#server/task/erase-objects.ts'
import { imported } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { firstWorkspace } from '#test/support/new-samples.ts'
import { s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import type { Answer } from '#test/support/test-hone.ts'

const paths = [
  '..',
  '.',
  '../../../../canary',
  '/tmp/canary',
  'a/../../../canary',
  './/../canary',
  '....//....//canary',
  '..\\..\\canary',
  'C:\\canary',
  '\\\\host\\share\\canary',
  '%2e%2e%2f%2e%2e%2fcanary',
  '..%2fcanary',
  '..%00/canary',
  'file:///tmp/canary',
  '~/canary',
  '．．／canary',
  '$HOME/canary',
  '`touch canary`',
  'canary\n/../..',
]
/** Those that a header can carry. */
const headerPaths = paths.filter((path) => /^[\x20-\x7e]+$/.test(path))

let hone: LoopHone
let s3: S3Server
let workspaceId: string
let pipelineId: string
let filesBefore: string[]

before(async () => {
  s3 = await s3Server()
  hone = await loopHone({ tasks: [], env: { HONE_STORAGE_HOSTS: s3.host } })
  workspaceId = (await firstWorkspace(hone)).id
  pipelineId = (await hone.pipeline('Support')).rule_id
  const answer = await call('PUT', '/api/integrations/storage', storageBody('texts'))
  assert.equal(answer.status, 200, answer.text)
  filesBefore = await dataFiles()
})
after(async () => {
  await hone.stop()
  await s3.close()
})

function storageBody(prefix: string): object {
  const place = { endpoint: s3.endpoint, region: 'us-east-1', bucket: 'customer-data', prefix }
  return { ...place, ...s3Keys }
}

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  return hone.call(method, path, {
    key: hone.owner.key,
    ...(body === undefined ? {} : { body }),
  })
}

async function dataFiles(): Promise<string[]> {
  return (await readdir(dirname(hone.catalogFile), { recursive: true })).sort()
}

/** Everything that was asked of the bucket, and everything that is in it, lies where it belongs. */
async function assertNothingEscaped(): Promise<void> {
  const folder = `texts/hone/${workspaceId}/`
  const own = /^(samples\/\d{4}-\d\d-\d\d|probe)\/[0-9a-f-]{36}\.json$/
  const asked = s3.seen.map((line) => line.replace(/^\w+ \/customer-data\//, ''))
  for (const key of [...(await s3.keys()), ...asked]) {
    assert.ok(key.startsWith(folder), key)
    assert.match(key.slice(folder.length), own)
  }
  assert.deepEqual(await s3.keys('second-bucket'), [])
  assert.deepEqual(await dataFiles(), filesBefore)
  const beside = await readdir(dirname(dirname(hone.catalogFile)))
  assert.deepEqual(
    beside.filter((name) => name.includes('canary')),
    [],
  )
}

const qa = { prompt: 'A question', completion: 'An answer' }

async function post(more: object): Promise<Answer> {
  return call('POST', '/api/loop/traces', { deployment_id: 'serverless', ...qa, ...more })
}

async function read(id: string): Promise<Trace> {
  const answer = await call('GET', `/api/loop/traces/${id}`)
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

describe('S10: a path', () => {
  test('as model or request id of a sample is data, and the sample lies in its folder', async () => {
    for (const path of paths) {
      const answer = await post({ model: path, request_id: path })
      assert.equal(answer.status, 201, answer.text)
      const { id } = (answer.json as unknown as { trace: Trace }).trace
      const trace = await read(id)
      assert.deepEqual([trace.model, trace.request_id], [path, path])
      assert.equal(trace.where, 'your_storage')
      const [key = '', ...others] = (await s3.keys()).filter((one) => one.includes(id))
      assert.equal(
        key,
        `texts/hone/${workspaceId}/samples/${trace.created_at.slice(0, 10)}/${id}.json`,
      )
      assert.deepEqual(others, [])
    }
    await assertNothingEscaped()
  })

  test('as X-Request-ID or tag of a call is data', async () => {
    for (const path of headerPaths) {
      const headers = { 'x-loop-pipeline': `support,${path}`, 'x-request-id': `call:${path}` }
      const trace = await hone.sampleOf(await hone.ask({ headers }))
      const kept = /^[\w.:/+=@-]+$/.test(path) ? `call:${path}` : null
      assert.deepEqual([trace.tags, trace.request_id], [['support'], kept])
    }
    await assertNothingEscaped()
  })

  test('as source, import id or row id of an import is data or refused', async () => {
    for (const path of paths) {
      const result = await imported(hone, { source: path, rows: [qa], row_ids: [path] })
      const [id = ''] = result.trace_ids
      assert.equal((await read(id)).source, path)
      const named = await call('POST', '/api/loop/import', {
        source: 'file',
        rows: [qa],
        import_id: path,
      })
      const fits = /^[A-Za-z0-9._:-]{1,128}$/.test(path)
      assert.equal(named.status, fits ? 200 : 400, named.text)
    }
    await assertNothingEscaped()
  })

  test('as name of a pipeline or dataset is a name, and becomes no tag that is a path', async () => {
    for (const path of paths) {
      const made = await call('POST', '/api/loop/datasets', {
        name: path,
        conditions: { model: path },
      })
      assert.equal(made.status, 201, made.text)
      const { dataset } = made.json as unknown as {
        dataset: { id: string; name: string; conditions: { model: string }; samples: number }
      }
      assert.deepEqual([dataset.name, dataset.conditions.model, dataset.samples], [path, path, 1])
      const name = `${path} ${newId(new Date())}`
      const body = { name, model: { id: trainableModel } }
      const pipeline = await call('POST', '/api/loop/pipelines', body)
      assert.equal(pipeline.status, 201, pipeline.text)
      const { tag } = (pipeline.json as unknown as { pipeline: { tag: string } }).pipeline
      assert.match(tag, /^[a-z0-9-]+$/)
    }
    await assertNothingEscaped()
  })

  test('as label is refused unless it is a plain word', async () => {
    for (const path of paths) {
      const fits = /^[a-z0-9._-]{1,63}$/.test(path)
      for (const answer of [
        await post({ labels: [path] }),
        await call('POST', '/api/loop/import', { source: 'f', rows: [qa], labels: [path] }),
        await call('PUT', '/api/loop/configs/support', { enabled: false, tags: [path] }),
      ]) {
        assert.equal(answer.status < 300, fits, `${path}: ${answer.text}`)
        if (!fits) assert.equal(answer.status, 400)
      }
    }
    await assertNothingEscaped()
  })

  test('as source, base model or id of anything names nothing', async () => {
    for (const path of paths) {
      const posted = await post({ deployment_id: path })
      assert.equal(posted.status, 404, posted.text)
      const trained = await call('POST', '/api/loop/pipelines', {
        name: `Of ${newId(new Date())}`,
        model: { id: path },
      })
      assert.equal(trained.json.error?.code, 'MODEL_NOT_TRAINABLE', trained.text)
      // A browser or a client library would follow the dots itself.
      const part = encodeURIComponent(path).replaceAll('.', '%2e')
      for (const [method, url, body] of [
        ['GET', `/api/loop/traces/x${part}`, undefined],
        ['DELETE', `/api/loop/traces/x${part}`, undefined],
        ['POST', `/api/loop/traces/x${part}/signals`, { verdict: 'good' }],
        ['GET', `/api/loop/datasets/x${part}`, undefined],
        ['DELETE', `/api/loop/datasets/x${part}`, undefined],
        ['GET', `/api/loop/pipelines/x${part}`, undefined],
        ['POST', `/api/loop/pipelines/x${part}/import`, { rows: [qa] }],
        ['GET', `/api/loop/configs/x${part}`, undefined],
        ['PUT', `/api/loop/configs/x${part}`, { enabled: true }],
      ] as const) {
        const answer = await call(method, url, body)
        assert.ok([400, 404].includes(answer.status), `${method} ${url}: ${answer.text}`)
      }
    }
    await assertNothingEscaped()
  })

  test('as folder or bucket of an own storage is refused before anything is asked of it', async () => {
    const asked = s3.seen.length
    for (const path of paths) {
      const bucket = await call('PUT', '/api/integrations/storage', {
        ...storageBody('texts'),
        bucket: path,
      })
      assert.equal(bucket.status, 400, `${path}: ${bucket.text}`)
      if (path === '/tmp/canary') continue
      const folder = await call('PUT', '/api/integrations/storage', storageBody(path))
      assert.equal(folder.status, 400, `${path}: ${folder.text}`)
    }
    assert.equal(s3.seen.length, asked)
  })

  test('in front of a folder makes it no absolute one', async () => {
    const rooted = await call('PUT', '/api/integrations/storage', storageBody('//texts/'))
    assert.equal(rooted.status, 200, rooted.text)
    const { storage } = rooted.json as unknown as { storage: { prefix: string } }
    assert.equal(storage.prefix, 'texts')
    await post({})
    await assertNothingEscaped()
  })
})

test('S10: an object key that somebody wrote into the database leaves the folder neither to read nor to delete', async () => {
  const folder = `texts/hone/${workspaceId}/`
  const stranger = `texts/hone/${newId(new Date())}/samples/2026-01-01/theirs.json`
  const text = JSON.stringify({ tools: [], system: [], messages: [], answer: null })
  for (const key of ['outside.json', stranger]) await s3.write(key, text)
  const [{ id: storageId } = { id: '' }] = await inDatabase<{ id: string }>(
    hone.databaseUrl,
    'select id from own_storage where is_default',
  )
  for (const key of [
    'outside.json',
    stranger,
    `${folder}../../../outside.json`,
    `${folder}samples/../../../../outside.json`,
    `${folder}./samples/x.json`,
    `${folder}/outside.json`,
    `${folder}samples/%2e%2e/outside.json`,
    '/outside.json',
  ]) {
    const posted = await post({})
    const { id } = (posted.json as unknown as { trace: Trace }).trace
    const reference = writeReference({ storageId, digest: digestOf(text), key })
    await inDatabase(
      hone.databaseUrl,
      `update sample set object_key = '${reference}' where id = '${id}'`,
    )
    const asked = s3.seen.length
    const answer = await call('GET', `/api/loop/traces/${id}`)
    const { reason } = answer.json.error as unknown as { reason: string }
    assert.deepEqual([answer.status, reason], [409, 'missing'], key)
    assert.equal((await call('DELETE', `/api/loop/traces/${id}`)).status, 204)
    await eraseObjects.run(hone.app)
    assert.equal(s3.seen.length, asked, `${key} was asked for: ${s3.seen.at(-1)}`)
  }
  assert.equal(await s3.read('outside.json'), text)
  assert.equal(await s3.read(stranger), text)
  const left = await inDatabase(hone.databaseUrl, 'select 1 from object_erasure where tries > 0')
  assert.deepEqual(left, [], 'and nobody tries it again and again')
})

test('S10: an import into a pipeline lies in the same folder', async () => {
  const rows = paths.map((path) => ({ prompt: path, completion: path }))
  const answer = await call('POST', `/api/loop/pipelines/${pipelineId}/import`, { rows })
  const { imported: count, trace_ids } = answer.json as unknown as {
    imported: number
    trace_ids: string[]
  }
  assert.equal(count, paths.length)
  for (const [index, id] of trace_ids.entries()) {
    assert.deepEqual((await read(id)).messages, [{ role: 'user', content: paths[index] }])
  }
})
