// Whose word about the client's address is believed: that of proxies which the operator named, and nobody else's.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { loginTriesPerMinute } from '#contract/limits.ts'
import { clientAddress } from '#server/http/client-address.ts'
import { readNetworkList } from '#server/lib/network-list.ts'
import { addPerson } from '#test/support/accounts.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const trusted = readNetworkList('10.0.0.0/8, 192.0.2.7,2001:db8:1::/48') as BlockList

const cases: [why: string, socket: string, forwarded: string | undefined, expected: string][] = [
  ['nothing was said', '10.0.0.1', undefined, '10.0.0.1'],
  ['a proxy speaks for a client', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
  ['a single address is a proxy', '192.0.2.7', '203.0.113.5', '203.0.113.5'],
  ['an IPv4 address came as IPv6', '::ffff:10.0.0.1', '::FFFF:203.0.113.5', '203.0.113.5'],
  ['an IPv6 proxy speaks', '2001:db8:1::9', '2001:DB8:0:0:0:0:0:5', '2001:db8::5'],
  ['several proxies speak', '10.0.0.1', '203.0.113.5, 192.0.2.7 ,10.9.9.9', '203.0.113.5'],
  ['the client had a story', '10.0.0.1', '198.51.100.1, 203.0.113.5', '203.0.113.5'],
  ['the client claims a proxy', '10.0.0.1', '198.51.100.1, 10.1.1.1, 203.0.113.5', '203.0.113.5'],
  ['a stranger speaks', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
  ['a neighbour of a proxy speaks', '192.0.2.8', '198.51.100.1', '192.0.2.8'],
  ['a proxy names a port', '10.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
  ['a proxy names an IPv6 port', '10.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
  ['what is said is no address', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
  ['what is said is empty', '10.0.0.1', '', '10.0.0.1'],
  ['what is said is half an address', '10.0.0.1', '203.0.113', '10.0.0.1'],
  ['what is said has a zone', '10.0.0.1', 'fe80::1%eth0', '10.0.0.1'],
  ['only proxies are named', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['the connection is gone', '', '203.0.113.5', ''],
]

for (const [why, remoteAddress, forwarded, expected] of cases) {
  test(`the address is ${expected || 'none'} where ${why}`, () => {
    const request = {
      socket: { remoteAddress },
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    } as unknown as IncomingMessage
    assert.equal(clientAddress(request, trusted), expected)
    assert.equal(
      clientAddress(request, new BlockList()),
      remoteAddress.replace('::ffff:', ''),
      'with no proxies',
    )
  })
}

let accounts = 0

/** A bad try for an account that nobody tried before. */
async function badTry(hone: TestHone, forwarded: string): Promise<number> {
  const body = { email: `nobody-${++accounts}@example.com`, password: 'not the password' }
  const headers = { 'x-forwarded-for': forwarded }
  return (await hone.call('POST', '/api/auth/login', { body, headers })).status
}

describe('bad tries behind a trusted proxy', () => {
  let hone: TestHone
  before(async () => {
    const env = { HONE_TRUSTED_PROXIES: '::1, 127.0.0.1' }
    hone = await testHone({ clock: new ManualClock(), env })
  })
  after(() => hone.stop())

  test('count for the client that it names, whatever the client said before', async () => {
    for (let i = 0; i < loginTriesPerMinute; i++) {
      assert.equal(await badTry(hone, `198.51.100.${i}, 192.0.2.1`), 401)
    }
    assert.equal(await badTry(hone, '192.0.2.1'), 429)
    assert.equal(await badTry(hone, '198.51.100.200, 192.0.2.1'), 429)
    assert.equal(await badTry(hone, '192.0.2.2'), 401)
    const { email, password } = hone.owner
    const owner = await hone.call('POST', '/api/auth/login', {
      body: { email, password },
      headers: { 'x-forwarded-for': '192.0.2.3' },
    })
    assert.equal(owner.status, 200)
  })

  test('count for an address and for an account, each on its own', async () => {
    const { email, password } = await addPerson(hone, 'member')
    const signIn = async (given: string, forwarded: string): Promise<number> => {
      const call = { body: { email, password: given }, headers: { 'x-forwarded-for': forwarded } }
      return (await hone.call('POST', '/api/auth/login', call)).status
    }
    for (let i = 1; i < loginTriesPerMinute; i++) {
      assert.equal(await signIn('not the password', '192.0.2.10'), 401)
      assert.equal(await badTry(hone, '192.0.2.11'), 401)
    }
    assert.equal(await signIn(password, '192.0.2.11'), 200, 'neither has had all of its tries')
  })
})

describe('without trusted proxies', () => {
  let hone: TestHone
  before(async () => {
    hone = await testHone({ clock: new ManualClock() })
  })
  after(() => hone.stop())

  test('a client cannot choose whom its bad tries count for', async () => {
    for (let i = 0; i < loginTriesPerMinute; i++) {
      assert.equal(await badTry(hone, `198.51.100.${i}`), 401)
    }
    assert.equal(await badTry(hone, '198.51.100.100'), 429)
  })
})
