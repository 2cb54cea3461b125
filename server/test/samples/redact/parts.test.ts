// Values that are in one text part of a message with their name or their beginning in another.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactJson } from '#server/samples/redact/redact-json.ts'
import { redactParts } from './redact-parts.ts'
import { RandomTexts } from './random-texts.ts'

const key = '[redacted:key]'
const token = 'ghp' + '_c4naryc4naryc4naryc4naryc4naryc4nary12'

type Part = { type: string; text?: string; source?: object }
const picture: Part = { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } }
const thought: Part = { type: 'thinking', text: 'so', source: {} }

/** Texts, with a picture for each null. */
function partsOf(list: readonly (string | null)[]): Part[] {
  return list.map((text) => (text === null ? picture : { type: 'text', text }))
}

function assertParts(before: readonly (string | null)[], after: readonly (string | null)[]): void {
  const once = redactJson(partsOf(before)).value
  assert.deepEqual(once, partsOf(after))
  assert.deepEqual(redactJson(once).value, once)
}

test('a value at the beginning of a part is told by the name in the part before', () => {
  assertParts(['{"password": "', 'hunter2x9"}'], ['{"password": "', `${key}"}`])
  assertParts(['{"pass', 'word": "hunter2x9"}'], ['{"pass', `word": "${key}"}`])
  assertParts(['password: ', 'hunter2x9, ok'], ['password: ', `${key}, ok`])
  assertParts(['password: ', '', 'hunter2x9'], ['password: ', '', key])
  assertParts(['Authorization: Bearer ', 'abcDEF0123456789xyzXYZ'], ['Authorization: Bearer ', key])
  assertParts(['My SSN is', ' 536904399.'], ['My SSN is', ' [redacted:national_id].'])
})

test('a secret goes on behind a picture or a thought, numbers that label pictures do not', () => {
  assertParts(['password: ', null, 'hunter2x9'], ['password: ', null, key])
  assertParts([token.slice(0, 20), null, token.slice(20)], [key, null, key])
  for (const texts of [
    ['1.', null, '2.', null, '3.', null, '4.'],
    ['4111 1111', null, '1111 1111'],
    ['My SSN card', null, '536904399 parcels'],
  ]) {
    assertParts(texts, texts)
  }
  const said: Part[] = [
    { type: 'text', text: 'password: ' },
    thought,
    { type: 'text', text: 'hunter2x9' },
  ]
  assert.deepEqual(redactJson(said).value, [said[0], thought, { type: 'text', text: key }])
})

test('what is a key already before it is cut takes its rest with it', () => {
  assertParts([token.slice(0, -5), `${token.slice(-5)} world`], [key, `${key} world`])
  assertParts([token.slice(0, -5), null, `${token.slice(-5)} world`], [key, null, `${key} world`])
  assertParts(['from 203.0.113.7', '7 on'], ['from [redacted:ip]', '[redacted:ip] on'])
  assertParts(['a word is cu', 't in two'], ['a word is cu', 't in two'])
})

test('what is further behind, in an object of its own or behind a tool call is read on its own', () => {
  const far = `${'so it goes '.repeat(8)}536904399`
  for (const texts of [
    ['My SSN and', far],
    ['My SSN and order:', '{"order": 536904399}'],
    ['Enter a password: ', 'It must have 8 characters.'],
    ['Summarize the token usage:', 'GPT-4o used 1200 tokens'],
  ]) {
    assertParts(texts, texts)
  }
  const called = [
    { type: 'text', text: 'password: ' },
    { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
    { type: 'text', text: 'hunter2x9' },
  ]
  assert.deepEqual(redactJson(called).value, called)
})

test('what a developer says does not go on with what a system said', () => {
  const said = [
    { type: 'text', text: 'Write to jane@corp.com' },
    { type: 'text', text: 'Always be nice, and write', developer: true },
    { type: 'text', text: 'r to joe@cor', developer: true },
    { type: 'text', text: 'p.com', developer: true },
  ]
  const email = '[redacted:email]'
  const redacted = redactJson(said).value
  assert.deepEqual(
    redacted.map(({ text }) => text),
    [`Write to ${email}`, 'Always be nice, and write', `r to ${email}`, email],
  )
  assert.deepEqual(redactJson(redacted).value, redacted)
})

test('redacting again changes nothing, wherever a text is cut', () => {
  const random = new RandomTexts(5)
  for (let run = 0; run < 600; run++) {
    const text = random.text() + random.text()
    const at = random.below(text.length + 1)
    const texts = [text.slice(0, at), text.slice(at)]
    const once = redactParts(texts).texts
    assert.deepEqual(redactParts(once).texts, once, JSON.stringify(texts))
  }
})
