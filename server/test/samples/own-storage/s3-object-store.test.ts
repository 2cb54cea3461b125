// The client of S3-compatible stores: only the endpoint that was checked is ever reached, however its name is answered for,
// and nothing it answers takes longer or is larger than allowed.
import assert from 'node:assert/strict'
import type { LookupFunction } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { buildConnector } from 'undici'
import type { Network } from '#server/lib/guarded-fetch.ts'
import { type HostList, readHostList } from '#server/lib/host-list.ts'
import { ObjectFailure, type ObjectStore } from '#server/storage/objects/object-store.ts'
import { openS3, type S3Bucket, type S3Options } from '#server/storage/objects/s3-object-store.ts'
import { s3Error, s3Keys, type S3Server, s3Server } from '#test/support/s3-server.ts'

let s3: S3Server
before(async () => {
  s3 = await s3Server()
})
after(() => s3.close())
afterEach(() => {
  s3.trouble = null
  s3.seen.length = 0
})

const publicAddress = '93.184.215.14'
const hostList = (text: string): HostList => {
  const list = readHostList(text)
  assert.ok(!('wrong' in list))
  return list
}

function open(bucket: Partial<S3Bucket> = {}, options: Partial<S3Options> = {}): ObjectStore {
  return openS3(
    {
      endpoint: s3.endpoint,
      region: 'us-east-1',
      bucket: 'customer-data',
      accessKeyId: s3Keys.access_key_id,
      secretAccessKey: s3Keys.secret_access_key,
      forcePathStyle: true,
      ...bucket,
    },
    { hosts: hostList(s3.host), objectBytesMax: 100_000, triesMax: 1, ...options },
  )
}

async function failureOf(working: Promise<unknown>): Promise<string> {
  try {
    await working
  } catch (error) {
    assert.ok(error instanceof ObjectFailure, String(error))
    assert.equal(error.cause, undefined)
    assert.ok(!JSON.stringify(error).includes(s3Keys.secret_access_key))
    return error.kind
  }
  assert.fail('it worked')
}

/** Names as the test gives them, one answer per question. */
function network(
  answers: string[][],
  connector: typeof buildConnector = buildConnector,
): Network & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    resolve(name) {
      asked.push(name)
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? [])
    },
    connector,
  }
}

test('keys of all kinds come back as they were written', async () => {
  const store = open()
  for (const key of ['a/b.json', "it's (new)!*.json", 'ü/ß €.json', 'a+b&c=d?e#f', 'x~y_z-1']) {
    await store.put(key, `text of ${key}`)
    assert.equal(await store.get(key), `text of ${key}`)
    await store.delete(key)
    assert.equal(await failureOf(store.get(key)), 'missing')
  }
  store.close()
})

test('a text of some megabytes is written and read like any other', async () => {
  const store = open({}, { objectBytesMax: 4 << 20 })
  const large = 'é'.repeat(3 << 19)
  await store.put('large.json', large)
  assert.equal(await store.get('large.json'), large)
  await store.delete('large.json')
  store.close()
})

test('what is not there counts as deleted, and a bucket that is not there does not', async () => {
  const answer = (status: number, code: string | null) => {
    s3.trouble = (_, response) => {
      if (code === null) response.writeHead(status).end()
      else s3Error(response, status, code)
      return true
    }
  }
  answer(404, 'NoSuchKey')
  await open().delete('gone')
  for (const code of ['NoSuchBucket', null]) {
    answer(404, code)
    assert.equal(await failureOf(open().delete('gone')), 'no-such-bucket')
    assert.equal(await failureOf(open().put('a', 'b')), 'no-such-bucket')
  }
})

test('a store that is busy is asked three times', async () => {
  let asked = 0
  s3.trouble = (_, response) => {
    asked++
    if (asked < 3) s3Error(response, 503, 'SlowDown')
    return asked < 3
  }
  const store = openS3(
    {
      endpoint: s3.endpoint,
      region: 'us-east-1',
      bucket: 'customer-data',
      accessKeyId: s3Keys.access_key_id,
      secretAccessKey: s3Keys.secret_access_key,
      forcePathStyle: true,
    },
    { hosts: hostList(s3.host), objectBytesMax: 100_000 },
  )
  await store.put('busy.json', 'text')
  assert.equal(asked, 3)
  store.close()
})

