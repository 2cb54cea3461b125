// Texts in base64 inside `data:` URLs: what they say is read, and one that says anything sensitive is replaced whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from '#server/samples/redact/redact-text.ts'

const encoded = (text: string): string => Buffer.from(text).toString('base64')
const card = '4111' + '1111' + '1111' + '1111'

test('an encoded text with something sensitive in it is replaced by a marker of the weightiest kind', () => {
  for (const [before, said, kind, behind] of [
    ['see data:text/plain;base64,', 'password=hunter2x9 of bob@example.com', 'key', ' and on'],
    ['data:application/json;charset=utf-8;base64,', `{"n":"${card}"}`, 'card', ''],
    ['<a href="data:text/html;base64,', '<p>bob@example.com</p>', 'email', '">x</a>'],
    ['DATA:TEXT/CSV;BASE64,', 'a,b\n203.0.113.77,1', 'ip', ', next'],
    ['{"url":"data:text/plain;base64,', 'Grüße, bob@example.com', 'email', '"}'],
  ] as const) {
    const once = redactText(before + encoded(said) + behind)
    assert.equal(once.text, `${before}[redacted:${kind}]${behind}`)
    assert.deepEqual(once.found, { [kind]: 1 })
    assert.equal(redactText(once.text).text, once.text)
  }
})

test('values around an encoded text are found where they stand', () => {
  const { text, found } = redactText(
    `é a@b.co data:text/plain;base64,${encoded('203.0.113.77 is it')} c@d.co data:text/css;base64,${encoded('a { color: red }')} ${card}`,
  )
  assert.equal(
    text,
    `é [redacted:email] data:text/plain;base64,[redacted:ip] [redacted:email] data:text/css;base64,${encoded('a { color: red }')} [redacted:card]`,
  )
  assert.deepEqual(found, { email: 2, ip: 1, card: 1 })
})

test('encoded texts that say nothing, pictures and other types stay', () => {
  for (const text of [
    `data:text/plain;base64,${encoded('Hello world, and nothing else')}`,
    `data:image/png;base64,${encoded('bob@example.com')}`,
    `data:application/pdf;base64,${encoded('bob@example.com')}`,
    `data:text/plain;base64,${encoded(`data:text/plain;base64,${encoded('bob@example.com')}`)}`,
    'data:text/plain;base64,',
    'data:text/plain;base64,****',
    'data:text/',
  ]) {
    assert.equal(redactText(text).text, text)
  }
})
