// Redaction as a whole: exact replacements, JSON that stays JSON, nothing lost, and work that grows with the text only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assignments } from '#server/samples/redact/find-assigned-secret.ts'
import { kinds, markerOf } from '#server/samples/redact/kinds.ts'
import { contextWords } from '#server/samples/redact/national-id/context-words.ts'
import { redactJson } from '#server/samples/redact/redact-json.ts'
import { redactText } from '#server/samples/redact/redact-text.ts'
import { hostileTexts } from './hostile-texts.ts'
import { redactParts } from './redact-parts.ts'

const visa = '4111' + '1111' + '1111' + '1111'
/** One value of each kind that stands on its own. */
const canaries = [
  'canary.person@example.com',
  'ghp' + '_c4naryc4naryc4naryc4naryc4naryc4nary12',
  'AKIA' + 'C4NARYC4NARYC4NA',
  'eyJ' + 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlc2lnbmF0dXJl',
  visa,
  '536-' + '22-1234',
  '203.0.113.77',
  '2001:db8::77',
]

/** Others, which no text has that is put together from pieces. */
const planted = [
  'planted.person@example.org',
  'ghp' + '_pl4ntedpl4ntedpl4ntedpl4ntedpl4nted12',
  'AKIA' + 'PL4NTEDPL4NTEDPL',
  '5555' + '5555' + '5555' + '4444',
  '219-' + '09-9998',
  '198.51.100.99',
  '2001:db8::99:1',
]

test('a marker holds redacted:<kind> and is left alone', () => {
  for (const kind of kinds) {
    assert.match(markerOf(kind), new RegExp(`redacted:${kind}\\b`))
    assert.equal(redactText(`see ${markerOf(kind)}.`).text, `see ${markerOf(kind)}.`)
  }
})

test('the finds are counted by kind', () => {
  const { found } = redactText(`${visa} a@b.co c@d.co 203.0.113.77`)
  assert.deepEqual(found, { card: 1, email: 2, ip: 1 })
})

test('overlapping values leave no rest', () => {
  const { text } = redactText(`password=abc12:bob@mail.net end`)
  assert.equal(text, 'password=[redacted:key] end')
})

test('of values that begin at one place the longer is taken whole', () => {
  const { text, found } = redactText(`${visa}@example.com end`)
  assert.equal(text, '[redacted:card] end')
  assert.deepEqual(found, { card: 1 })
})

test('a clause may speak of more than one thing', () => {
  const aws = 'lHT8ZFrpdulxz5VH9ix0ofDzsMrYbVhboIbMr2iW'
  assert.equal(
    redactText(`aws and ssn: 536221234 and ${aws}`).text,
    'aws and ssn: [redacted:national_id] and [redacted:cloud_key]',
  )
})

/** One in some fifty keys of twenty characters has no digit, or hardly one. */
test('a key whose beginning tells is found without digits too', () => {
  for (const [prefix, body] of [
    ['sk_' + 'live_', 'NtYbmkBpMSHRVmZjfmzMQjme'],
    ['sk_' + 'test_', 'fLHSzsdJXUTAeUPyyVQsVlek'],
    ['rk_' + 'live_', 'oEeBuIWfFJcBhJVDFAdPeaSo'],
    ['glp' + 'at-', 'oRAsItBM_KppxGSJeqnR'],
    ['sq0' + 'atp-', 'Sg-CLKRLqYtyVNLCVLEkPI'],
    ['dck' + 'r_pat_', 'eixEr-RYPtBTHZqbqnWfGt_gYDG'],
    ['NRA' + 'K-', 'GEOZBZDLSX3MQ4GURMC3BAKKEHF'],
    ['rnd' + '_', 'lCSjORnaOIfIEaMkQQuhbZtFqBNs'],
  ]) {
    assert.equal(redactText(`my key is ${prefix}${body}.`).text, 'my key is [redacted:key].')
  }
  assert.equal(redactText('LTA' + 'IoCRsAQRIhRmFqqLCZFYN').text, '[redacted:cloud_key]')
})

test('a word behind the beginning of a key is no key', () => {
  for (const text of [
    'sk_' + 'live_xxxxxxxxxxxxxxxxxxxxxxxx',
    'sk_' + 'test_yourownsecretkeygoeshere',
    'glp' + 'at-your-own-token-goes-here',
    'LTA' + 'Ixxxxxxxxxxxxxxxx',
  ]) {
    assert.equal(redactText(text).text, text)
  }
})

