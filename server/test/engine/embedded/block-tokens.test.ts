// The tokens of each block of a prompt: what the model reads of it, and nothing that only the platform reads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextBlock } from '#server/core/block.ts'
import { blockTokens } from '#server/engine/embedded/prompt/block-tokens.ts'
import type { Tokenizer } from '#server/engine/embedded/prompt/tokenizer.ts'
import { request, tool } from './requests.ts'

const text = (content: string): TextBlock => ({ type: 'text', text: content })

/** A token a character. */
const tokenizer = { encodeText: (of: string) => [...of].map(() => 1) } as unknown as Tokenizer

const search = {
  name: 'find',
  description: 'finds',
  parameters: { type: 'object' },
  eager: false,
}

test('a tool is its name, its description and its schema, each schema once', () => {
  const tokens = (changes: object): number =>
    blockTokens(tokenizer, request('hi', { tools: [{ ...search, ...changes }] }), true)[0]!
  const plain = tokens({})
  assert.equal(plain, 4 + 'find finds {"type":"object"}'.length)
  assert.equal(tokens({ eager: true }), plain)
  assert.equal(tokens({ cache: { ttl: '5m' } }), plain)
  assert.equal(tokens({ written: '{"type":"object"}' }), plain)
  assert.equal(tokens({ written: '{"type":"object","minimum":12345678901234567890}' }), plain + 31)
  assert.equal(tokens({ description: 'finds more' }), plain + 5)
})

test('tools that the model is not shown are nothing', () => {
  const asked = request('hi', { tools: [tool('find'), tool('fetch')] })
  assert.deepEqual(blockTokens(tokenizer, asked, false).slice(0, 2), [0, 0])
})

test('marks are counted where a turn begins, and thoughts by their length', () => {
  const asked = request('', {
    system: [text('ab'), text('c')],
    messages: [
      { role: 'user', blocks: [text('abc'), text('de')] },
      {
        role: 'assistant',
        blocks: [
          { type: 'thinking', text: 'x'.repeat(9), signature: 's' },
          { type: 'tool-call', id: 'c', name: 'find', arguments: '{}' },
        ],
      },
      {
        role: 'user',
        blocks: [
          { type: 'tool-result', toolCallId: 'c', content: [text('a'), text('b')], isError: false },
        ],
      },
    ],
  })
  assert.deepEqual(blockTokens(tokenizer, asked, true), [4 + 2, 1, 4 + 3, 2, 4 + 3, 7, 4 + 3])
})
