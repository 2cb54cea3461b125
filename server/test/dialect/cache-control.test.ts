// What a `cache_control` may say, with the text and the field of each refusal.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#server/core/refusal.ts'
import { promptBlocks } from '#server/core/prompt-blocks.ts'
import { parseMessages } from '#server/dialect/chat/parse-messages.ts'
import { parseChat } from '#server/dialect/chat/parse.ts'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'
import { readCacheControl, refuseThinkingMark } from '#server/dialect/read-cache-control.ts'
import { mark1h, mark5m, openAiMark } from '#test/prompt-cache/requests.ts'

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
  const { system, messages } = parseMessages(body, 'call')
  const marks = [{ blocks: system }, ...messages].map(({ blocks }) =>
    blocks.map((block) => ('cache' in block ? block.cache : null)),
  )
  assert.deepEqual(marks, [[mark5m], [null, mark1h], [mark5m], [mark5m], [null]])
  const bad = { messages: [{ role: 'user', content: 'a', cache_control: 'x' }] }
  assert.throws(
    () => parseMessages(bad, 'call'),
    (error) => error instanceof Refusal && error.detail.param === 'messages',
  )
  assert.deepEqual(parseMessages(bad, 'row').messages, [
    { role: 'user', blocks: [{ type: 'text', text: 'a' }] },
  ])
})

const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const said = { type: 'text', text: 'a' }
const dataUrl = 'data:image/png;base64,AAAA'
const webUrl = 'https://a.example/a.png'
const user = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const assistant = (...content: object[]) => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'assistant', content },
  ],
})

/** A body for each place, its mark last but for what cannot be left out. */
const chatPlaces: Record<string, object> = {
  'a tool': { tools: [{ type: 'function', function: { name: 'f' }, ...hour }], messages: [] },
  'a part of the system prompt': {
    messages: [{ role: 'system', content: [{ ...said, ...hour }] }],
  },
  'a text': user(said, { ...said, ...hour }),
  'an image': user({ type: 'image_url', image_url: { url: dataUrl }, ...hour }),
  'a hosted image': user({ type: 'image_url', image_url: { url: webUrl }, ...hour }),
  'a text of the assistant': assistant({ ...said, ...hour }),
  'a refusal': assistant({ type: 'refusal', refusal: 'no', ...hour }),
  'a part of what a tool returned': {
    messages: [{ role: 'tool', tool_call_id: 'c', content: [{ ...said, ...hour }, said] }],
  },
  'a message': { messages: [{ role: 'user', content: 'a', ...hour }] },
}

const bytes = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
const document = { type: 'document', source: { type: 'text', data: 'a' } }
const result = (...content: object[]) => ({ type: 'tool_result', tool_use_id: 'c', content })
const search = { type: 'search_result', source: 's', title: 't', content: [said] }
const change = (type: string, tool: object) => ({
  messages: [
    { role: 'user', content: 'q' },
    { role: 'system', content: [{ type, tool, ...hour }] },
  ],
})
const messagesPlaces: Record<string, object> = {
  'a tool': { tools: [{ name: 'f', input_schema: {}, ...hour }], messages: [] },
  'a block of the system prompt': { system: [said, { ...said, ...hour }], messages: [] },
  'a text': user(said, { ...said, ...hour }),
  'an image': user({ type: 'image', source: bytes, ...hour }),
  'a hosted image': user({ type: 'image', source: { type: 'url', url: webUrl }, ...hour }),
  'a document': user({ ...document, ...hour }),
  'a search result': user({ ...search, ...hour }),
  'a tool result': user({ ...result(said), ...hour }),
  'a text of a tool result': user(result({ ...said, ...hour }, said)),
  'an image of a tool result': user(result({ type: 'image', source: bytes, ...hour })),
  'a document of a tool result': user(result({ ...document, ...hour })),
  'a tool that was found': user(result({ type: 'tool_reference', tool_name: 'f', ...hour })),
  'a text of the assistant': assistant({ ...said, ...hour }),
  'a tool call': assistant({ type: 'tool_use', id: 'c', name: 'f', input: {}, ...hour }),
  'a tool that comes': change('tool_addition', { type: 'tool_reference', name: 'f' }),
  'a tool set that goes': change('tool_removal', {
    type: 'mcp_toolset_reference',
    server_name: 's',
  }),
}

const least = { model: 'm', max_tokens: 1 }
const asked = [{ role: 'user', content: 'q' }]

for (const [dialect, places, parse] of [
  ['chat', chatPlaces, parseChat],
  ['messages', messagesPlaces, parseMessagesBody],
] as const) {
  for (const [place, parts] of Object.entries(places)) {
    test(`rule 6: ${dialect}: a mark on ${place} stays there, and is one of the request`, () => {
      const body = { ...least, ...parts }
      const messages = 'messages' in parts && (parts.messages as object[]).length > 0
      const { request } = parse(messages ? body : { ...body, messages: asked })
      const marks = promptBlocks(request).flatMap(({ mark }) => mark ?? [])
      assert.deepEqual(marks, [mark1h])
      assert.equal(request.cache.marked, true)
    })
  }
  test(`rule 12: ${dialect}: a request without any mark is none that carries one`, () => {
    const empty =
      dialect === 'chat' ? { role: 'tool', tool_call_id: 'c' } : user(result()).messages[0]
    const { request } = parse({ ...least, messages: [...asked, empty] })
    assert.equal(request.cache.marked, false)
  })
}

test('rule 3: a breakpoint of the chat dialect stands on a part, beside a cache_control or not', () => {
  const prompt_cache_breakpoint = { mode: 'explicit' }
  const marksOf = (part: object) => {
    const { request } = parseChat({
      ...least,
      ...user({ ...said, prompt_cache_breakpoint, ...part }),
    })
    return [promptBlocks(request).map(({ mark }) => mark), request.cache.marked]
  }
  assert.deepEqual(marksOf({}), [[openAiMark], false])
  assert.deepEqual(marksOf(hour), [[{ ...mark1h, alsoBreakpoint: true }], true])
})
