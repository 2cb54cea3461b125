// Texts in a workspace's own bucket: where they go, how they come back, and what is left of them when a sample is deleted,
// a bucket is away, changed or disconnected, or a process dies between two steps.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { newId } from '#server/lib/id.ts'
import { parkErasures } from '#server/samples/own-storage/erasure-store.ts'
import { sampleKey } from '#server/samples/own-storage/object-key.ts'
import { placeTexts } from '#server/samples/own-storage/place-texts.ts'
import { readStorage } from '#server/samples/stats/read-storage.ts'
import { readText, tryReadText } from '#server/samples/own-storage/read-text.ts'
import { dropSamples, eraseSamples } from '#server/samples/retention/erase-samples.ts'
import { insertSamples } from '#server/samples/sample/sample-store.ts'
import { eraseObjects } from '#server/task/erase-objects.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { firstWorkspace, keepSamples, newSample, storedSample } from '#test/support/new-samples.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const path = '/api/integrations/storage'
const hourMs = 3_600_000
const clock = new ManualClock()
let hone: TestHone
let s3: S3Server
let workspaceId: string

before(async () => {
  s3 = await s3Server()
  hone = await testHone({ clock, tasks: [], env: { HONE_STORAGE_HOSTS: s3.host } })
  workspaceId = (await firstWorkspace(hone)).id
})
after(async () => {
  await hone.stop()
  await s3.close()
})
beforeEach(() => connect())
afterEach(async () => {
  s3.trouble = null
  await inDatabase(
    hone.databaseUrl,
    'delete from sample; delete from object_erasure; delete from own_storage',
  )
  hone.app.samples.ownStorages.forget(null)
  for (const key of await s3.keys()) await s3.remove(key)
})

