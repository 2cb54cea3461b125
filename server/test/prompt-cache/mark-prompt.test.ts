// The marks that an upstream sees: on the blocks of the breakpoints in force, and nowhere else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import { promptBlocks } from '#server/core/prompt-blocks.ts'
import type { CallRequest } from '#server/core/request.ts'
import { markPrompt } from '#server/prompt-cache/mark-prompt.ts'
import type { Breakpoint } from '#server/prompt-cache/place-breakpoints.ts'
import { asking, assistant, at, mark1h, mark5m, text, tool, user } from './requests.ts'

const result: Block = {
  type: 'tool-result',
  toolCallId: 'c',
  content: [text('seen', mark1h), text('more')],
  isError: false,
}

const request = asking({
  tools: [tool('a'), tool('b', mark1h)],
  system: [text('c'), text('d', mark1h)],
  messages: [
    user('e', 'f', text('g', mark5m)),
    assistant(),
    assistant({ type: 'thinking', text: 'hm', signature: 's' }, text('h', mark5m)),
    user(result, 'i'),
    { role: 'system', blocks: [text('j')] },
  ],
})

const marksIn = (of: CallRequest): (string | null)[] =>
  promptBlocks(of).map(({ mark }) => mark && mark.ttl)

function marked(...breakpoints: Breakpoint[]): (string | null)[] {
  const before = structuredClone(request)
  const sent = markPrompt(request, breakpoints)
  assert.deepEqual(request, before)
  assert.deepEqual(markPrompt(sent, []), markPrompt(request, []))
  return marksIn(sent)
}

test('each block can be marked for itself, and loses a mark that is not in force', () => {
  const blocks = promptBlocks(request)
  assert.equal(blocks.length, 13)
  for (const [index, { canCarryMark }] of blocks.entries()) {
    if (!canCarryMark) continue
    for (const ttl of ['5m', '1h'] as const) {
      const expected = blocks.map((_, other) => (other === index ? ttl : null))
      assert.deepEqual(marked(at(index, ttl)), expected, `block ${index}`)
    }
  }
})

test('several are marked at once, also by the platform', () => {
  const at5 = { ...at(5), premium: false }
  const expected = Array.from({ length: 13 }, () => null as string | null)
  expected[1] = '1h'
  expected[5] = '5m'
  expected[10] = '5m'
  assert.deepEqual(marked(at(1, '1h'), at5, at(10)), expected)
})

test('without any in force nothing is marked, and a request without marks stays what it is', () => {
  assert.deepEqual(marked(), Array.from({ length: 13 }).fill(null))
  const plain = asking({ system: [text('a')] })
  assert.equal(markPrompt(plain, []), plain)
})
