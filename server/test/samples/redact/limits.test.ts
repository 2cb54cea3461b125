// Values that are just long enough and others that are just too short or too long, and addresses at the borders of what is
// one: each of these limits tells something real from something that only looks like it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'

/** As mixed as chance makes it. */
const mixed = 'hS7xQ2mK9pL4vR8wT3zBnE5cG6yJ0dF1'.repeat(8)
const hex = '7f3b1c9e8d2a4b5c6d7e8f90a1b2c3d4'.repeat(4)

/** `{}` is where the value was. */
function isTaken(kind: string, text: string, value: string): void {
  const redacted = redactText(text.replace('{}', () => value)).text
  assert.equal(redacted, text.replace('{}', `[redacted:${kind}]`))
  assert.equal(redactText(redacted).text, redacted)
}

function stays(text: string): void {
  assert.equal(redactText(text).text, text)
}

/** Taken with these lengths from one to another, and with no other. */
function isTakenOf(
  [min, max]: [number, number],
  make: (length: number) => string,
  kind = 'key',
): void {
  for (const length of [min, max]) isTaken(kind, 'it is {} here', make(length))
  for (const length of [min - 1, max + 1]) stays(`it is ${make(length)} here`)
}

/** Taken with this length and all longer ones. */
function isTakenFrom(min: number, make: (length: number) => string, kind = 'key'): void {
  for (const length of [min, min + 1, min + 20]) isTaken(kind, 'it is {} here', make(length))
  stays(`it is ${make(min - 1)} here`)
}

test('keys that something in their middle or at their end tells', () => {
  isTakenOf([31, 34], (length) => `abc8Q~${mixed.slice(0, length)}`)
  for (const text of ['abc8q~', 'abcxQ~', 'ab#8Q~', 'xabc8Q~'])
    stays(`${text}${mixed.slice(0, 33)}`)
  isTaken('key', 'it is {}.', `abc8Q~${mixed.slice(0, 31)}`)
  isTakenFrom(60, (length) => `${mixed.slice(0, 14)}.atlasv1.${mixed.slice(0, length)}`)
  for (const head of [13, 15]) stays(`${mixed.slice(0, head)}.atlasv1.${mixed.slice(0, 70)}`)
  for (const head of [12, 15]) {
    isTakenFrom(60, (length) => `00D${mixed.slice(0, head)}!${mixed.slice(0, length)}`)
  }
  for (const head of [11, 13, 14, 16]) stays(`00D${mixed.slice(0, head)}!${mixed.slice(0, 70)}`)
  stays(`00d${mixed.slice(0, 12)}!${mixed.slice(0, 70)}`)
  isTaken('key', 'it is {} here', `${mixed.slice(0, 36)}NRAL`)
  stays(`it is ${mixed.slice(0, 35)}NRAL here`)
  const rapid = (from: number, to: number): string =>
    `${hex.slice(0, from)}msh${hex.slice(0, 50 - from - 3 - to)}jsn${hex.slice(0, to - 3)}`
  isTaken('key', 'it is {} here', rapid(10, 15))
  for (const [from, to] of [
    [9, 15],
    [10, 14],
    [11, 16],
  ] as const)
    stays(`it is ${rapid(from, to)} here`)
  for (const end of ['-us1', '-us21']) isTaken('key', 'it is {} here', hex.slice(0, 32) + end)
  for (const end of ['-us', '-us123', '-eu1']) stays(`it is ${hex.slice(0, 32)}${end} here`)
  for (const length of [31, 33]) stays(`it is ${hex.slice(0, length)}-us12 here`)
  isTakenOf([16, 16], (length) => `${hex.slice(0, 32)}.${mixed.slice(0, length)}`)
  stays(`it is ${hex.slice(0, 32)}.${mixed.slice(0, 16).toUpperCase()} here`)
  for (const head of [13, 16]) {
    isTakenOf([32, 32], (length) => `${'1203456789012345'.slice(0, head)}:${hex.slice(0, length)}`)
  }
  stays(`it is 120345678901:${hex.slice(0, 32)} here`)
  isTakenOf([27, 27], (length) => `12034567890123|${mixed.slice(0, length)}`)
  stays(`it is 1203456789012|${mixed.slice(0, 27)} here`)
})