test('JSON texts stay JSON, their numbers and layout as they were', () => {
  const text = `{ "n": 1.0, "big": 12345678901234567890, "card": ${visa}, "in": "{\\"ssn\\":\\"536221234\\"}" }`
  assert.equal(
    redactText(text).text,
    '{ "n": 1.0, "big": 12345678901234567890, "card": "[redacted:card]", "in": "{\\"ssn\\":\\"[redacted:national_id]\\"}" }',
  )
})

test('keys of a text that is JSON are redacted, and counted', () => {
  const { text, found } = redactText(
    '{ "bob@example.org": 1, "a": { "eve@example.org": [2], "bob@example.org": 3 } }',
  )
  assert.equal(
    text,
    '{ "[redacted:email]": 1, "a": { "[redacted:email]": [2], "[redacted:email]": 3 } }',
  )
  assert.deepEqual(found, { email: 2 })
})

test('what a text goes by speaks of what is in it when it is JSON itself', () => {
  const said = (number: string): object => ({ ssns: JSON.stringify([number, [number]]) })
  assert.deepEqual(redactJson(said('536221234')).value, said('[redacted:national_id]'))
})

test('keys say what values are, also in lists', () => {
  const value = { ssns: ['536221234'], order: '536221234', db: { password: 'hunter2222' } }
  assert.deepEqual(redactJson(value).value, {
    ssns: ['[redacted:national_id]'],
    order: '536221234',
    db: { password: '[redacted:key]' },
  })
})

test('three of a row of numbers, years and parts of a code are no national number', () => {
  for (const text of [
    '2023 2024 2025',
    '| 2022\t2023\t2024\t2025',
    'ports 5432 6379 9200 27017',
    'request 0eb026fe-4028-4065-8148-bedc3dca5f16 failed',
    'SKU-9151-0596-5155',
  ]) {
    assert.equal(redactText(text).text, text)
  }
  for (const text of ['Aadhaar 5432 6379 9200 27017', 'from 5432 6379 9200, 5 times']) {
    const redacted = redactText(text).text
    assert.equal(redacted, text.replace('5432 6379 9200', '[redacted:national_id]'))
    assert.equal(redactText(redacted).text, redacted)
  }
})

test('four of a long row of numbers are no card, unless the row is a list of cards', () => {
  const card = '4111 1111 1111 1111'
  const marker = markerOf('card')
  for (const separator of [' ', '\t', '-']) {
    const written = (text: string): string => text.replaceAll(' ', separator)
    const table = written(`1204 2033 ${card} 1999 5804 7012`)
    assert.equal(redactText(table).text, table)
    // One number more before or behind may be a date.
    for (const beside of ['1227 {}', '{} 1227', '2024 {} 1227 0330']) {
      const text = written(beside.replace('{}', () => card))
      assert.equal(redactText(text).text, written(beside).replace('{}', marker))
    }
    const cards = [card, '5105 1051 0510 5100', '4012 8888 8888 1881'].map(written)
    assert.equal(
      redactText(cards.join(separator)).text,
      [marker, marker, marker].join(separator),
      'three of them without a sign between',
    )
    const spoilt = [...cards, '4012', '8888'].join(separator)
    assert.equal(redactText(spoilt).text, spoilt)
  }
  const lines = `1204 2033 1999 5804 7012\n${card}\n1204 2033 1999 5804 7012`
  assert.equal(redactText(lines).text, lines.replace(card, marker))
})

