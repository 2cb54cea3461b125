// A conversation on its way from a call into what is kept, and from there to who reads it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Block, ImageBlock, Message, TextBlock } from '#server/core/block.ts'
import { type Conversation, conversationOf } from '#server/samples/sample/conversation.ts'
import { wireConversation } from '#server/samples/sample/wire-conversation.ts'

const text = (said: string): TextBlock => ({ type: 'text', text: said })
const thought = (said: string): Block => ({ type: 'thinking', text: said, signature: '' })
const call: Block = { type: 'tool-call', id: 'c', name: 'find', arguments: '{"a":1}' }
const returned = (isError: boolean, ...content: (TextBlock | ImageBlock)[]): Block => ({
  type: 'tool-result',
  toolCallId: 'c',
  content,
  isError,
})
const asked = (...blocks: Block[]): Message => ({ role: 'user', blocks })
const said = (...blocks: Block[]): Message => ({ role: 'assistant', blocks })

function shown(messages: Message[], more: Partial<Conversation> = {}) {
  return wireConversation({ tools: [], system: [], messages, answer: null, ...more })
}

const toolCalls = [{ id: 'c', type: 'function', function: { name: 'find', arguments: '{"a":1}' } }]

test('an answer says what was thought, said and called', () => {
  const answerOf = (...answer: Block[]) => shown([asked(text('Hi'))], { answer }).answer
  assert.deepEqual(answerOf(thought('Hm.'), text('Ho'), call), {
    role: 'assistant',
    content: 'Ho',
    reasoning_content: 'Hm.',
    tool_calls: toolCalls,
  })
  assert.deepEqual(answerOf(call), { role: 'assistant', content: null, tool_calls: toolCalls })
  assert.deepEqual(answerOf(thought('one'), thought(''), thought('two')), {
    role: 'assistant',
    content: '',
    reasoning_content: 'one\ntwo',
  })
  assert.deepEqual(answerOf(thought(''), text('a'), text('b')), {
    role: 'assistant',
    content: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
  })
  assert.deepEqual(answerOf(), { role: 'assistant', content: '' })
})

test('results of tools stand before what was said with them, and say whether they are errors', () => {
  const tool = { role: 'tool', tool_call_id: 'c' }
  assert.deepEqual(
    shown([
      said(call),
      asked(text('So?'), returned(false, text('found')), returned(true, text('lost'))),
      asked(returned(false)),
      asked(),
    ]).messages.slice(1),
    [
      { ...tool, content: 'found' },
      { ...tool, content: 'lost', is_error: true },
      { role: 'user', content: 'So?' },
      { ...tool, content: '' },
      { role: 'user', content: '' },
    ],
  )
})

test('pictures are shown by their address or with their bytes, as finely as was asked', () => {
  const bytes: ImageBlock = {
    type: 'image',
    source: { kind: 'bytes', mediaType: 'image/png', base64: 'AAAA' },
  }
  const linked: ImageBlock = {
    type: 'image',
    source: { kind: 'url', url: 'https://pictures.test/a' },
    detail: 'low',
  }
  const pictures = [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    { type: 'image_url', image_url: { url: 'https://pictures.test/a', detail: 'low' } },
  ]
  const { messages } = shown([asked(bytes), asked(bytes, linked), asked(returned(false, linked))])
  assert.deepEqual(
    messages.map(({ content }) => content),
    [pictures.slice(0, 1), pictures, pictures.slice(1)],
  )
})

test('instructions of developers are told from those of the system, and what follows the answer from the rest', () => {
  const developer: TextBlock = { type: 'text', text: 'Be kind.', developer: true }
  const { messages, messages_after, answer } = shown([asked(text('Hi')), asked(developer)], {
    system: [text('a'), text('b'), developer, text('c')],
    answer: [text('Ho')],
    after: [asked(text('Thanks')), said(text('Sure'))],
  })
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['system', 'developer', 'system', 'user', 'developer'],
  )
  assert.deepEqual(messages[1]?.content, 'Be kind.')
  assert.equal(answer?.content, 'Ho')
  assert.deepEqual(
    messages_after.map(({ role, content }) => [role, content]),
    [
      ['user', 'Thanks'],
      ['assistant', 'Sure'],
    ],
  )
})

test('marks of a cache and seals of thoughts are kept nowhere', () => {
  const cache = { ttl: '5m' }
  const marked = <B extends Block>(block: B): B => ({ ...block, cache })
  const sealed: Block = { type: 'thinking', text: 'Hm.', signature: 'a seal' }
  const given = {
    tools: [],
    system: [marked(text('s'))],
    messages: [
      asked(marked(text('Hi'))),
      said(sealed),
      asked(marked(returned(true, marked(text('x'))))),
    ],
  }
  const answer = [sealed, marked(call)]
  assert.deepEqual(conversationOf(given, answer, [asked(marked(text('y')))]), {
    tools: [],
    system: [text('s')],
    messages: [asked(text('Hi')), said(thought('Hm.')), asked(returned(true, text('x')))],
    answer: [thought('Hm.'), call],
    after: [asked(text('y'))],
  })
})