async function connect(change: object = {}): Promise<void> {
  const bucket = { bucket: 'customer-data', prefix: 'texts', region: 'us-east-1', ...s3Keys }
  const body = { endpoint: s3.endpoint, ...bucket, ...change }
  const answer = await hone.call('PUT', path, { key: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
}

const disconnect = () => hone.call('DELETE', path, { key: hone.owner.key })
const made = (change = {}) => newSample(workspaceId, clock.now(), change)

async function keep(change = {}): Promise<{ id: string; text: string; key: string }> {
  const [sample] = await keepSamples(hone.app, [made(change)])
  assert.ok(sample)
  const key = sampleKey(`texts/hone/${workspaceId}/`, sample.id, sample.createdAt)
  return { id: sample.id, text: sample.text.conversation, key }
}

async function read(id: string): Promise<string> {
  const row = await storedSample(hone, id)
  assert.ok(row)
  const reading = await tryReadText(hone.app, row)
  return 'text' in reading ? reading.text : `failed: ${reading.failure}`
}

test('a text goes under the folder of its workspace and comes back; the database does not have it', async () => {
  const sample = await keep({ said: 'something to be found' })
  assert.equal(sample.key, `texts/hone/${workspaceId}/samples/2026-03-01/${sample.id}.json`)
  assert.deepEqual(await s3.keys(), [sample.key])
  assert.equal(await s3.read(sample.key), sample.text)
  assert.equal(await read(sample.id), sample.text)
  for (const table of ['sample_text', 'search_queue']) {
    assert.deepEqual(await inDatabase(hone.databaseUrl, `select * from ${table}`), [])
  }
  const { bytes, objects, where, billed } = await readStorage(hone.app, workspaceId)
  assert.deepEqual(
    { bytes, objects, where, billed },
    { bytes: Buffer.byteLength(sample.text), objects: 1, where: 'your_storage', billed: false },
  )
})

test('without a bucket nothing is asked and samples pass as they are', async () => {
  await disconnect()
  s3.seen.length = 0
  const samples = [made(), made()]
  const { placed, failed } = await placeTexts(hone.app, workspaceId, samples)
  assert.equal(placed, samples)
  assert.deepEqual(failed, [])
  assert.deepEqual(s3.seen, [])
})

test('an id that is none never becomes a key', () => {
  for (const id of ['../../other', 'a/b', '', '..']) {
    assert.throws(() => sampleKey(`texts/hone/${workspaceId}/`, id, clock.now()))
  }
})

describe('a text that cannot be read says why', () => {
  test('vanished', async () => {
    const sample = await keep()
    await s3.remove(sample.key)
    assert.equal(await read(sample.id), 'failed: missing')
  })

  test('changed by somebody', async () => {
    const sample = await keep()
    await s3.write(sample.key, sample.text.replace('hello', 'jello'))
    assert.equal(await read(sample.id), 'failed: changed')
    await s3.write(sample.key, 'x'.repeat(6 * 1024 * 1024))
    assert.equal(await read(sample.id), 'failed: changed')
  })

  test('unreachable, and readable again when the bucket is back', async () => {
    const sample = await keep()
    await s3.pause()
    assert.equal(await read(sample.id), 'failed: unreachable')
    await s3.resume()
    assert.equal(await read(sample.id), sample.text)
  })

  test('credentials that no longer count', async () => {
    const sample = await keep()
    for (const code of ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AccessDenied']) {
      s3.trouble = (_, response) => (s3Error(response, 403, code), true)
      assert.equal(await read(sample.id), 'failed: credentials', code)
    }
  })

  test('disconnected, and readable again once the same bucket is connected', async () => {
    const sample = await keep()
    await disconnect()
    assert.equal(await read(sample.id), 'failed: disconnected')
    await connect()
    assert.equal(await read(sample.id), sample.text)
  })

  test('as a refusal with a reason', async () => {
    const sample = await keep()
    await s3.remove(sample.key)
    const row = await storedSample(hone, sample.id)
    assert.ok(row)
    await assert.rejects(readText(hone.app, row), {
      code: 'CONFLICT',
      detail: { extra: { reason: 'missing' } },
    })
  })
})

test('after a move, old texts are read where they are and new ones go to the new bucket', async () => {
  const old = await keep({ said: 'old' })
  await connect({ bucket: 'second-bucket' })
  const young = await keep({ said: 'young' })
  assert.deepEqual(await s3.keys('customer-data'), [old.key])
  assert.deepEqual(await s3.keys('second-bucket'), [young.key])
  assert.equal(await read(old.id), old.text)
  assert.equal(await read(young.id), young.text)
  await eraseSamples(hone.app, workspaceId, [old.id, young.id])
  assert.deepEqual(await s3.keys('customer-data'), [])
  assert.deepEqual(await s3.keys('second-bucket'), [])
})

test('the credentials of an earlier bucket are forgotten when nothing of it is left', async () => {
  const secrets = async (): Promise<number> =>
    (await inDatabase(hone.databaseUrl, 'select 1 from own_storage where secret is not null'))
      .length
  const old = await keep()
  await connect({ bucket: 'second-bucket' })
  clock.forward(2 * hourMs)
  await eraseObjects.run(hone.app)
  assert.equal(await secrets(), 2, 'a sample is still there')
  await eraseSamples(hone.app, workspaceId, [old.id])
  await eraseObjects.run(hone.app)
  assert.equal(await secrets(), 1)
})

describe('deleting', () => {
  test('takes the object of the sample and nothing that others put there', async () => {
    const [one, other] = [await keep(), await keep()]
    const folder = `texts/hone/${workspaceId}`
    const foreign = [`${folder}/samples/2026-03-01/notes.txt`, `${folder}/mine.json`, 'unrelated']
    for (const key of foreign) await s3.write(key, 'not of Hone')
    await eraseSamples(hone.app, workspaceId, [one.id])
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys(), [...foreign, other.key].sort())
    assert.equal(await storedSample(hone, one.id), null)
    assert.equal(await read(other.id), other.text)
    const verbs = new Set(s3.seen.map((line) => line.split('?')[0]))
    assert.ok(!verbs.has('GET /customer-data'), 'the bucket is never listed')
  })

  test('an object that is already gone is no trouble', async () => {
    const sample = await keep()
    await s3.remove(sample.key)
    await eraseSamples(hone.app, workspaceId, [sample.id])
    assert.equal(await storedSample(hone, sample.id), null)
    assert.deepEqual(await inDatabase(hone.databaseUrl, 'select * from object_erasure'), [])
  })

  test('while the bucket is away the sample goes at once and the object when it is back', async () => {
    const sample = await keep()
    await s3.pause()
    await eraseSamples(hone.app, workspaceId, [sample.id])
    assert.equal(await storedSample(hone, sample.id), null)
    const waiting = async (): Promise<unknown> => {
      const { json } = await hone.call('GET', path, { key: hone.owner.key })
      return (json as unknown as { storage: { erasures_waiting: number } }).storage.erasures_waiting
    }
    assert.equal(await waiting(), 1)
    await eraseObjects.run(hone.app)
    await s3.resume()
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys(), [sample.key], 'not before its next try is due')
    clock.forward(hourMs)
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys(), [])
    assert.equal(await waiting(), 0)
  })

  test('one object that the bucket does not let go keeps no other there', async () => {
    const samples = await keepSamples(
      hone.app,
      Array.from({ length: 30 }, () => made()),
    )
    const ids = samples.map(({ id }) => id)
    const locked = ids[0] ?? ''
    s3.trouble = ({ method, url }, response) => {
      if (method !== 'DELETE' || !url.includes(locked)) return false
      s3Error(response, 403, 'AccessDenied')
      return true
    }
    await dropSamples(hone.app, workspaceId, ids)
    await eraseObjects.run(hone.app)
    const left = await s3.keys()
    assert.deepEqual([left.length, left[0]?.includes(locked)], [1, true])
    s3.trouble = null
    clock.forward(hourMs)
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys(), [])
    assert.deepEqual(await inDatabase(hone.databaseUrl, 'select 1 from object_erasure'), [])
  })

  test('a bucket that does not let an object go is asked again, at growing distances', async () => {
    const sample = await keep()
    // Its row may still be on the way, so for an hour nobody asks for it.
    await placeTexts(hone.app, workspaceId, [made()])
    let asked = 0
    s3.trouble = ({ method }, response) => {
      if (method !== 'DELETE') return false
      asked += 1
      s3Error(response, 403, 'AccessDenied')
      return true
    }
    await dropSamples(hone.app, workspaceId, [sample.id])
    await eraseObjects.run(hone.app)
    assert.equal(asked, 1)
    for (const [before, distanceMs] of [60_000, 120_000, 240_000].entries()) {
      clock.forward(distanceMs - 1)
      await eraseObjects.run(hone.app)
      assert.equal(asked, before + 1, 'not before its next try is due')
      clock.forward(1)
      await eraseObjects.run(hone.app)
      assert.equal(asked, before + 2)
    }
  })

  test('objects of a disconnected bucket wait until it is connected again', async () => {
    const sample = await keep()
    await disconnect()
    await eraseSamples(hone.app, workspaceId, [sample.id])
    clock.forward(hourMs)
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys(), [sample.key])
    await connect()
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys(), [])
  })

  test('objects of a bucket that is connected again before they are put aside do not wait', async () => {
    await placeTexts(hone.app, workspaceId, [made()])
    const { db } = hone.app.storage
    const written = await db.selectFrom('object_erasure').selectAll().execute()
    await parkErasures(db, written[0]?.storage_id ?? '', written)
    assert.deepEqual(await db.selectFrom('object_erasure').selectAll().execute(), written)
    await disconnect()
    await parkErasures(db, written[0]?.storage_id ?? '', written)
    const parked = await db.selectFrom('object_erasure').selectAll().execute()
    assert.deepEqual(
      parked,
      written.map((erasure) => ({ ...erasure, due_at: null })),
    )
  })

  test('ids of another workspace or of nobody delete nothing', async () => {
    const sample = await keep()
    await eraseSamples(hone.app, newId(clock.now()), [sample.id])
    await eraseSamples(hone.app, workspaceId, [newId(clock.now())])
    await eraseSamples(hone.app, workspaceId, [])
    assert.equal(await read(sample.id), sample.text)
  })

  test('a reference that names no bucket or nothing at all does not keep a sample alive', async () => {
    for (const objectKey of ['nonsense', `${newId(clock.now())}:${'x'.repeat(43)}:some/key`]) {
      const sample = made({ objectKey })
      await insertSamples(hone.app.storage, [sample])
      assert.match(await read(sample.id), /failed: (missing|disconnected)/)
      await eraseSamples(hone.app, workspaceId, [sample.id])
      assert.equal(await storedSample(hone, sample.id), null)
    }
  })

  test('a reference that points outside of the folder is never followed to a deletion', async () => {
    const sample = await keep()
    await s3.write('payroll.json', 'precious')
    await inDatabase(
      hone.databaseUrl,
      `update sample set object_key = replace(object_key, '${sample.key}', 'payroll.json')`,
    )
    await eraseSamples(hone.app, workspaceId, [sample.id])
    assert.ok((await s3.keys()).includes('payroll.json'))
  })
})

