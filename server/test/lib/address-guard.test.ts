// Which addresses are public, and which texts are an address that may be opened.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { checkUrl, isHostEntry, isPublicAddress } from '#server/lib/address-guard.ts'

describe('public addresses', () => {
  for (const address of [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.88.98.255',
    '192.88.100.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2001:200::1',
    '2001:db7:ffff::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700:4700::1111',
    '2a00:1450::1',
    '3ffe:ffff::1',
    '3fff:1000::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ]) {
    test(address, () => assert.equal(isPublicAddress(address), true))
  }
})

describe('addresses that are not public', () => {
  for (const address of [
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.0',
    '100.100.100.200',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '168.63.129.16',
    '169.254.169.254',
    '169.254.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.0.255',
    '192.0.2.1',
    '192.0.2.255',
    '192.88.99.0',
    '192.88.99.255',
    '192.168.255.255',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.1',
    '198.51.100.255',
    '203.0.113.1',
    '203.0.113.255',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '::8.8.8.8',
    '64:ff9b::10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::8.8.8.8',
    '100::1',
    '2001:0:7f00:1::',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2001:db8:ffff::1',
    '2002:7f00:1::1',
    '2002:a00:1::1',
    '2002:ffff:ffff::1',
    '3fff::1',
    '3fff:fff:ffff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1%eth0',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '127.1',
    '1.1.1.1 ',
    '01.1.1.1',
  ]) {
    test(address || 'nothing', () => assert.equal(isPublicAddress(address), false))
  }
})

test('S5: an IPv4 address is as public inside of an IPv6 one as it is alone', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  const first = fc.oneof(octet, fc.constantFrom(10, 100, 127, 168, 169, 172, 192, 198, 203))
  const v4 = fc.tuple(first, octet, octet, octet).map((octets) => octets.join('.'))
  fc.assert(
    fc.property(v4, (address) => {
      const alone = isPublicAddress(address)
      assert.equal(isPublicAddress(`::ffff:${address}`), alone)
      assert.equal(isPublicAddress(`64:ff9b::${address}`), alone)
      assert.equal(isPublicAddress(`::${address}`), false)
      assert.equal(checkUrl(`http://${asNumber(address)}/`) !== null, alone)
      assert.equal(checkUrl(`http://[::ffff:${address}]/`) !== null, alone)
    }),
    { numRuns: 2000 },
  )
})

function asNumber(v4: string): number {
  return v4.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
}

/** Refused for what the text itself says; no name is asked. */
const refusedTexts = [
  'http://127.0.0.1/',
  'http://127.0.0.1./',
  'http://127.1/',
  'http://0x7f.1/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://2130706433/',
  'http://0/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http:127.0.0.1/',
  'http:\\\\127.0.0.1\\',
  'ht\ntp://127.0.0.1/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::a00:1]/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'https://10.0.0.1:8443/',
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://:password@example.com/',
  'http://example.com:80@10.0.0.1/',
  'http://example.com%23@10.0.0.1/',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'gopher://127.0.0.1:70/_x',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'ftp://example.com/a.png',
  'ws://example.com/',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  '//example.com/a.png',
  'example.com/a.png',
  'http://',
  'http://[fe80::1%25eth0]/',
  'http://example.com:99999/',
  '',
]

describe('an address is refused', () => {
  for (const text of refusedTexts) {
    test(JSON.stringify(text), () => assert.equal(checkUrl(text), null))
  }
})

test('S5: what parsers disagree on is read once, as it will be opened', () => {
  assert.equal(checkUrl('http://ok\\@10.0.0.1')?.href, 'http://ok/@10.0.0.1')
  assert.equal(checkUrl('http://ok#@10.0.0.1')?.host, 'ok')
  assert.equal(checkUrl('http://ok?@10.0.0.1')?.host, 'ok')
  assert.equal(checkUrl('HTTPS://EXAMPLE.com:443/a')?.href, 'https://example.com/a')
  assert.equal(checkUrl('http://1.1.1.1:8080/a?b')?.href, 'http://1.1.1.1:8080/a?b')
})

test('an allowed host is allowed on the port that was said, and nowhere else', () => {
  const open = (text: string, allow: string[]): boolean => checkUrl(text, allow) !== null
  assert.ok(open('http://10.0.0.1/', ['10.0.0.1']))
  assert.ok(open('https://10.0.0.1/', ['10.0.0.1']))
  assert.ok(open('https://10.0.0.1/', ['10.0.0.1:443']))
  assert.ok(open('http://10.0.0.1:9000/', ['10.0.0.1:9000']))
  assert.ok(open('http://[fd00::1]/', ['[fd00::1]']))
  assert.ok(!open('http://10.0.0.1:9000/', ['10.0.0.1']))
  assert.ok(!open('http://10.0.0.1/', ['10.0.0.1:9000']))
  assert.ok(!open('http://10.0.0.1/', ['10.0.0.1:443']))
  assert.ok(!open('http://10.0.0.10/', ['10.0.0.1']))
  assert.ok(!open('ftp://10.0.0.1/', ['10.0.0.1']))
  assert.ok(!open('http://user@10.0.0.1/', ['10.0.0.1']))
})

test('an entry of the allow-list is a host as a URL shows it', () => {
  for (const entry of ['a.example', 'a.example:8080', 'a:80', 'a:443', '10.0.0.1', '[fd00::1]:1']) {
    assert.ok(isHostEntry(entry), entry)
  }
  const wrong = [
    '',
    'A.example',
    'http://a',
    'a/',
    'a/b',
    'a@b',
    '*.a',
    ' a',
    'a:',
    '0x7f.1',
    '::1',
  ]
  for (const entry of wrong) assert.ok(!isHostEntry(entry), entry)
})
