// A stranger's address is fetched, or fails in one of three ways, and nothing that is not public is ever reached.
import assert from 'node:assert/strict'
import type { LookupFunction } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { buildConnector } from 'undici'
import {
  FetchError,
  type FetchFailure,
  type FetchOptions,
  guardedFetch,
  type Network,
  redirectsMax,
} from '#server/lib/guarded-fetch.ts'
import { type ImageHost, imageHost, pixel } from '#test/support/image-host.ts'

let host: ImageHost
before(async () => {
  host = await imageHost()
})
after(() => host.close())
beforeEach(() => {
  host.seen = []
})

const publicAddress = '93.184.215.14'

/** Names as the test gives them, one answer per question; connections are counted, and go nowhere unless dialled. */
function network(
  names: Record<string, string[][]>,
  connector: typeof buildConnector = buildConnector,
): Network & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    resolve(name) {
      const answers = names[name] ?? []
      const answer =
        answers[Math.min(asked.filter((other) => other === name).length, answers.length - 1)]
      asked.push(name)
      return answer ? Promise.resolve(answer) : Promise.reject(new Error(`no such name: ${name}`))
    },
    connector,
  }
}

function options(change: Partial<FetchOptions> = {}): FetchOptions {
  return {
    types: ['image/png', 'image/jpeg'],
    mayBe: (type) => type === 'image/png',
    budget: { bytes: 1000 },
    signal: new AbortController().signal,
    allow: [host.host],
    network: network({}),
    timeMs: 5000,
    ...change,
  }
}

async function failureOf(
  address: string,
  change: Partial<FetchOptions> = {},
): Promise<FetchFailure> {
  try {
    await guardedFetch(address, options(change))
  } catch (error) {
    assert.ok(error instanceof FetchError, String(error))
    assert.equal(error.message, error.failure, 'the message says more than the failure')
    return error.failure
  }
  assert.fail('it was fetched')
}

test('an image of an allowed host is fetched, with nothing of ours sent along', async () => {
  const fetched = await guardedFetch(host.url('/pixel.png'), options())
  assert.deepEqual(fetched, pixel)
  assert.deepEqual(host.seen[0]?.headers, {
    host: host.host,
    connection: 'keep-alive',
    accept: 'image/png, image/jpeg',
    'accept-encoding': 'identity',
    'user-agent': 'Hone',
  })
})

describe('what the address itself says is refused before a name is asked or a connection made', () => {
  for (const text of [
    'http://127.0.0.1:PORT/pixel.png',
    'http://[::ffff:127.0.0.1]:PORT/pixel.png',
    'http://0x7f.1:PORT/pixel.png',
    'http://2130706433:PORT/pixel.png',
    'http://0:PORT/pixel.png',
    'http://[::1]:PORT/pixel.png',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://user@images.test:PORT/pixel.png',
    'http://images.test@127.0.0.1:PORT/pixel.png',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/_GET',
    'unix:/var/run/docker.sock',
  ]) {
    test(text, async () => {
      const names = network({ 'images.test': [['127.0.0.1']] })
      const address = text.replace('PORT', String(host.port))
      assert.equal(await failureOf(address, { allow: [], network: names }), 'unreachable')
      assert.deepEqual(names.asked, [])
      assert.deepEqual(host.seen, [])
    })
  }
})

describe('a name is refused when any of its addresses is not public', () => {
  for (const addresses of [
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    [publicAddress, '10.0.0.1'],
    ['2606:4700::1', 'fd00::1'],
    ['not an address'],
    [],
  ]) {
    test(addresses.join(' and ') || 'it has none', async () => {
      const dialled: string[] = []
      const names = network({ '127.0.0.1.nip.io': [addresses] }, (build) => (target, done) => {
        dialled.push(target.hostname)
        buildConnector(build)(target, done)
      })
      const address = `http://127.0.0.1.nip.io:${host.port}/pixel.png`
      assert.equal(await failureOf(address, { network: names }), 'unreachable')
      assert.deepEqual(dialled, [])
      assert.deepEqual(host.seen, [])
    })
  }
})

test('S5: a name that changes after the check is connected to where it was checked', async () => {
  const dialled: unknown[] = []
  const names = network({ 'rebind.test': [[publicAddress], ['127.0.0.1']] }, (build) => {
    const { lookup } = build as { lookup: LookupFunction }
    return (target, done) => {
      lookup(target.hostname, { all: true }, (_, addresses) => dialled.push(addresses))
      lookup(target.hostname, {}, (_, address, family) => dialled.push([{ address, family }]))
      done(new Error('far away'), null)
    }
  })
  const address = `http://rebind.test:${host.port}/pixel.png`
  assert.equal(await failureOf(address, { network: names }), 'unreachable')
  assert.deepEqual(names.asked, ['rebind.test'])
  const pinned = [{ address: publicAddress, family: 4 }]
  assert.deepEqual(dialled, [pinned, pinned])
})

test('S5: a connection that arrives at a private address all the same is closed unused', async () => {
  const names = network({ 'rebind.test': [[publicAddress]] }, () => (target, done) => {
    buildConnector({})({ ...target, hostname: '127.0.0.1' }, done)
  })
  const address = `http://rebind.test:${host.port}/pixel.png`
  assert.equal(await failureOf(address, { network: names }), 'unreachable')
  assert.deepEqual(host.seen, [])
})