describe('between the object and its row', () => {
  test('an object that no sample came to hold is gone after an hour', async () => {
    await placeTexts(hone.app, workspaceId, [made()])
    const kept = await keep()
    assert.equal((await s3.keys()).length, 2)
    await eraseObjects.run(hone.app)
    assert.equal((await s3.keys()).length, 2, 'its row may still be on the way')
    clock.forward(hourMs)
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys(), [kept.key])
    assert.deepEqual(await inDatabase(hone.databaseUrl, 'select * from object_erasure'), [])
  })

  test('an object in an earlier bucket goes, also where its sample holds the same key in a later one', async () => {
    const sample = made()
    await placeTexts(hone.app, workspaceId, [sample])
    await connect({ bucket: 'second-bucket' })
    await keepSamples(hone.app, [sample])
    const keys = await s3.keys('customer-data')
    assert.equal(keys.length, 1)
    assert.deepEqual(await s3.keys('second-bucket'), keys)
    clock.forward(hourMs)
    await eraseObjects.run(hone.app)
    assert.deepEqual(await s3.keys('customer-data'), [])
    assert.deepEqual(await s3.keys('second-bucket'), keys)
    assert.equal(await read(sample.id), sample.text.conversation)
    await eraseSamples(hone.app, workspaceId, [sample.id])
  })

  test('a repeated request leaves one object', async () => {
    const first = made({ requestId: 'the same' })
    const again = made({ requestId: 'the same' })
    await keepSamples(hone.app, [first])
    const { placed } = await placeTexts(hone.app, workspaceId, [again])
    assert.equal((await insertSamples(hone.app.storage, placed)).size, 0)
    clock.forward(hourMs)
    await eraseObjects.run(hone.app)
    assert.deepEqual(
      (await s3.keys()).map((key) => key.includes(first.id)),
      [true],
    )
  })

  test('two processes that clean up at once do it once each', async () => {
    await placeTexts(
      hone.app,
      workspaceId,
      Array.from({ length: 40 }, () => made()),
    )
    clock.forward(hourMs)
    s3.seen.length = 0
    await Promise.all([eraseObjects.run(hone.app), eraseObjects.run(hone.app)])
    assert.deepEqual(await s3.keys(), [])
    assert.equal(s3.seen.filter((line) => line.startsWith('DELETE')).length, 40)
  })
})