test('a private key that was encoded once more is one, and a certificate is none', () => {
  const lines = 'Ul3nF3ZkYNRCQvjoySSsEnsGzwtjw/75POt4i84MJhTjN75ehVKjlX7f5yP8th5n\n'.repeat(4)
  const encoded = (label: string): string =>
    Buffer.from(`-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`).toString('base64')
  const wrapped = (text: string, width: number): string =>
    (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n  ')
  for (const word of ['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ']) {
    const key = encoded(`${word}PRIVATE KEY`)
    for (const value of [key, wrapped(key, 76), wrapped(key, 64)]) {
      assert.equal(
        redactText(`client-key-data: ${value}\n  more: x`).text,
        `client-key-data: ${markerOf('private_key')}\n  more: x`,
        word,
      )
    }
  }
  for (const label of ['CERTIFICATE', 'PUBLIC KEY', 'RSA PUBLIC KEY']) {
    const text = `client-certificate-data: ${encoded(label)}`
    assert.equal(redactText(text).text, text)
  }
})

test('types, encodings and names in programs are no secrets', () => {
  for (const text of [
    'function derive(password: Uint8Array, salt: Uint8Array): Promise<Uint8Array>',
    'protected secret: Float64Array;',
    '{"password":"base64"}',
    'Vaults.Credentials = credentials_1.Credentials;',
    'type ClosingBracketToken = ClosingBracketToken$1;',
    'token is TSESTree.BooleanToken | TSESTree.JSXIdentifierToken | TSESTree.JSXTextToken',
    'import { CreateBucketMetadataConfigurationCommand } from "@aws-sdk/client-s3"',
    'export const resolveDefaultAwsRegionalEndpointsConfig = (input) => {}',
  ]) {
    assert.equal(redactText(text).text, text)
  }
  for (const [text, secret] of [
    ['password: {}', 'Uint8Array7'],
    ['token = {}', 'x1TokenQ9zK4mB7tokenA2vR'],
    ['aws {}', 'lHT8ZFrpdulxz5VH9ix0ofDzsMrYbVhboIbMr2iW'],
  ] as const) {
    assert.match(redactText(text.replace('{}', secret)).text, /^[^[]+\[redacted:\w+\]$/)
  }
})

test('a secret beside its name, in a field called value', () => {
  const key = '7f3b1c9e8d2a4b5c6d7e8f90a1b2c3d4'
  for (const text of [
    '- name: API_TOKEN\n  value: "{}"\n- name: PORT\n  value: "8080"',
    '[{"name":"LEVEL","value":"debug2"},{"name":"API_KEY","value":"{}"}]',
    '<add key="ApiKey" value="{}"/>',
    "{ name: 'x-api-key', value: '{}' }",
  ]) {
    const redacted = redactText(text.replace('{}', key)).text
    assert.equal(redacted, text.replace('{}', '[redacted:key]'))
    assert.equal(redactText(redacted).text, redacted)
  }
  for (const text of [
    '- name: TOKEN\n  valueFrom:\n    secretKeyRef: abc123def456',
    '{"name":"password","value":"string"}',
    '{"note":"on the password","value":"abc123xyz"}',
  ]) {
    assert.equal(redactText(text).text, text)
  }
})

test('a password in quotes behind its name is taken, and a word in quotes is not', () => {
  for (const [text, redacted] of [
    [`alter user bob with password 'hunter2x';`, `alter user bob with password '[redacted:key]';`],
    ['create role a login password "Xk29fLq8"', 'create role a login password "[redacted:key]"'],
    [`the password 'must' be given`, `the password 'must' be given`],
    [`password 'at least 8 characters'`, `password 'at least 8 characters'`],
  ] as const) {
    assert.equal(redactText(text).text, redacted)
    assert.equal(redactText(redacted).text, redacted)
  }
})

test('a password that is a string of JSON is taken whole, whatever signs it has', () => {
  for (const password of [
    'Tr0ub4dor&3',
    "it's4secret",
    'ab"c9Xk2d',
    'ab\\c9Xk2d',
    'a,B3;xyz',
    'x9!(kQ2mL7',
    'x9!)kQ2mL7',
  ]) {
    const json = JSON.stringify({ user: 'bob', db_password: password, port: 5432 })
    const replaced = '{"user":"bob","db_password":"[redacted:key]","port":5432}'
    assert.equal(redactText(json).text, replaced)
    assert.deepEqual(redactJson(JSON.parse(json)).value, JSON.parse(replaced))
  }
  for (const told of [
    'required|string|min:8',
    'getPassword(1)',
    'pre-{{password1}}',
    'users[0].password',
    'at least 8, please',
    'one,two,three',
  ]) {
    const json = JSON.stringify({ password: told })
    assert.equal(redactText(json).text, json)
  }
})

test('keys are redacted without losing a value, and __proto__ is a key', () => {
  const value = JSON.parse(
    '{"a@b.co":1,"c@d.co":2,"__proto__":{"x":"a@b.co"},"constructor":"a@b.co"}',
  ) as object
  const redacted = redactJson(value)
  assert.equal(
    JSON.stringify(redacted.value),
    '{"[redacted:email]":1,"[redacted:email] 2":2,"__proto__":{"x":"[redacted:email]"},"constructor":"[redacted:email]"}',
  )
  assert.equal(Object.getPrototypeOf(redacted.value), Object.prototype)
  assert.deepEqual(redacted.found, { email: 4 })
})

test('numbers become markers, other values stay', () => {
  const value = { card: Number(visa), n: 5, t: true, z: null, f: 1.5 }
  assert.deepEqual(redactJson(value).value, { ...value, card: '[redacted:card]' })
})

test('around a disguised value everything stays exactly as it was', () => {
  const around = 'x\u200by \ufeffé “ok” &amp; %41 \\u0042 \u{1d41a}\u00ad[redacted:ip] (a [at'
  const disguised = 'bob&#64;ex\u200bample [dot] com'
  const { text, found } = redactText(`${around} ${disguised}; ${around} ${visa}\u200b ${around}`)
  assert.equal(text, `${around} [redacted:email]; ${around} [redacted:card]\u200b ${around}`)
  assert.deepEqual(found, { card: 1, email: 1 })
})

test('no name of a secret or of a number is passed over among plain words', () => {
  for (const { name, min } of assignments) {
    const value = 'hS7xQ2mK9pL4vR8wT3zB'.repeat(min > 20 ? 2 : 1)
    const { text } = redactText(`and then, for all, ${name}=${value} and so on`)
    assert.match(text, /^and then, for all, .*\[redacted:\w+\] and so on$/)
  }
  for (const word of contextWords) {
    const { text } = redactText(`as they said the ${word} 536221234 is on file`)
    assert.equal(text, `as they said the ${word} [redacted:national_id] is on file`)
  }
})

test('values cut in two by parts of a message are found', () => {
  const { texts, found } = redactParts(['write to bob@exam', 'ple.com now'])
  assert.deepEqual(texts, ['write to [redacted:email]', '[redacted:email] now'])
  assert.deepEqual(found, { email: 1 })
  assert.deepEqual(redactParts(['bob@exam', '', 'ple.com']).texts, Array(3).fill(markerOf('email')))
  const content = [
    { type: 'text', text: visa.slice(0, 7) },
    { type: 'text', text: visa.slice(7) },
  ]
  assert.doesNotMatch(JSON.stringify(redactJson({ content }).value), /1111/)
})

test('depth costs no stack', () => {
  let value: unknown = 'a@b.co'
  for (let depth = 0; depth < 200_000; depth++) value = [value]
  let inside = redactJson(value).value
  while (Array.isArray(inside)) inside = (inside as unknown[])[0]
  assert.equal(inside, '[redacted:email]')
})

test('many keys that become the same marker cost no more than others', () => {
  const value = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`a${i}@b.co`, i]))
  assert.equal(Object.keys(redactJson(value).value).length, 20_000)
})