test('an allowed name may be private, and only that name', async () => {
  const names = network({ 'images.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']] })
  const allow = [`images.test:${host.port}`]
  const of = (name: string): string => `http://${name}:${host.port}/pixel.png`
  const fetched = await guardedFetch(of('images.test'), options({ allow, network: names }))
  assert.deepEqual(fetched, pixel)
  for (const name of ['other.test', '127.0.0.1', 'localhost']) {
    assert.equal(await failureOf(of(name), { allow, network: names }), 'unreachable', name)
  }
  assert.equal(host.seen.length, 1)
})

test('S5: text that parsers read in two ways is opened as the one host that was checked', async () => {
  const names = network({ ok: [['127.0.0.1']] })
  assert.equal(await failureOf('http://ok\\@10.0.0.1', { network: names }), 'unreachable')
  assert.deepEqual(names.asked, ['ok'])
})

describe('redirects', () => {
  for (const target of [
    'http://127.0.0.1:1/pixel.png',
    'http://[::1]/',
    'http://2130706433/',
    'http://169.254.169.254/latest/meta-data/',
    '//10.0.0.1/',
    'http://inside.test/',
    'file:///etc/passwd',
    'http://user:password@HOST/pixel.png',
    'http://',
  ]) {
    test(`to ${target} are not followed`, async () => {
      const address = host.url(`/to?${encodeURIComponent(target.replace('HOST', host.host))}`)
      const names = network({ 'inside.test': [['10.0.0.1']] })
      assert.equal(await failureOf(address, { network: names }), 'unreachable')
      assert.equal(host.seen.length, 1)
    })
  }

  test('are followed as often as allowed, without cookies', async () => {
    const address = host.url(`/hops?${redirectsMax - 1}`)
    const fetched = await guardedFetch(address, options())
    assert.deepEqual(fetched, pixel)
    assert.equal(host.seen.length, redirectsMax + 1)
    assert.ok(host.seen.every(({ headers }) => !('cookie' in headers) && !('referer' in headers)))
  })

  test('are not followed once more', async () => {
    assert.equal(await failureOf(host.url(`/hops?${redirectsMax}`)), 'unreachable')
    assert.equal(host.seen.length, redirectsMax + 1)
  })

  test('in a circle end', async () => {
    const self = host.url('/to?')
    const address = self + encodeURIComponent(`${self}x`)
    assert.equal(await failureOf(address), 'unreachable')
  })
})

describe('answers that are not taken', () => {
  const rows: [path: string, failure: FetchFailure][] = [
    ['/sized?1001', 'too-large'],
    ['/endless', 'too-large'],
    ['/page', 'wrong-type'],
    ['/svg', 'wrong-type'],
    ['/untyped', 'wrong-type'],
    ['/packed', 'wrong-type'],
    ['/empty', 'wrong-type'],
    ['/gone', 'unreachable'],
    ['/nowhere', 'unreachable'],
    ['/headers', 'unreachable'],
    ['/cut', 'unreachable'],
    ['/other', 'unreachable'],
  ]
  for (const [path, failure] of rows) {
    test(`${path} is ${failure}`, async () =>
      assert.equal(await failureOf(host.url(path)), failure))
  }

  for (const [path, type] of [
    ['/pixel.png', 'image/png'],
    ['/typed?Application/Octet-Stream', 'application/octet-stream'],
    ['/typed?', ''],
    ['/untyped', ''],
  ] as const) {
    test(`the caller decides about ${path} by its type, ${type || 'which is empty'}`, async () => {
      const taken = options({ mayBe: (given) => given === type })
      assert.deepEqual(await guardedFetch(host.url(path), taken), pixel)
      assert.equal(
        await failureOf(host.url(path), { mayBe: (given) => given !== type }),
        'wrong-type',
      )
    })
  }

  test('exactly the limit is taken', async () => {
    const bytes = await guardedFetch(host.url('/sized?1000'), options())
    assert.equal(bytes.length, 1000)
  })

  test('fetches that share a budget share its limit', async () => {
    const shared = options({ budget: { bytes: 1500 } })
    await guardedFetch(host.url('/sized?1000'), shared)
    await assert.rejects(guardedFetch(host.url('/sized?1000'), shared), { failure: 'too-large' })
  })

  test('an unused port fails in the same words as a refused address', async () => {
    const closed = await imageHost()
    await closed.close()
    const address = closed.url('/pixel.png')
    assert.equal(await failureOf(address, { allow: [closed.host] }), 'unreachable')
    assert.equal(await failureOf(address, { allow: [] }), 'unreachable')
  })
})

describe('time', () => {
  for (const path of ['/silent', '/stuck']) {
    test(`${path} ends at the limit`, async () => {
      assert.equal(await failureOf(host.url(path), { timeMs: 150 }), 'unreachable')
    })

    test(`${path} ends when the caller gives up, with the caller's reason`, async () => {
      const abort = new AbortController()
      const fetching = guardedFetch(host.url(path), options({ signal: abort.signal }))
      setTimeout(() => abort.abort(new Error('enough')), 50)
      await assert.rejects(fetching, /enough/)
    })
  }

  test('a name that is never answered ends at the limit', async () => {
    const names = { ...network({}), resolve: () => new Promise<string[]>(() => {}) }
    const change = { timeMs: 100, network: names }
    assert.equal(await failureOf('http://slow.test/', change), 'unreachable')
  })
})