describe('a bucket that fails while samples come', () => {
  test('says which could not be placed, and rests a moment', async () => {
    await s3.pause()
    const samples = Array.from({ length: 30 }, () => made())
    const { placed, failed } = await placeTexts(hone.app, workspaceId, samples)
    assert.deepEqual([placed.length, failed.length], [0, 30])
    await s3.resume()
    const again = await placeTexts(hone.app, workspaceId, samples)
    assert.equal(again.failed.length, 30, 'it is not asked for a while')
    hone.app.samples.ownStorages.forget(null)
    assert.equal((await placeTexts(hone.app, workspaceId, samples)).failed.length, 0)
  })

  test('keeps those that were written before it failed', async () => {
    let written = 0
    s3.trouble = ({ method }, response) => {
      if (method !== 'PUT' || ++written <= 20) return false
      s3Error(response, 403, 'QuotaExceeded')
      return true
    }
    const samples = Array.from({ length: 60 }, () => made())
    const { placed, failed } = await placeTexts(hone.app, workspaceId, samples)
    assert.equal(placed.length, 20)
    assert.equal(failed.length, 40)
    s3.trouble = null
    await insertSamples(hone.app.storage, placed)
    for (const { id, text } of placed) assert.equal(await read(id), text.conversation)
  })

  test('one short trouble is tried again', async () => {
    let troubles = 1
    s3.trouble = (_, response) => troubles-- > 0 && (response.writeHead(500).end(), true)
    const { failed } = await placeTexts(hone.app, workspaceId, [made()])
    assert.deepEqual(failed, [])
  })
})
