// The prompt as a list of blocks, and the text that stands for each of them in a hash.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Block, ImageBlock, ThinkingBlock } from '#server/core/block.ts'
import type { CallRequest } from '#server/core/request.ts'
import { canonicalText } from '#server/prompt-cache/canonical-text.ts'
import { hasImages, promptBlocks } from '#server/core/prompt-blocks.ts'
import { asking, assistant, mark1h, mark5m, text, tool, user } from './requests.ts'

const thinking: ThinkingBlock = { type: 'thinking', text: 'hm', signature: 's' }
const image: ImageBlock = {
  type: 'image',
  source: { kind: 'bytes', mediaType: 'image/png', base64: 'AAAA' },
}
const call: Block = { type: 'tool-call', id: 'c1', name: 'find', arguments: '{"a":1}' }
const result: Block = {
  type: 'tool-result',
  toolCallId: 'c1',
  content: [text('found')],
  isError: false,
}

const canonical = (request: CallRequest): string =>
  promptBlocks(request).map(canonicalText).join('')

test('rule 1: a prompt is tools, then system, then messages', () => {
  const request = asking({
    messages: [user('question', image), assistant(thinking, 'answer')],
    system: [text('be brief')],
    tools: [tool('find'), tool('read')],
  })
  assert.deepEqual(
    promptBlocks(request).map(({ param, opens, content }) => [param, opens, content.type]),
    [
      ['tools', null, 'tool'],
      ['tools', null, 'tool'],
      ['system', null, 'text'],
      ['messages', 'user', 'text'],
      ['messages', null, 'image'],
      ['messages', 'assistant', 'thinking'],
      ['messages', null, 'text'],
    ],
  )
})

test('rule 6: tools, texts, images, tool calls and tool results can carry a mark', () => {
  const request = asking({
    tools: [{ ...tool('find'), cache: mark1h }],
    system: [text('be brief', mark1h)],
    messages: [
      user(text('question', mark5m), { ...image, cache: mark5m }),
      assistant({ ...call, cache: mark5m }),
      user({ ...result, cache: mark5m }),
    ],
  })
  assert.deepEqual(
    promptBlocks(request).map(({ canCarryMark, mark }) => [canCarryMark, mark]),
    [mark1h, mark1h, mark5m, mark5m, mark5m, mark5m].map((mark) => [true, mark]),
  )
})

test('rule 9: a thinking block cannot carry a mark but is part of the prefix', () => {
  const [first, second] = promptBlocks(asking({ messages: [assistant(thinking, 'answer')] }))
  assert.equal(first?.canCarryMark, false)
  assert.equal(second?.canCarryMark, true)
  assert.notEqual(
    canonical(asking({ messages: [assistant(thinking, 'answer')] })),
    canonical(asking({ messages: [assistant({ ...thinking, text: 'ha' }, 'answer')] })),
  )
})

test('a mark on a part of a tool result is a mark on the result, whose own comes first', () => {
  const inner: Block = { ...result, content: [text('a', mark1h), text('b')] }
  const both: Block = { ...inner, cache: mark5m }
  const several: Block = { ...result, content: [text('a', mark1h), text('b', mark5m)] }
  assert.deepEqual(
    promptBlocks(asking({ messages: [user(inner, both, several)] })).map(({ mark }) => mark),
    [mark1h, mark5m, mark5m],
  )
})

test('images are seen in messages and in tool results', () => {
  assert.equal(hasImages(promptBlocks(asking({ messages: [user('a')] }))), false)
  assert.equal(hasImages(promptBlocks(asking({ messages: [user('a', image)] }))), true)
  for (const [content, has] of [
    [[image], true],
    [[text('seen'), image], true],
    [[text('seen')], false],
    [[], false],
  ] as const) {
    const inside: Block = { ...result, content: [...content] }
    assert.equal(hasImages(promptBlocks(asking({ messages: [user(inside)] }))), has)
  }
})

test('marks, and what only the client sees, take no part', () => {
  assert.equal(
    canonical(asking({ messages: [user(text('a', mark1h))], tools: [tool('t', mark1h)] })),
    canonical(asking({ messages: [user(text('a'))], tools: [{ ...tool('t'), eager: true }] })),
  )
})