test('tokens of bots', () => {
  for (const head of ['12345678', '1234567890']) {
    isTakenOf([34, 36], (length) => `${head}:${mixed.slice(0, length)}`)
  }
  for (const head of ['1234567', '12345678901']) stays(`it is ${head}:${mixed.slice(0, 35)} here`)
  for (const first of 'MNO') {
    const token = (one: number, two: number, three: number): string =>
      `${first}${mixed.slice(0, one - 1)}.${mixed.slice(0, two)}.${mixed.slice(0, three)}`
    isTakenOf([23, 28], (length) => token(length, 6, 30))
    isTakenOf([5, 7], (length) => token(24, length, 30))
    isTakenOf([27, 40], (length) => token(24, 6, length))
  }
  for (const first of 'LP')
    stays(`it is ${first}${mixed.slice(0, 23)}.${mixed.slice(0, 6)}.${mixed.slice(0, 30)}`)
})

test('logins in headers', () => {
  for (const name of ['Bearer {}', 'Authorization: Token {}', 'authorization="Key {}"']) {
    isTaken('key', name, mixed.slice(0, 16))
    stays(name.replace('{}', mixed.slice(0, 15)))
  }
  const basic = (text: string): string => Buffer.from(text).toString('base64')
  for (const name of ['Basic {}', '"auth": "{}"', "auth: '{}'", '_auth={}', 'auth = {}']) {
    isTaken('key', name, basic('bob:hunter'))
    isTaken('key', name, basic('a:bcde'))
    stays(name.replace('{}', basic('a:b')))
    stays(name.replace('{}', basic('bob and hunter')))
    stays(name.replace('{}', basic('bob:hunt\u0001er')))
  }
  for (const length of [32, 64]) {
    isTaken('key', 'Digest username="a", response="{}"', hex.slice(0, length))
    stays(`Digest response="${hex.slice(0, length - 1)}"`)
    stays(`The response="${hex.slice(0, length)}"`)
  }
})

test('web tokens', () => {
  const header = 'eyJhbGciOiJI'
  isTaken('jwt', 'it is {} here', `${header}.${mixed.slice(0, 10)}.x`)
  isTaken('jwt', 'it is {} here', `${header}.x.${mixed.slice(0, 10)}`)
  stays(`it is ${header}.${mixed.slice(0, 9)}.x here`)
  stays(`it is ${header.slice(0, -1)}.${mixed.slice(0, 20)}.x here`)
  isTaken('jwt', 'it is {} here', `${header}.eyJzdWIiOiIx`)
  stays(`it is ${header}.eyJzdWIiOiI here`)
  stays(`it is ${header}.${mixed.slice(0, 12)} here`)
  isTaken('jwt', 'it is {} here', `${header}..${mixed.slice(0, 12)}.${mixed.slice(0, 12)}.x1`)
  isTaken('jwt', 'it is {}.x here', `${header}.a.b.c.${mixed.slice(0, 12)}`)
})

test('email addresses at the borders of what is one', () => {
  isTaken('email', 'to {} now', `mia@${'b'.repeat(63)}.com`)
  stays(`to mia@${'b'.repeat(64)}.com now`)
  for (const value of [
    'mia@example.xn--p1ai',
    'mia@xn--bcher-kva.example',
    'got@host.com',
    '"a b"@host.com',
  ]) {
    isTaken('email', 'to {} now', value)
    isTaken('email', 'to {}: now', value)
  }
  isTaken('email', 'to {} now', 'git@host.com')
  isTaken('email', 'to {}:a/b now', 'legit@host.com')
  for (const text of [
    'git@host.com:a/b',
    '""@host.com',
    'a@b',
    '@host.com',
    'mia@host.c',
    'mia@host.123',
  ]) {
    stays(`to ${text} now`)
  }
  isTaken('email', 'to {}.123 now', 'mia@host.com')
  isTaken('email', 'to {} now', `"${'a'.repeat(61)}"@host.com`)
  const endings =
    'png jpg jpeg gif svg webp ico bmp tiff pdf css scss js jsx ts tsx json html htm xml yml yaml txt csv tgz gz exe dll class jar wav ttf woff'
  for (const ending of endings.split(' ')) {
    stays(`see icon@big.${ending} there`)
    isTaken(
      'email',
      'see {} there',
      `icon@big.${ending}x`.replace('.jsx', '.jsxy').replace('.tsx', '.tsxy'),
    )
  }
  for (const sign of "._+-~'") isTaken('email', 'to {} now', `mia${sign}b@host.com`)
})