test('a host per bucket works where path style is off, and the trust in its endpoint covers it', async () => {
  const names = network([['127.0.0.1']])
  const store = open(
    { endpoint: `http://s3.test:${s3.port}`, forcePathStyle: false },
    { hosts: hostList(`s3.test:${s3.port}`), network: names },
  )
  await store.put('a.json', 'text')
  assert.equal(await store.get('a.json'), 'text')
  assert.deepEqual(new Set(names.asked), new Set(['customer-data.s3.test']))
  assert.ok(s3.seen.includes('PUT /a.json'))
  assert.ok((await s3.keys()).includes('a.json'))
  store.close()
})

describe('a name is not connected to when any of its addresses may not be reached', () => {
  for (const addresses of [
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    ['fd00:ec2::254'],
    [publicAddress, '10.0.0.1'],
    [],
  ]) {
    for (const scheme of ['http', 'https']) {
      test(`${scheme} to ${addresses.join(' and ') || 'none'}`, async () => {
        const dialled: string[] = []
        const names = network([addresses], (build) => (target, done) => {
          dialled.push(target.hostname)
          buildConnector(build)(target, done)
        })
        const endpoint = `${scheme}://127.0.0.1.nip.io:${s3.port}`
        assert.equal(
          await failureOf(open({ endpoint }, { network: names }).get('a')),
          'unreachable',
        )
        assert.deepEqual(dialled, [])
        assert.deepEqual(s3.seen, [])
      })
    }
  }
})

test('without TLS even a public address is not connected to', async () => {
  const dialled: string[] = []
  const names = network([[publicAddress]], () => (target, done) => {
    dialled.push(target.hostname)
    done(new Error('far away'), null)
  })
  const kind = await failureOf(open({ endpoint: 'http://store.test' }, { network: names }).get('a'))
  assert.equal(kind, 'unreachable')
  assert.deepEqual(dialled, [])
})

test('a name that changes after the check is connected to where it was checked', async () => {
  const dialled: unknown[] = []
  const names = network([[publicAddress], ['127.0.0.1']], (build) => {
    const { lookup } = build as { lookup: LookupFunction }
    return (target, done) => {
      lookup(target.hostname, { all: true }, (_, addresses) => dialled.push(addresses))
      done(new Error('far away'), null)
    }
  })
  const endpoint = `https://rebind.test:${s3.port}`
  assert.equal(await failureOf(open({ endpoint }, { network: names }).get('a')), 'unreachable')
  assert.deepEqual(names.asked, ['rebind.test'])
  assert.deepEqual(dialled, [[{ address: publicAddress, family: 4 }]])
})

test('each new connection is checked: a name that moved inside later is not followed', async () => {
  const dialled: string[] = []
  const names = network([[publicAddress], ['127.0.0.1']], () => (target, done) => {
    dialled.push(target.hostname)
    done(new Error('far away'), null)
  })
  const store = open({ endpoint: `https://rebind.test:${s3.port}` }, { network: names })
  assert.equal(await failureOf(store.get('a')), 'unreachable')
  assert.equal(await failureOf(store.get('a')), 'unreachable')
  assert.equal(names.asked.length, 2)
  assert.equal(dialled.length, 1)
  assert.deepEqual(s3.seen, [])
})

test('a connection that arrives at a private address all the same is closed unused', async () => {
  const names = network([[publicAddress]], () => (target, done) => {
    buildConnector({})({ ...target, protocol: 'http:', hostname: '127.0.0.1' }, done)
  })
  const endpoint = `https://rebind.test:${s3.port}`
  assert.equal(await failureOf(open({ endpoint }, { network: names }).get('a')), 'unreachable')
  assert.deepEqual(s3.seen, [])
})

test('a network on the list may be reached by any name, also without TLS', async () => {
  const store = open(
    { endpoint: `http://s3.test:${s3.port}` },
    { hosts: hostList('10.0.0.0/8,127.0.0.0/8'), network: network([['127.0.0.1']]) },
  )
  await store.put('listed', 'text')
  assert.equal(await store.get('listed'), 'text')
  store.close()
})

test('an allowed host is allowed on its port only', async () => {
  const other = await s3Server()
  assert.equal(await failureOf(open({ endpoint: other.endpoint }).get('a')), 'unreachable')
  assert.deepEqual(other.seen, [])
  await other.close()
})

test('a redirect is an answer like any other', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    s3.trouble = (_, response) => (
      response.writeHead(status, { location: 'http://169.254.169.254/latest/' }).end(),
      true
    )
    assert.equal(await failureOf(open().get('a')), 'refused')
  }
  assert.equal(s3.seen.length, 5)
})