const different: Record<string, [Partial<CallRequest>, Partial<CallRequest>]> = {
  text: [{ messages: [user('a')] }, { messages: [user('b')] }],
  role: [{ messages: [user('a')] }, { messages: [assistant('a')] }],
  'one message or two': [{ messages: [user('a', 'b')] }, { messages: [user('a'), user('b')] }],
  'where a text is cut': [{ messages: [user('ab', 'c')] }, { messages: [user('a', 'bc')] }],
  'a text that looks like two': [
    { messages: [user('a', 'b')] },
    { messages: [user('a4;8:messages0:4:text1:b')] },
  ],
  'an empty message': [{ messages: [user('a')] }, { messages: [user('a'), assistant()] }],
  'role of an empty message': [{ messages: [user()] }, { messages: [assistant()] }],
  'an empty text': [{ messages: [user('a')] }, { messages: [user('a', '')] }],
  'system or message': [
    { system: [text('a')], messages: [] },
    { system: [], messages: [{ role: 'system', blocks: [text('a')] }] },
  ],
  'text or thinking': [
    { messages: [assistant('hm')] },
    { messages: [assistant({ ...thinking, text: 'hm' })] },
  ],
  'tool name': [{ tools: [tool('a')] }, { tools: [{ ...tool('a'), name: 'b' }] }],
  'tool description': [{ tools: [tool('a')] }, { tools: [{ ...tool('a'), description: '' }] }],
  'order of a schema': [
    { tools: [{ ...tool('a'), parameters: { a: 1, b: 2 } }] },
    { tools: [{ ...tool('a'), parameters: { b: 2, a: 1 } }] },
  ],
  'order of tools': [{ tools: [tool('a'), tool('b')] }, { tools: [tool('b'), tool('a')] }],
  'tool call id': [
    { messages: [assistant(call)] },
    { messages: [assistant({ ...call, id: 'c2' })] },
  ],
  'tool call arguments': [
    { messages: [assistant(call)] },
    { messages: [assistant({ ...call, arguments: '{"a": 1}' })] },
  ],
  'digits of a schema that no number here keeps': [
    { tools: [{ ...tool('find'), written: '{"maximum":9223372036854775807}' }] },
    { tools: [{ ...tool('find'), written: '{"maximum":9223372036854775806}' }] },
  ],
  'tool call name': [
    { messages: [assistant(call)] },
    { messages: [assistant({ ...call, name: 'read' })] },
  ],
  'tool result id': [
    { messages: [user(result)] },
    { messages: [user({ ...result, toolCallId: 'c2' })] },
  ],
  'tool result error': [
    { messages: [user(result)] },
    { messages: [user({ ...result, isError: true })] },
  ],
  'tool result parts': [
    { messages: [user({ ...result, content: [text('ab')] })] },
    { messages: [user({ ...result, content: [text('a'), text('b')] })] },
  ],
  'image bytes': [
    { messages: [user(image)] },
    {
      messages: [
        user({
          ...image,
          source: { kind: 'bytes', mediaType: 'image/png', base64: 'AAAB' },
        }),
      ],
    },
  ],
  'image type': [
    { messages: [user(image)] },
    {
      messages: [
        user({
          ...image,
          source: { kind: 'bytes', mediaType: 'image/gif', base64: 'AAAA' },
        }),
      ],
    },
  ],
  'how closely to look at image bytes': [
    { messages: [user(image)] },
    { messages: [user({ ...image, detail: 'low' })] },
  ],
  'image bytes or address': [
    { messages: [user(image)] },
    { messages: [user({ ...image, source: { kind: 'url', url: 'AAAA' } })] },
  ],
  'image address': [
    { messages: [user({ ...image, source: { kind: 'url', url: 'https://a.example/' } })] },
    { messages: [user({ ...image, source: { kind: 'url', url: 'https://b.example/' } })] },
  ],
  'an image address or a text': [
    { messages: [user({ ...image, source: { kind: 'url', url: 'text' }, detail: 'low' })] },
    { messages: [user('low')] },
  ],
  'image bytes or an address of the same words': [
    {
      messages: [
        user({ ...image, source: { kind: 'bytes', mediaType: 'image-url', base64: 'a' } }),
      ],
    },
    { messages: [user({ ...image, source: { kind: 'url', url: 'a' } })] },
  ],
  'a thought or a text': [
    { messages: [assistant({ ...thinking, text: 'text', signature: 'a' })] },
    { messages: [assistant('a')] },
  ],
  'a tool call or a thought': [
    { messages: [assistant({ ...call, id: 'thinking', name: 'hm', arguments: 's' })] },
    { messages: [assistant(thinking)] },
  ],
  'a tool result or a text': [
    { messages: [user({ ...result, toolCallId: 'text', content: [] })] },
    { messages: [user('ok')] },
  ],
  'an empty message or a text': [
    { messages: [assistant()] },
    { messages: [assistant('empty-message')] },
  ],
  'signature of a thought': [
    { messages: [assistant(thinking)] },
    { messages: [assistant({ ...thinking, signature: 't' })] },
  ],
  'halves of two characters': [{ messages: [user('\ud83d')] }, { messages: [user('\ud83c')] }],
  'half a character or its replacement': [
    { messages: [user('\ud83d')] },
    { messages: [user('\ufffd')] },
  ],
}

for (const [what, [one, other]] of Object.entries(different)) {
  test(`a change is another prompt: ${what}`, () => {
    const bytes = (parts: Partial<CallRequest>): string =>
      Buffer.from(canonical(asking(parts))).toString('hex')
    assert.notEqual(bytes(one), bytes(other))
    assert.equal(bytes(one), bytes(structuredClone(one)))
  })
}

const anyText = fc.string({ unit: 'binary', maxLength: 6 })
const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  anyText.map((value): Block => text(value)),
  fc.record({ type: fc.constant('thinking' as const), text: anyText, signature: anyText }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: anyText,
    name: anyText,
    arguments: anyText,
  }),
  fc.record({
    type: fc.constant('tool-result' as const),
    toolCallId: anyText,
    content: fc.array(
      anyText.map((value) => text(value)),
      { maxLength: 2 },
    ),
    isError: fc.boolean(),
  }),
)
const anyPrompt = fc.record({
  system: fc.array(
    anyText.map((value) => text(value)),
    { maxLength: 2 },
  ),
  messages: fc.array(
    fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      blocks: fc.array(anyBlock, { maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
})

test('two prompts have the same text exactly when they are the same', () => {
  fc.assert(
    fc.property(anyPrompt, anyPrompt, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other)
      assert.equal(canonical(asking(one)) === canonical(asking(other)), same)
    }),
    { numRuns: 2000 },
  )
})
