// How much of a prompt each kind of block is taken to be: a total that came without counts is billed by these shares.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import { promptBlocks } from '#server/core/prompt-blocks.ts'
import type { CallRequest } from '#server/core/request.ts'
import { blockWeight } from '#server/prompt-cache/block-weight.ts'
import { asking, assistant, text, tool, user } from './requests.ts'

const call: Block = { type: 'tool-call', id: 'c', name: 'find', arguments: '{}' }
const result: Block = { type: 'tool-result', toolCallId: 'c', content: [text('a')], isError: false }
const image: Block = { type: 'image', source: { kind: 'url', url: 'https://a.example/a.png' } }

const weight = (parts: Partial<CallRequest>): number =>
  promptBlocks(asking(parts)).reduce((sum, block) => sum + blockWeight(block), 0)

const heavier: Record<string, [Partial<CallRequest>, Partial<CallRequest>, bytes: number]> = {
  'a text': [{ messages: [user('a')] }, { messages: [user('abc')] }, 2],
  'blanks in a row, as one of them': [
    { messages: [user('a')] },
    { messages: [user(`a${' \u2003\n'.repeat(50_000)}b${'\t'.repeat(9)}`)] },
    3,
  ],
  'a text of two bytes a letter': [{ messages: [user('')] }, { messages: [user('да')] }, 4],
  'a thought': [
    { messages: [assistant({ type: 'thinking', text: '', signature: 's' })] },
    { messages: [assistant({ type: 'thinking', text: 'hm', signature: 'longer' })] },
    2,
  ],
  'the name of a tool': [
    { tools: [tool('find')] },
    { tools: [{ ...tool('find'), name: 'find_it' }] },
    3,
  ],
  'the description of a tool': [
    { tools: [{ ...tool('find'), description: '' }] },
    { tools: [{ ...tool('find'), description: 'finds' }] },
    5,
  ],
  'the schema of a tool': [
    { tools: [{ ...tool('find'), parameters: {} }] },
    { tools: [{ ...tool('find'), parameters: { a: 1 } }] },
    5,
  ],
  'the name of a call': [
    { messages: [assistant(call)] },
    { messages: [assistant({ ...call, name: 'find_it' })] },
    3,
  ],
  'the arguments of a call': [
    { messages: [assistant(call)] },
    { messages: [assistant({ ...call, arguments: '{"a":1}' })] },
    5,
  ],
  'a result': [
    { messages: [user(result)] },
    { messages: [user({ ...result, content: [text('a'), text('bc')] })] },
    2,
  ],
  'an image, whatever its bytes': [
    { messages: [user({ ...result, content: [] })] },
    { messages: [user({ ...result, content: [image] })] },
    4096,
  ],
  'another turn': [{ messages: [user('a')] }, { messages: [user('a'), assistant()] }, 16],
}

for (const [what, [one, other, bytes]] of Object.entries(heavier)) {
  test(`${what} weighs what the model reads of it`, () => {
    assert.equal(weight(other) - weight(one), bytes)
  })
}
