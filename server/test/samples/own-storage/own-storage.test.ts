// Connecting a workspace's own bucket over HTTP: what is proved before it is saved, how failures are told apart, and that
// the secret goes nowhere but to the store it was given for.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { OwnStorage } from '#contract/own-storage.ts'
import { addPerson, createKey, otherOrg } from '#test/support/accounts.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { eventually } from '#test/support/loop-hone.ts'
import { firstWorkspace, keepSamples, newSample } from '#test/support/new-samples.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const path = '/api/integrations/storage'
let hone: TestHone
let second: TestHone
let s3: S3Server
let workspaceId: string

before(async () => {
  s3 = await s3Server()
  const env = { HONE_STORAGE_HOSTS: `${s3.host}, localhost:${s3.port}, 10.9.0.0/16` }
  hone = await testHone({ env })
  second = await testHone({ env, databaseUrl: hone.databaseUrl })
  workspaceId = (await firstWorkspace(hone)).id
})
after(async () => {
  await second.stop()
  await hone.stop()
  await s3.close()
})
afterEach(async () => {
  s3.trouble = null
  s3.seen.length = 0
  await hone.call('DELETE', path, { key: hone.owner.key })
})

const good = () => ({
  endpoint: s3.endpoint,
  region: 'us-east-1',
  bucket: 'customer-data',
  prefix: 'team/hone-texts',
  ...s3Keys,
})

function put(change: object = {}, key = hone.owner.key): Promise<Answer> {
  const body = Object.entries({ ...good(), ...change }).filter(([, value]) => value !== undefined)
  return hone.call('PUT', path, { key, body: Object.fromEntries(body) })
}

async function shown(of: TestHone = hone): Promise<OwnStorage | null> {
  const answer = await of.call('GET', path, { key: of.owner.key })
  assert.equal(answer.status, 200, answer.text)
  assert.ok(!answer.text.includes(s3Keys.secret_access_key))
  return (answer.json as unknown as { storage: OwnStorage | null }).storage
}

function reasonOf(answer: Answer): unknown {
  assert.equal(answer.status, 409, answer.text)
  assert.equal(answer.json.error?.code, 'CONFLICT')
  return (answer.json.error as unknown as { reason: string }).reason
}

test('a bucket is proved, saved and shown without its secret', async () => {
  assert.equal(await shown(), null)
  const answer = await put()
  assert.equal(answer.status, 200, answer.text)
  assert.ok(!answer.text.includes(s3Keys.secret_access_key))
  assert.ok(!answer.text.includes(s3Keys.access_key_id))
  const storage = await shown()
  assert.deepEqual(answer.json, { storage })
  const { connected_at: _, updated_at: __, ...fields } = storage as OwnStorage
  assert.deepEqual(fields, {
    endpoint: s3.endpoint,
    region: 'us-east-1',
    bucket: 'customer-data',
    prefix: 'team/hone-texts',
    access_key_id_ending: s3Keys.access_key_id.slice(-4),
    force_path_style: true,
    samples: 0,
    bytes: 0,
    erasures_waiting: 0,
  })
  const probe = new RegExp(`/customer-data/team/hone-texts/hone/${workspaceId}/probe/[0-9a-f-]{36}`)
  assert.deepEqual(
    s3.seen.map((line) => line.split(' ')[0]),
    ['PUT', 'GET', 'DELETE'],
  )
  for (const line of s3.seen) assert.match(line, probe)
  assert.deepEqual(await s3.keys(), [], 'the probe is gone')
})

describe('failures are told apart and save nothing', () => {
  const cases: [string, object, string][] = [
    ['a wrong secret', { secret_access_key: 'not-the-secret' }, 'credentials'],
    ['an unknown access key', { access_key_id: 'NOBODYHASTHISKEY' }, 'credentials'],
    ['an unknown bucket', { bucket: 'no-such-bucket' }, 'no_such_bucket'],
  ]
  for (const [name, change, reason] of cases) {
    test(name, async () => {
      assert.equal(reasonOf(await put(change)), reason)
      assert.equal(await shown(), null)
    })
  }

  test('a server that is away', async () => {
    await s3.pause()
    assert.equal(reasonOf(await put()), 'unreachable')
    await s3.resume()
    assert.equal(await shown(), null)
  })

  test('a server that answers with an error of its own', async () => {
    s3.trouble = (_, response) => (response.writeHead(503).end('busy'), true)
    assert.equal(reasonOf(await put()), 'unreachable')
  })

  for (const method of ['PUT', 'GET', 'DELETE']) {
    test(`a bucket that does not let Hone ${method}`, async () => {
      s3.trouble = (request, response) => {
        if (request.method !== method) return false
        s3Error(response, 403, 'AccessDenied')
        return true
      }
      const answer = await put()
      assert.equal(reasonOf(answer), 'refused')
      assert.match(answer.json.error?.message ?? '', /AccessDenied/)
      assert.equal(await shown(), null)
    })
  }

  test('a store that returns something else than was written', async () => {
    s3.trouble = ({ method }, response) =>
      method === 'GET' && (response.writeHead(200).end('something else'), true)
    assert.equal(reasonOf(await put()), 'refused')
  })

  test('a redirect, which is not followed', async () => {
    const inside = await s3Server()
    s3.trouble = ({ url }, response) => {
      response.writeHead(307, { location: inside.endpoint + url }).end()
      return true
    }
    assert.equal(reasonOf(await put()), 'refused')
    assert.deepEqual(inside.seen, [])
    await inside.close()
  })

  test('a bucket that fails leaves the one that is connected as it is', async () => {
    await put()
    const connected = await shown()
    assert.equal(reasonOf(await put({ bucket: 'no-such-bucket' })), 'no_such_bucket')
    assert.deepEqual(await shown(), connected)
  })
})