const pieces = fc.oneof(
  fc.constantFrom(...canaries),
  fc.constantFrom(
    '@',
    '.',
    '-----BEGIN PRIVATE KEY-----',
    'password=',
    'ssn ',
    '::',
    '[at]',
    '"',
    '\\',
    '%40',
    '\u200b',
    '4',
    ' ',
    '\n',
    'eyJ',
    'sk-',
    '{"a":',
    '}',
    '[',
    ']',
    'Bearer ',
    '://',
    '&#64;',
    '[redacted:email]',
    'é',
    '身份证',
    '. ',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const texts = fc.array(pieces, { maxLength: 24 }).map((list) => list.join(''))

/** The same texts on every run. */
const seed = 20261116

test('no text makes it fail, and redacting again changes nothing', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const once = redactText(text).text
      assert.equal(redactText(once).text, once)
    }),
    { numRuns: 3000, seed },
  )
})

test('no canary set off by spaces survives, whatever stands around it', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(...planted), texts, (before, canary, after) => {
      assert.ok(!redactText(`${before} ${canary} ${after}`).text.includes(canary))
    }),
    { numRuns: 3000, seed },
  )
})

test('valid JSON stays valid, and no canary in it survives', () => {
  const value = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      texts,
      fc.constantFrom(Number(visa), 1, null, true),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(texts, tie('json'), { maxKeys: 3 }),
      texts.map((text) => JSON.stringify({ text })),
    ),
  })).json
  fc.assert(
    fc.property(value, fc.constantFrom(...planted), (inside, canary) => {
      const text = JSON.stringify({ inside, canary, deep: JSON.stringify([canary]) })
      const redacted = redactText(text).text
      assert.ok(!redacted.includes(canary))
      JSON.parse((JSON.parse(redacted) as { deep: string }).deep)
      const again = redactJson({ inside, canary })
      assert.deepEqual(redactJson(again.value).value, again.value)
    }),
    { numRuns: 1000, seed },
  )
})

/** Steps a character: every scanner counts what it looks at, so this is the work without the machine. */
const stepsMax = 30

test('the work is bounded by the length of the text, for every text made to hurt', () => {
  for (const [name, make] of Object.entries(hostileTexts)) {
    const [small, large] = [make(32 * 1024), make(128 * 1024)]
    const each = [small, large].map((text) => redactText(text).steps / text.length)
    assert.ok(each[1]! <= stepsMax, `${name}: ${each[1]} steps a character`)
    assert.ok(
      each[1]! <= each[0]! * 1.1 + 1,
      `${name}: ${each[0]} steps a character, then ${each[1]}`,
    )
  }
})