describe('time and size', () => {
  test('an answer that never comes', async () => {
    s3.trouble = () => true
    assert.equal(await failureOf(open({}, { requestMs: 100 }).get('a')), 'unreachable')
  })

  test('an answer that never ends', async () => {
    s3.trouble = (_, response) => {
      const drip = setInterval(() => response.write('x'), 10)
      response.writeHead(200).on('close', () => clearInterval(drip))
      return true
    }
    assert.equal(await failureOf(open({}, { requestMs: 200 }).get('a')), 'unreachable')
  })

  test('tries together', async () => {
    s3.trouble = () => true
    const store = open({}, { requestMs: 10_000, totalMs: 150, triesMax: 5 })
    assert.equal(await failureOf(store.put('a', 'b')), 'unreachable')
  })

  test('an answer that is too large', async () => {
    await s3.write('large', 'x'.repeat(100_001))
    assert.equal(await failureOf(open().get('large')), 'too-large')
    await s3.write('large', 'x'.repeat(100_000))
    assert.equal((await open().get('large')).length, 100_000)
  })

  test('an error that would take the library minutes to read', async () => {
    const told = '<Error><Code>AccessDenied</Code></Error>'
    const answer = (doctypes: number) => {
      const text = '<!DOCTYPE>'.repeat(doctypes) + told
      s3.trouble = (_, response) => (response.writeHead(403).end(text), true)
    }
    answer(1)
    assert.equal(await failureOf(open().put('a', 'b')), 'refused')
    // Its status is all that is looked at.
    answer(5_000)
    assert.equal(await failureOf(open().put('a', 'b')), 'credentials')
    assert.equal(await failureOf(open().get('a')), 'credentials')
    assert.equal(await failureOf(open().delete('a')), 'credentials')
  })

  test('headers without end', async () => {
    s3.trouble = (_, response) => (
      response.writeHead(200, { 'x-long': 'y'.repeat(15_000), 'x-more': 'y'.repeat(5_000) }).end(),
      true
    )
    assert.equal(await failureOf(open().get('a')), 'unreachable')
  })
})

describe('what a store may answer', () => {
  const cases: [number, string | null, string][] = [
    [403, 'SignatureDoesNotMatch', 'credentials'],
    [403, 'InvalidAccessKeyId', 'credentials'],
    [403, null, 'credentials'],
    [401, null, 'credentials'],
    [400, 'ExpiredToken', 'credentials'],
    [400, 'InvalidToken', 'credentials'],
    [400, 'TokenRefreshRequired', 'credentials'],
    [403, 'RequestTimeTooSkewed', 'credentials'],
    [403, 'AllAccessDisabled', 'refused'],
    [403, 'AccountProblem', 'refused'],
    [400, 'RequestTimeout', 'unreachable'],
    [400, 'SlowDown', 'unreachable'],
    [408, null, 'unreachable'],
    [403, 'AccessDenied', 'refused'],
    [403, 'InvalidObjectState', 'refused'],
    [400, 'AuthorizationHeaderMalformed', 'refused'],
    [404, 'NoSuchBucket', 'no-such-bucket'],
    [404, 'NoSuchKey', 'missing'],
    [404, null, 'missing'],
    [500, 'InternalError', 'unreachable'],
    [503, 'SlowDown', 'unreachable'],
    [429, null, 'unreachable'],
    [418, null, 'refused'],
    [400, '__proto__', 'refused'],
  ]
  for (const [status, code, kind] of cases) {
    test(`${status} ${code ?? 'without a code'} is ${kind}`, async () => {
      s3.trouble = (_, response) => {
        if (code === null) response.writeHead(status).end('<html>something</html>')
        else s3Error(response, status, code)
        return true
      }
      assert.equal(await failureOf(open().get('a')), kind)
    })
  }
})

test('a list of hosts takes hosts, ports and networks, and names what it does not', () => {
  const list = hostList(' minio:9000 , store.internal,10.0.0.0/8, fd00::/8 ,')
  assert.ok(list.namesHost(new URL('http://minio:9000')))
  assert.ok(!list.namesHost(new URL('http://minio:9001')))
  assert.ok(list.namesHost(new URL('https://store.internal')))
  assert.ok(!list.namesHost(new URL('https://other.internal')))
  for (const inside of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:ec2::254']) {
    assert.ok(list.holdsAddress(inside), inside)
  }
  for (const outside of ['11.0.0.1', '::1', 'minio', '']) assert.ok(!list.holdsAddress(outside))
  for (const wrong of [
    '*.internal',
    'http://a',
    '10.0.0.0/33',
    '10.0.0.0/',
    'a/b',
    '10.0.0.0/8/9',
  ]) {
    assert.deepEqual(readHostList(`good.host,${wrong}`), { wrong })
  }
})