describe('endpoints that may not be reached are all refused in the same words', () => {
  test('and none is ever asked', async () => {
    const inside = await s3Server()
    const said = new Set<string>()
    for (const endpoint of [
      `https://127.0.0.1:${inside.port}`,
      `http://127.0.0.1:${inside.port}`,
      `http://localhost:${inside.port}`,
      `https://localhost:${inside.port}`,
      `http://[::1]:${inside.port}`,
      `http://[::ffff:127.0.0.1]:${inside.port}`,
      `http://0x7f.1:${inside.port}`,
      `http://2130706433:${inside.port}`,
      `http://0:${inside.port}`,
      'http://169.254.169.254',
      'https://169.254.169.254',
      'http://[fd00:ec2::254]',
      'https://[fd00:ec2::254]',
      `http://127.0.0.1.nip.io:${inside.port}`,
      'https://10.0.0.1',
      'https://192.168.0.1',
      'http://93.184.215.14',
      `http://ok\\@10.0.0.1`,
      `http://user@${s3.host}`,
      `http://user:pass@${s3.host}`,
      `http://${s3.host}@10.0.0.1`,
      `${s3.endpoint}/some/path`,
      `${s3.endpoint}/?query`,
      'file:///etc/passwd',
      `gopher://127.0.0.1:${inside.port}/`,
      'unix:/var/run/docker.sock',
      'no address at all',
      'https://name.invalid',
    ]) {
      const answer = await put({ endpoint })
      assert.equal(reasonOf(answer), 'unreachable', endpoint)
      said.add(answer.text)
    }
    assert.equal(said.size, 1, [...said].join('\n'))
    assert.deepEqual(inside.seen, [])
    assert.deepEqual(s3.seen, [])
    assert.equal(await shown(), null)
    await inside.close()
  })
})

describe('a saved secret goes only to where it was given for', () => {
  test('region, folder and style can change without it', async () => {
    await put()
    const change = { secret_access_key: undefined, region: 'eu-west-1', prefix: 'elsewhere' }
    const answer = await put(change)
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await shown())?.prefix, 'elsewhere')
  })

  for (const [name, change] of Object.entries({
    endpoint: { endpoint: 'https://attacker.example' },
    'the port': { endpoint: 'http://127.0.0.1:1' },
    bucket: { bucket: 'second-bucket' },
    'access key': { access_key_id: 'ANOTHERACCESSKEY' },
  })) {
    test(`a change of ${name} needs it again`, async () => {
      await put()
      s3.seen.length = 0
      const answer = await put({ secret_access_key: undefined, ...change })
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error?.message ?? '', /secret_access_key: must be sent again/)
      assert.deepEqual(s3.seen, [])
    })
  }

  test('the first time it must be there', async () => {
    assert.equal((await put({ secret_access_key: undefined })).status, 400)
  })

  test('a row that was tampered with cannot carry it to another place', async () => {
    for (const change of [
      `endpoint = 'http://localhost:${s3.port}'`,
      `bucket = 'second-bucket'`,
      `access_key_id = 'S3RVER'`,
      `id = gen_random_uuid()`,
    ]) {
      await put()
      await inDatabase(hone.databaseUrl, `update own_storage set ${change} where is_default`)
      hone.app.samples.ownStorages.forget(null)
      s3.seen.length = 0
      const sample = newSample(workspaceId, hone.app.clock.now())
      await assert.rejects(keepSamples(hone.app, [sample]), /could not be placed/, change)
      assert.deepEqual(s3.seen, [])
      await inDatabase(hone.databaseUrl, `delete from object_erasure; delete from own_storage`)
    }
  })
})

test('bad fields are named', async () => {
  for (const [field, value] of [
    ['bucket', '../other'],
    ['bucket', 'arn:aws:s3:us-east-1:123456789012:accesspoint/a'],
    ['bucket', 'a/b'],
    ['prefix', '../../etc'],
    ['prefix', 'a/./b'],
    ['prefix', 'a//b'],
    ['prefix', 'a\0b'],
    ['prefix', 'x'.repeat(201)],
    ['region', 'us east'],
    ['access_key_id', 'has space'],
    ['secret_access_key', 'line\nbreak'],
    ['force_path_style', 'yes'],
    ['endpoint', ''],
  ] as const) {
    const answer = await put({ [field]: value })
    assert.equal(answer.status, 400, `${field}: ${answer.text}`)
    assert.match(answer.json.error?.message ?? '', new RegExp(field))
  }
  assert.match((await put({ custom_host: 'x' })).json.error?.message ?? '', /custom_host/)
  assert.deepEqual(s3.seen, [])
})

