// Which prompts are the same question: a group is held back, or trained on, as a whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block } from '#server/core/block.ts'
import { promptHash } from '#server/loop/pipeline/selection/prompt-hash.ts'
import type { Conversation } from '#server/loop/sample/conversation.ts'

const text = (words: string) => ({ type: 'text' as const, text: words })
const call = (id: string): Block[] => [
  { type: 'tool-call', id, name: 'find', arguments: '{ "order": 7 }' },
]
const result = (toolCallId: string): Block[] => [
  { type: 'tool-result', toolCallId, content: [text('found')], isError: false },
]
const tool = (parameters: Record<string, unknown>) => ({
  name: 'find',
  description: '',
  parameters,
})

function prompt(change: Partial<Conversation> = {}): Conversation {
  const messages = [{ role: 'user' as const, blocks: [text('Where is it?')] }]
  return { tools: [], system: [text('Be short.')], messages, answer: null, ...change }
}
const said = (...blocks: Block[]) => prompt({ messages: [{ role: 'user', blocks }] })
const withTools = (id: string) =>
  prompt({
    messages: [
      { role: 'user', blocks: [text('Where is it?')] },
      { role: 'assistant', blocks: call(id) },
      { role: 'user', blocks: result(id) },
    ],
  })

const same: [string, Conversation, Conversation][] = [
  [
    'whatever the answer',
    prompt({ answer: [text('Here.')] }),
    prompt({ answer: [text('There.')] }),
  ],
  ['with other white space', said(text('Where  is\n\tit?  ')), said(text('Where is it?'))],
  ['with composed letters', said(text('Caf\u00e9')), said(text('Cafe\u0301'))],
  ['in one block or two', said(text('a'), text('b')), said(text('a\nb'))],
  ['with other ids of calls', withTools('call_1'), withTools('call_2')],
  [
    'with another order of members',
    prompt({ tools: [tool({ type: 'object', a: 1 })] }),
    prompt({ tools: [tool({ a: 1, type: 'object' })] }),
  ],
  [
    'with or without thoughts',
    said({ type: 'thinking', text: 'hm', signature: '' }, text('a')),
    said(text('a')),
  ],
]
for (const [name, a, b] of same) {
  test(`a prompt is the same ${name}`, () => assert.deepEqual(promptHash(a), promptHash(b)))
}

const different: [string, Conversation, Conversation][] = [
  ['case', said(text('where is it?')), said(text('Where is it?'))],
  ['instructions', prompt({ system: [] }), prompt()],
  [
    'instructions that are said',
    prompt({ system: [], messages: [{ role: 'system', blocks: [text('Be short.')] }] }),
    prompt({ messages: [] }),
  ],
  ['tools', prompt({ tools: [tool({})] }), prompt()],
  [
    'the role',
    prompt({ messages: [{ role: 'assistant', blocks: [text('Where is it?')] }] }),
    prompt(),
  ],
  ['a tool result', withTools('c'), prompt()],
]
for (const [name, a, b] of different) {
  test(`a prompt is another one by ${name}`, () =>
    assert.notDeepEqual(promptHash(a), promptHash(b)))
}

test('a hash is the same in every process and version', () => {
  assert.equal(promptHash(prompt()).toString('hex'), '927e251bf9a1df1eb887dece1559ba4e')
})
