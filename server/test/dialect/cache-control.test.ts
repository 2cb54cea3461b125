// What a `cache_control` may say, with the text and the field of each refusal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#server/core/refusal.ts'
import { parseMessages } from '#server/dialect/chat/parse-messages.ts'
import { readCacheControl, refuseThinkingMark } from '#server/dialect/read-cache-control.ts'
import { mark1h, mark5m } from '#test/prompt-cache/requests.ts'

test('rule 8: type ephemeral, ttl 5m by default or 1h', () => {
  const read: [unknown, unknown][] = [
    [undefined, null],
    [null, null],
    [{ type: 'ephemeral' }, mark5m],
    [{ type: 'ephemeral', ttl: null }, mark5m],
    [{ type: 'ephemeral', ttl: '5m' }, mark5m],
    [{ type: 'ephemeral', ttl: '1h' }, mark1h],
    [{ type: 'ephemeral', ttl: '1h', scope: 'global' }, mark1h],
  ]
  for (const [value, mark] of read)
    assert.deepEqual(readCacheControl({ cache_control: value }, 'system'), mark)
})

const refused: [string, unknown, RegExp][] = [
  ['another type', { type: 'persistent' }, /cache_control\.type not supported/],
  ['no type', {}, /cache_control\.type not supported/],
  ['an inherited type', Object.create({ type: 'ephemeral' }), /cache_control\.type not supported/],
  ['a type that is no text', { type: 1 }, /cache_control\.type not supported/],
  ['another ttl', { type: 'ephemeral', ttl: '10m' }, /cache_control\.ttl not supported/],
  ['a ttl in seconds', { type: 'ephemeral', ttl: 300 }, /cache_control\.ttl not supported/],
  ['an empty ttl', { type: 'ephemeral', ttl: '' }, /cache_control\.ttl not supported/],
  ['a text', 'ephemeral', /cache_control must be an object/],
  ['a list', [{ type: 'ephemeral' }], /cache_control must be an object/],
  ['false', false, /cache_control must be an object/],
]

for (const [what, value, message] of refused) {
  test(`rule 8: ${what} is refused with 400 naming the field`, () => {
    for (const param of ['cache_control', 'system', 'messages', 'tools']) {
      assert.throws(
        () => readCacheControl({ cache_control: value }, param),
        (error) => {
          assert.ok(error instanceof Refusal)
          assert.deepEqual([error.status, error.code], [400, 'invalid_value'])
          assert.equal(error.detail.param, param)
          return message.test(error.message)
        },
      )
    }
  })
}

test('rule 9: a mark on a thinking block is refused with 400', () => {
  assert.throws(
    () => refuseThinkingMark({ cache_control: { type: 'ephemeral' } }),
    (error) =>
      error instanceof Refusal &&
      error.status === 400 &&
      error.detail.param === 'messages' &&
      /cache_control marker on a thinking block/.test(error.message),
  )
})

test('a mark on a message of the chat dialect is one on its last block, which keeps its own', () => {
  const cache_control = { type: 'ephemeral' }
  const own = { type: 'text', text: 'b', cache_control: { ...cache_control, ttl: '1h' } }
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const body = {
    messages: [
      { role: 'system', content: 'Be kind.', cache_control },
      { role: 'user', content: [{ type: 'text', text: 'a' }, own], cache_control },
      { role: 'assistant', content: null, tool_calls: [call], cache_control },
      { role: 'tool', tool_call_id: 'c', content: 'done', cache_control },
      { role: 'user', content: 'go on', cache_control: null },
    ],
  }
  const { system, messages } = parseMessages(body, 'marks')
  const marks = [{ blocks: system }, ...messages].map(({ blocks }) =>
    blocks.map((block) => ('cache' in block ? block.cache : null)),
  )
  assert.deepEqual(marks, [[mark5m], [null, mark1h], [mark5m], [mark5m], [null]])
  const bad = { messages: [{ role: 'user', content: 'a', cache_control: 'x' }] }
  assert.throws(
    () => parseMessages(bad, 'marks'),
    (error) => error instanceof Refusal && error.detail.param === 'messages',
  )
  assert.deepEqual(parseMessages(bad, 'no marks').messages, [
    { role: 'user', blocks: [{ type: 'text', text: 'a' }] },
  ])
})