test('IPv4 addresses at the borders of what is one', () => {
  for (const value of ['0.0.0.0', '255.255.255.255', '1.2.3.4', '192.168.001.010']) {
    for (const text of ['from {} on', '({})', '{}:80', '{}/24', 'http://{}/x', '_{}_', 'at {}.']) {
      isTaken('ip', text, value)
    }
  }
  for (const text of [
    '256.1.1.1',
    '1.1.1.256',
    '1.2.3.4567',
    '1.2.3.4.5',
    '1.2.3',
    '1.2.3.4a',
    'a1.2.3.4',
    'x_1.2.3.4',
  ]) {
    stays(`from ${text} on`)
  }
  for (const word of 'version versions release build section chapter oid v Version'.split(' ')) {
    for (const text of [' 1.2.3.4', ': 1.2.3.4', ':1.2.3.4', '=1.2.3.4', '. 1.2.3.4']) {
      for (const before of ['', 'the ', 'so\n', '(']) stays(`${before}${word}${text}`)
      isTaken('ip', `x-${word}${text.replace('1.2.3.4', '{}')}`, '1.2.3.4')
    }
  }
  for (const word of 'chrome chromium edg opr headlesschrome electron crios safari'.split(' ')) {
    stays(`the ${word}/1.2.3.4 there`)
    isTaken('ip', `the ${word} {} there`, '1.2.3.4')
  }
})

test('IPv6 addresses at the borders of what is one', () => {
  for (const value of [
    '2001:db8::1',
    '3fff::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    'fe80::1%eth0',
    '64:ff9b::1.2.3.4',
    '64:ff9b::102:304',
    '::1',
    '::ffff:1.2.3.4',
    '::ffff:102:304',
    '1:2:3::4',
    '1:2:3:4:5:6:7::',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:1.2.3.4',
    '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
  ]) {
    for (const text of ['from {} on', '({})', '[{}]:80', 'from {}, then'])
      isTaken('ip', text, value)
  }
  isTaken('ip', 'from {}: hello', '2001:db8::1')
  isTaken('ip', 'http://[{}]/', '::1')
  for (const text of [
    '4000::1',
    'fb00::1',
    '::2',
    '1:2::3',
    'a::b',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:1.2.3.4'.replace('1.2.3.4', '1.2.3'),
    '2001:db8:::1',
    '2001:db8::1::2',
    '2001:db8::12345',
    '11:22:33:44:55:66:77:88',
    'list[::1]',
    'f()[::1]',
    'a[0][::1]',
  ]) {
    stays(`from ${text} on`)
  }
})

test('passwords in addresses, statements and files with logins', () => {
  for (const text of [
    'redis://bob:{}@host/x',
    'redis://:{}@host/x',
    "CREATE USER bob IDENTIFIED BY '{}'",
    "ALTER USER bob IDENTIFIED WITH mysql_native_password BY '{}'",
    "ALTER USER bob IDENTIFIED WITH 'caching_sha2_password' AS '{}'",
    'IDENTIFIED BY VALUES {};',
    'machine host.com login bob password {}',
    'machine host.com\n  login bob\n  account x\n  passwd {}',
    'machine localhost user bob password {}',
    'db.host.com:5432:app:bob:{}',
    '*:6432:*:bob:{}',
    'jdbc:oracle:thin:bob/{}@host',
    'sqlplus -s -L bob/{}@host',
    'sqlplus.exe bob/{}@host',
  ]) {
    isTaken('key', text, 'hunterTwo')
    stays(text.replace('{}', '$PASSWORD'))
  }
  isTaken('key', 'https://{}@host', mixed.slice(0, 20))
  stays(`https://${mixed.slice(0, 19)}@host`)
  for (const text of [
    'machine of the login and password needed',
    'host:5332:app:bob:hunterTwo',
    'the man identified by hunterTwo',
    'IDENTIFIED BY RANDOM PASSWORD',
  ]) {
    stays(text)
  }
})
