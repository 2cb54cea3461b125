// Where the marks of a conversation stand in the turns that a server of the messages dialect gets, and what an input is there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block, CacheMark, Message } from '#server/core/block.ts'
import { wireTurns } from '#server/engine/anthropic-compatible/wire-turns.ts'
import { assistant, mark1h, mark5m, openAiMark, text, user } from '#test/prompt-cache/requests.ts'

const call = (json: string, cache?: CacheMark): Block => ({
  type: 'tool-call',
  id: 'c',
  name: 'f',
  arguments: json,
  ...(cache ? { cache } : {}),
})
const result = (cache?: CacheMark): Block => ({
  type: 'tool-result',
  toolCallId: 'c',
  content: [text('r')],
  isError: false,
  ...(cache ? { cache } : {}),
})
const image = (cache?: CacheMark): Block => ({
  type: 'image',
  source: { kind: 'url', url: 'https://a.example/a.png' },
  ...(cache ? { cache } : {}),
})

/** Type and lifetime of each block. */
function marksIn(...messages: Message[]): [unknown, unknown][] {
  return wireTurns(messages, null).flatMap(({ content }) =>
    content.map(({ type, cache_control }): [unknown, unknown] => [
      type,
      (cache_control as { ttl?: string } | undefined)?.ttl ?? null,
    ]),
  )
}

test('rule 6: a mark stays on its block, of whatever kind it is', () => {
  const marked = marksIn(
    user(text('a', mark1h), image(mark1h)),
    assistant(text('b', mark5m), call('{}', mark5m)),
    user(result(mark5m), text('c', openAiMark)),
  )
  assert.deepEqual(marked, [
    ['text', '1h'],
    ['image', '1h'],
    ['text', '5m'],
    ['tool_use', '5m'],
    ['tool_result', '5m'],
    ['text', null],
  ])
})

test('rule 10: where blocks change places, those that were marked are, and the longer lives come first', () => {
  const asked = [user('q'), assistant(call('{}'))]
  const turn = (...blocks: Block[]) => marksIn(...asked, user(...blocks)).slice(2)
  assert.deepEqual(turn(text('a', mark5m), result()), [
    ['tool_result', null],
    ['text', '5m'],
  ])
  assert.deepEqual(turn(text('a'), text('b', mark1h), result(mark5m)), [
    ['tool_result', '1h'],
    ['text', null],
    ['text', '5m'],
  ])
})

test('an input is the object that the model wrote, and an empty one where it wrote none', () => {
  for (const [json, input] of [
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['null', {}],
    ['[1]', {}],
    ['"a"', {}],
    ['{"a"', {}],
  ] as const) {
    const [, turn] = wireTurns([user('q'), assistant(call(json)), user(result())], null)
    assert.deepEqual(turn?.content, [{ type: 'tool_use', id: 'c', name: 'f', input }])
  }
})

test('a long id with odd signs is known by its fingerprint, the same for a call and its result', () => {
  const idsIn = (id: string): unknown[] =>
    wireTurns(
      [
        user(text('a')),
        assistant({ type: 'tool-call', id, name: 'f', arguments: '{}' }),
        user({ type: 'tool-result', toolCallId: id, content: [], isError: false }),
      ],
      null,
    ).flatMap(({ content }) => content.flatMap((block) => block.id ?? block.tool_use_id ?? []))
  const odd = '.'.repeat(1_000_000)
  const [called, returned] = idsIn(odd)
  assert.match(String(called), /^[\w-]{43}$/)
  assert.equal(returned, called)
  assert.notEqual(idsIn(`${odd}.`)[0], called)
  const plain = 'a'.repeat(1_000_000)
  assert.deepEqual(idsIn(plain), [plain, plain])
  assert.deepEqual(idsIn('a.b'), ['a_2eb', 'a_2eb'])
})
