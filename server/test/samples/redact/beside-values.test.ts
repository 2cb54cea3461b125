// Values that stand right beside something else, with only a comma, a colon or a dash between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'

/** `{}` is where the value was. */
function isFound(kind: string, text: string, value: string): void {
  const redacted = redactText(text.replace('{}', value)).text
  assert.equal(redacted, text.replace('{}', `[redacted:${kind}]`))
  assert.equal(redactText(redacted).text, redacted)
}

function stays(text: string): void {
  assert.equal(redactText(text).text, text)
}

test('a national number is found between the other numbers of a row', () => {
  const ssn = '536-' + '90-4399'
  for (const text of ['1,{},2', '42,{},Mia', '2024-01-31,{},5', 'name,ssn,zip\nMia,{},10001']) {
    isFound('national_id', text, ssn)
  }
  isFound('national_id', '1,{},2', '131052' + '-308T')
  isFound('national_id', '1,{},2', '111.444' + '.777-35')
  isFound('national_id', '1,{},2', '2 55 08 14' + ' 168 025 38')
  isFound('national_id', 'id,ssn\n1,{},30', '536' + '904399')
  assert.equal(
    redactText(`ssn:${ssn},${ssn}`).text,
    'ssn:[redacted:national_id],[redacted:national_id]',
  )
})

test('an amount in groups of three, with its decimals, is no national number', () => {
  stays('BSN and amount: 111 222 333,50')
  stays('BSN and amount: 111.222.333,50')
  isFound('national_id', 'BSN: {}, 50', '111 222 333')
})

test('an IPv6 address is found behind a name or a number and a colon', () => {
  const [short, long] = ['2001:' + 'db8::1', '2001:' + 'db8:85a3:0:0:8a2e:370:7334']
  for (const value of [short, long, 'fe80::1ff:fe23:4567:890a%eth0']) {
    for (const text of ['ip:{}', 'src:{} port 22', 'client_ip:{}/64', 'access.log:12345:{} GET']) {
      isFound('ip', text, value)
    }
  }
  isFound('ip', 'facade:{}', short)
})

test('names, times, hardware addresses and fingerprints with colons are no IPv6 addresses', () => {
  for (const text of [
    'time:12:30:45',
    'mac:00:1a:2b:3c:4d:5e',
    'MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48',
    'guid:20:01:0d:b8:85:a3:00:01:02',
    'a:1:2:3:4:5:6:7:8:9',
    'arn:aws:iam::123456789012:role/x',
    'std:bad::cafe',
  ]) {
    stays(text)
  }
})

test('an email address ends before a dash behind its domain', () => {
  const address = 'mia' + '@example.org'
  for (const text of ['ask {}—she knows', 'ask {}–', '{}-', '{}-based']) {
    isFound('email', text, address)
  }
  isFound('email', '{}', 'mia' + '@mail.co-op.example')
  for (const text of ['react@18.2.0-beta', 'icon@2x.png-old', 'pkg@1.x-dev', 'mia@host-1']) {
    stays(text)
  }
})

test('a number with a further one behind a dot, a slash, a dash or a plus is part of something else', () => {
  for (const sign of ['.', '/', '-', '+']) {
    for (const further of ['0', '5', '9']) {
      stays(`SSN 219099999${sign}${further}`)
      stays(`SSN ${further}${sign}219099999`)
    }
    for (const text of [`SSN {}${sign}`, `SSN {}${sign} 5`, `SSN {}${sign}x`]) {
      isFound('national_id', text, '219' + '099999')
    }
  }
  for (const text of ['SSN x219099999', 'SSN 219099999x', 'SSN 5219099999']) stays(text)
  isFound('national_id', 'SSN .{}', '219' + '099999')
})

test('a word speaks of the numbers in its clause and in the next, and of no others', () => {
  const number = '0480' + '63408'
  for (const text of [
    'nhs {}',
    'nhs, it is: {}',
    'nhs v1.2.3 and {}',
    'the nhs. {}',
    'nhs; {}',
    'nhs\n{}',
    'nhs\n\n\n{}',
    'nhs. . {}',
    'nhs.net it is. {}',
    '{}, of the nhs',
    'see [redacted:email] nhs {}',
  ]) {
    isFound('national_id', text, number)
  }
  for (const text of [
    `nhs. It is so. ${number}`,
    `nhs; it is so; ${number}`,
    `nhs\nit is so\n${number}`,
    `nhs. 5; ${number}`,
    `nhs\n身\n${number}`,
    `${number}. The nhs is slow.`,
    `${number}. It is long. The nhs is slow.`,
  ]) {
    stays(text)
  }
})

test('what ends the sentence is no part of a secret, and what quotes it neither', () => {
  for (const text of [
    'The password is {}. Use it',
    'The password is {}: use it',
    'password={}/',
    'password: {}.',
    'password: {}...',
    'password: &quot;{}&quot;',
  ]) {
    isFound('key', text, 'hunter' + '2222')
  }
  for (const after of ['.', '/', ':', '. It is', '", "b"', '&quot;']) {
    isFound('key', `see {}${after}`, 'ghp' + '_c4naryc4naryc4naryc4naryc4naryc4nary12')
  }
  for (const after of ['.', ':', '. It is', '", "b"', '&quot;']) {
    isFound('key', `&quot;Authorization: Basic {}${after}`, 'YTpi' + 'YWRwYXNz')
  }
})

test('a national number with its letters set off is found behind plain words', () => {
  for (const number of ['F 123' + '4567 N', 'f 123' + '4567 n', 'AB 12 34' + ' 56 C']) {
    const isSure = number !== number.toLowerCase()
    for (const text of ['the {}', 'as of old, {} it was', 'so it is {}.', 'a, b and {}']) {
      if (isSure) isFound('national_id', text, number)
      else stays(text.replace('{}', number))
    }
  }
})

test('what ends a command line ends it behind plain words too', () => {
  const password = 'Secretly' + '9'
  isFound('key', 'sshpass as we do -p{}', password)
  for (const sign of ['|', '`', '\n', ';']) {
    stays(`sshpass as we do${sign} -p${password}`)
    stays(`sshpass as we do ${sign} so it is -p${password}`)
  }
})
