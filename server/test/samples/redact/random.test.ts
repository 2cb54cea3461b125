// What holds for any text: redacting twice is redacting once, every door gives the same, and of a value that is found
// nothing stays. The texts are random and the same on every run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markerOf } from '#server/samples/redact/kinds.ts'
import { redactJson } from '#server/samples/redact/redact-json.ts'
import { redactText } from '#server/samples/redact/redact-text.ts'
import { tokenFormats } from '#server/samples/redact/token-formats.ts'
import { RandomTexts } from './random-texts.ts'
import { redactParts } from './redact-parts.ts'

test('redacting again changes nothing, in any text', () => {
  const random = new RandomTexts(1)
  for (let run = 0; run < 6000; run++) {
    const text = random.text()
    const once = redactText(text).text
    assert.equal(redactText(once).text, once, JSON.stringify(text))
  }
})

/** Each has a value that, once replaced, ends something that went on before or begins something anew. */
const aws = '0QD9xcg5v6r7XtjtXFocTpzbs7dKSSGkctvFUHa'
const github = 'ghp' + '_c4naryc4naryc4naryc4naryc4naryc4nary12'

test('what stands next to a value is read alike before and after it is replaced', () => {
  for (const text of [
    'aws shp' + `pa_c3843590d99597d4b67204b6c0ad471b8f12+${aws}`,
    `aws 4${aws}\u00ad${github}`,
    'Basic YTpiYWRwYXNz+CLO' + 'JARS_onScopH53GjRT86H6xWbVf5IKXRNRBIY9HCjARCLx',
    'lin' + '_api_NyS4B6QHLrPCFFJSy7qyR0rMH3Dz4Q9[::1]',
    `pat${'KFJKJwpN2uPXzanoV6ubOOt8b3jhHttUg2ZSH'.repeat(2)}.${github}`,
    '2001:db8::77:AKI' + 'AC4NARYC4NARYC4NA',
    'redis://HyftwPQ0jhm9E9W1OZ8RHBHSIvLLA9IJWLcA2H@com:db8aljm914@',
    'api secret="session=1Pg79Nj5u1XwgZGT)bob@example.com"',
    'sig=oyL8H8oS76XNyDuOsRxkoMpJUjZaelN6w0AHb4Eiyevpo2JZdNv9L=12.345.678-5',
    'curl -u a:"b;c|d" x -u name:secret; id -u name:secret',
    'sshpass is vsalFT1m1wD43KVH. -pSecretly9',
    `http -a ${'a1B2'.repeat(6)}:[::1]hunter2`,
    `storage key":"${'8406a6fb1fe6787f'.repeat(2)}keypass=]and then some more salasana: ,i3gcteKiGLr9`,
    `${'so it is '.repeat(5)}fe80::1%eth0connect.sid: 비밀번호: a;b64,c0931c9b39a5a9d1`,
  ]) {
    const once = redactText(text).text
    assert.notEqual(once, text)
    assert.equal(redactText(once).text, once)
  }
})

test('redacting again changes nothing, in any JSON value and in any parts of a message', () => {
  const random = new RandomTexts(2)
  for (let run = 0; run < 1500; run++) {
    const texts = [random.text(), random.text()]
    const once = redactJson({ [random.text()]: texts, text: JSON.stringify(texts) }).value
    assert.deepEqual(redactJson(once).value, once, JSON.stringify(texts))
    const parts = redactParts(texts).texts
    assert.deepEqual(redactParts(parts).texts, parts, JSON.stringify(texts))
  }
})

test('a text is redacted alike by itself, as a field, among others and inside JSON', () => {
  const random = new RandomTexts(3)
  for (let run = 0; run < 1500; run++) {
    const [text, other] = [random.text(), random.text()]
    const expected = redactText(text).text
    const said = JSON.stringify(text)
    const field = redactJson({ content: text, arguments: other }).value
    assert.equal(field.content, expected, said)
    assert.equal(redactJson([other, text, other]).value[1], expected, said)
    const message = redactJson({ content: [{ type: 'text', text }], other }).value
    assert.equal(message.content[0]!.text, expected, said)
    const inside = redactText(JSON.stringify({ content: text, b: other })).text
    assert.equal((JSON.parse(inside) as { content: string }).content, expected, said)
  }
})

test('a key of each format is taken from its first character to its last', () => {
  const random = new RandomTexts(4)
  let missed = 0
  let count = 0
  for (const { prefix, of, min, max, capitals, uuid, kind } of tokenFormats) {
    for (let run = 0; run < 20; run++) {
      const length = Math.min(min + random.below(8), max ?? Infinity)
      let body = uuid ? uuidOf(random) : random.run(of, length)
      if (capitals) body = body.toUpperCase()
      const text = `it is ${prefix}${body}, they said`
      const redacted = redactText(text).text
      count++
      // One that by chance is not mixed enough is not found at all.
      if (redacted === text) missed++
      else
        assert.match(
          redacted,
          /^it is \[redacted:(key|cloud_key|jwt)\], they said$/,
          `${kind} ${text}`,
        )
    }
  }
  console.log(`${missed} of ${count} random keys not found`)
  assert.ok(missed < count / 50)
})

function uuidOf(random: RandomTexts): string {
  return [8, 4, 4, 4, 12].map((length) => random.characters('0123456789abcdef', length)).join('-')
}

test('what stands in one text says nothing of those behind it', () => {
  const rows = [
    'A key starts with -----BEGIN PRIVATE KEY-----',
    'an unrelatedquestionaboutsomethingelse of another',
    'and it ends with -----END PRIVATE KEY-----',
    'Private-Lines:',
    'abcdefghijklmnopqrstuvwxyz is the alphabet',
    `"hello`,
    `he said "@example.com`,
    'version 1.2.3.4',
    'chrome/1.2.3.4',
  ]
  assert.deepEqual(redactJson(rows).value, rows)
  assert.deepEqual(
    redactJson(rows.map((content) => ({ content }))).value.map(({ content }) => content),
    rows,
  )
})

test('passwords are taken whole where they stand', () => {
  for (const [text, expected] of [
    ['curl -u "bob:a b; c|d" x', 'curl -u "bob:[redacted:key]" x'],
    ['Server=a;Password=b,c&d(e)f;Database=g', 'Server=a;Password=[redacted:key];Database=g'],
    ['amqp://bob:a%2Fb%3Fc@host/x', 'amqp://bob:[redacted:key]@host/x'],
    [
      'Cookie: a=b; sid=Zk3mQ9xW7t; session=Pq8rT2vY5n',
      `Cookie: a=b; sid=${markerOf('key')}; session=${markerOf('key')}`,
    ],
  ] as const) {
    assert.equal(redactText(text).text, expected)
  }
})