test('the secret and the access key stand nowhere in the clear, and changes stand in the audit log', async () => {
  await put()
  await put({ bucket: 'no-such-bucket' })
  await keepSamples(hone.app, [newSample(workspaceId, hone.app.clock.now())])
  const { db } = hone.app.storage
  assert.deepEqual(await tablesWith(db, s3Keys.secret_access_key), [])
  assert.deepEqual(await tablesWith(db, s3Keys.access_key_id), ['own_storage'])
  await hone.call('DELETE', path, { key: hone.owner.key })
  assert.deepEqual(
    await tablesWith(db, s3Keys.access_key_id),
    [],
    'a disconnected key is forgotten',
  )
  const audit = await hone.call('GET', '/api/audit', { key: hone.owner.key })
  const { audit_events: events } = audit.json as unknown as { audit_events: { action: string }[] }
  assert.deepEqual(
    events.slice(0, 2).map(({ action }) => action),
    ['storage.disconnected', 'storage.connected'],
  )
  assert.ok(!audit.text.includes(s3Keys.secret_access_key))
})

test('disconnecting twice is the same as once', async () => {
  await put()
  for (let again = 0; again < 2; again++) {
    const answer = await hone.call('DELETE', path, { key: hone.owner.key })
    assert.equal(answer.status, 204)
  }
  assert.equal(await shown(), null)
})

test('each workspace has its own, and roles without the scope may only look', async () => {
  await put()
  const stranger = await otherOrg(hone)
  const theirs = await hone.call('GET', path, { key: stranger.secret })
  assert.deepEqual(theirs.json, { storage: null })
  const member = await addPerson(hone, 'member')
  const { secret } = await createKey(hone, member.headers)
  assert.equal((await hone.call('GET', path, { key: secret })).status, 200)
  assert.equal((await put({}, secret)).status, 403)
  assert.equal((await hone.call('DELETE', path, { key: secret })).status, 403)
})

test('connecting and disconnecting leaves the other workspaces their buckets', async () => {
  const stranger = await otherOrg(hone)
  const theirs = async (): Promise<object | null> => {
    const answer = await hone.call('GET', path, { key: stranger.secret })
    return (answer.json as unknown as { storage: OwnStorage | null }).storage
  }
  assert.equal((await put({ prefix: 'theirs' }, stranger.secret)).status, 200)
  const { storage: kept } = (await put()).json as unknown as { storage: OwnStorage }
  const before = await theirs()
  assert.partialDeepStrictEqual(before, { prefix: 'theirs', samples: 0, bytes: 0 })
  // Only the bucket for new samples takes any.
  const at = hone.app.clock.now()
  const placed = [
    ...(await keepSamples(hone.app, [newSample(workspaceId, at), newSample(workspaceId, at)])),
    ...(await keepSamples(hone.app, [newSample(stranger.workspaceId, at)])),
  ]
  assert.ok(placed.every(({ objectKey }) => objectKey !== null))
  const bytes = placed.slice(0, 2).reduce((sum, { text }) => sum + text.bytes, 0)
  assert.partialDeepStrictEqual(await shown(), {
    ...kept,
    samples: kept.samples + 2,
    bytes: kept.bytes + bytes,
  })
  assert.partialDeepStrictEqual(await theirs(), { prefix: 'theirs', samples: 1 })
  assert.equal((await hone.call('DELETE', path, { key: hone.owner.key })).status, 204)
  assert.equal(await shown(), null)
  assert.partialDeepStrictEqual(await theirs(), { prefix: 'theirs', samples: 1 })
  const [last] = await keepSamples(hone.app, [newSample(stranger.workspaceId, at)])
  assert.notEqual(last?.objectKey, null, 'and it is still reached')
  await hone.call('DELETE', path, { key: stranger.secret })
  await inDatabase(hone.databaseUrl, 'delete from sample')
})

test('another process hears of a change', async () => {
  const at = hone.app.clock.now()
  assert.equal(await second.app.samples.ownStorages.defaultOf(workspaceId), null)
  await put()
  assert.ok(await hone.app.samples.ownStorages.defaultOf(workspaceId), 'this process knows at once')
  const heard = async (): Promise<boolean> =>
    (await second.app.samples.ownStorages.defaultOf(workspaceId)) !== null
  await eventually(heard, (isHeard) => isHeard)
  const before = (await shown())?.samples ?? 0
  const [kept] = await keepSamples(second.app, [newSample(workspaceId, at)])
  assert.ok(kept?.objectKey)
  assert.equal((await shown())?.samples, before + 1)
})
