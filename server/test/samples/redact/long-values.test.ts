// Values of many texts and of long ones, which are not all read at once: each text comes back in its own place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactJson } from '#server/samples/redact/redact-json.ts'
import { redactText } from '#server/samples/redact/redact-text.ts'

const filler = 'so it goes on and on, '.repeat(500)

test('many texts that are too long to be read together', () => {
  const rows = (address: (index: number) => string): string[] =>
    Array.from(
      { length: 80 },
      (_, index) => `${index % 3 === 0 ? '' : filler}${address(index)} ${index}`,
    )
  const { value, found } = redactJson(rows((index) => `p${index}@example.org`))
  assert.deepEqual(
    value,
    rows(() => '[redacted:email]'),
  )
  assert.deepEqual(found, { email: 80 })
})

test('a long text among short ones', () => {
  const rows = (address: string): Record<string, string> => ({
    first: `one ${address}`,
    long: `${filler.repeat(15)}${address} ${filler.repeat(15)}${address}`,
    last: `two ${address}`,
  })
  assert.deepEqual(redactJson(rows('eve@example.org')).value, rows('[redacted:email]'))
  const before = JSON.stringify(rows('eve@example.org'))
  assert.equal(redactText(before).text, JSON.stringify(rows('[redacted:email]')))
})

test('after a long text with escapes a short one is read right', () => {
  const escaped = (address: string): string => `${'\\u0061%41é\u200b '.repeat(30_000)}${address}`
  assert.equal(redactText(escaped('eve@example.org')).text, escaped('[redacted:email]'))
  assert.equal(redactText('é eve@example.org').text, 'é [redacted:email]')
  assert.equal(redactText('eve@example.org').text, '[redacted:email]')
})
