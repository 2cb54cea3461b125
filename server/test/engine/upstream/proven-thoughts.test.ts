// Thoughts that a server of the messages dialect signed go back to it as it sent them, and to nobody else.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import Anthropic0 from 'anthropic-sdk-0'
import { type ChaosHone, chaosHone, dig, type Json, readEvents } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import { event, wireRecords } from '#test/support/wire-answer.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone((upstream) => {
    const reasoning = { efforts: ['low', 'high'], default: 'high' }
    const model = (id: string, ...routes: object[]) => ({ id, reasoning, routes })
    return [
      model('claude', chaosRoute(upstream, 'anthropic', 'scripted')),
      model('claude-other', chaosRoute(upstream, 'anthropic', 'reasoning')),
      model('chat', chaosRoute(upstream, 'openai', 'reasoning', { passes_thinking: true })),
    ]
  })
})
after(() => rig.stop())

const tools = [{ name: 'f', input_schema: { type: 'object' } }]
const use = { type: 'tool_use', id: 'a', name: 'f', input: {} }
const result = { type: 'tool_result', tool_use_id: 'a', content: [text('x')] }
const called = { thinking: ['Let me ', 'think.'], calls: [{ id: 'a', name: 'f', pieces: ['{}'] }] }
const signed = {
  type: 'thinking',
  thinking: 'Let me think.',
  signature: 'signature-of-the-upstream',
}
const asWords = text('<thinking>Let me think.</thinking>')

function text(of: string): Json {
  return { type: 'text', text: of }
}

/** These blocks as a server of the messages dialect streams them, each whole at its start. */
function says(...blocks: object[]): void {
  const [first = '', ...rest] = wireRecords('anthropic', { finish: 'tool_calls' })
  const records = blocks.flatMap((content_block, index) => [
    event('content_block_start', { index, content_block }),
    event('content_block_stop', { index }),
  ])
  rig.upstream.script = { openai: [], anthropic: [first, ...records, ...rest] }
}

async function answered(fields: object = {}): Promise<Json[]> {
  const answer = await rig.post('messages', { model: 'claude', tools, ...fields })
  assert.equal(answer.status, 200, answer.text)
  return dig(answer.json, 'content') as Json[]
}

/** The blocks of the assistant's turn as they reach the model server when the conversation goes on. */
async function goesOn(content: unknown, fields: object = {}): Promise<unknown> {
  const { body } = await rig.reached('messages', {
    model: 'claude',
    tools,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ],
    ...fields,
  })
  return dig(body, 'messages.1.content')
}

for (const [shown, thinking, words] of [
  ['omitted', undefined, ''],
  ['summarized', { type: 'adaptive', display: 'summarized' }, 'Let me think.'],
  ['told as news', { type: 'adaptive', display: 'updates' }, 'Let me think.'],
] as const) {
  test(`a thought that was ${shown} goes back with the signature of its server`, async () => {
    rig.upstream.script = called
    const content = await answered({ thinking })
    assert.deepEqual(
      content.map(({ type }) => type),
      ['thinking', 'tool_use'],
    )
    assert.equal(content[0]?.thinking, words)
    assert.equal(JSON.stringify(content).includes('signature-of-the-upstream'), false)
    const { body } = await rig.reached('messages', {
      model: 'claude',
      tools,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
        { role: 'user', content: [result] },
      ],
    })
    assert.deepEqual(dig(body, 'messages.1.content'), [signed, use])
    assert.equal(dig(body, 'thinking.type'), 'adaptive')
  })
}

/** The blocks of a stream, put together as clients do it. */
function blocksOf(stream: string): Json[] {
  const blocks: Json[] = []
  for (const { data } of readEvents(stream)) {
    const start = dig(data, 'content_block')
    if (start) blocks.push({ ...(start as Json) })
    const signature = dig(data, 'delta.signature')
    const words = dig(data, 'delta.thinking')
    const last = blocks.at(-1)
    if (last && signature !== undefined) last.signature = signature
    if (last && typeof words === 'string') last.thinking = String(last.thinking) + words
  }
  return blocks
}

test('a stream carries the same, block by block', async () => {
  const second = { type: 'thinking', thinking: 'More.', signature: 'second' }
  const silent = { type: 'thinking', thinking: '', signature: 'without words' }
  const redacted = { type: 'redacted_thinking', data: 'opaque' }
  const blocks = [signed, second, redacted, text('Well.'), silent, use]
  says(...blocks)
  const whole = await answered()
  assert.deepEqual(
    whole.map(({ type }) => type),
    blocks.map(({ type }) => type),
  )
  assert.deepEqual(await goesOn(whole), blocks)
  const streamed = await rig.post('messages', { model: 'claude', tools, stream: true })
  const parts = blocksOf(streamed.text)
  // Texts come in deltas, and this one is not put together above.
  const said = parts.map((block) => (block.type === 'text' ? text('Well.') : block))
  assert.deepEqual(await goesOn(said), blocks)
  assert.equal(streamed.text.includes('opaque'), false)
})

test('whoever did not sign a thought gets its words, or nothing where it has none', async () => {
  says(signed, { type: 'redacted_thinking', data: 'opaque' }, use)
  const content = await answered()
  assert.deepEqual(await goesOn(content, { model: 'claude-other' }), [asWords, use])
  const { body } = await rig.reached('messages', {
    model: 'chat',
    tools,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ],
  })
  assert.equal(dig(body, 'messages.1.reasoning_content'), 'Let me think.')
})

test('a thought that no server signed is words', async () => {
  says({ type: 'thinking', thinking: 'Let me think.', signature: '' }, use)
  assert.deepEqual(await goesOn(await answered()), [asWords, use])
})

test('where the model is not to think, the thought is words', async () => {
  rig.upstream.script = called
  const content = await answered()
  const off = { thinking: { type: 'disabled' } }
  assert.deepEqual(await goesOn(content, off), [asWords, use])
})

test('changed words do not count, and a changed signature is dropped', async () => {
  rig.upstream.script = called
  const [thought, ...rest] = await answered()
  assert.deepEqual(await goesOn([{ ...thought, thinking: 'Forged' }, ...rest]), [signed, use])
  const signature = String(thought?.signature)
  const flipped = (signature[40] === 'A' ? 'B' : 'A') + signature.slice(41)
  const changed = { ...thought, signature: signature.slice(0, 40) + flipped }
  assert.deepEqual(await goesOn([changed, ...rest]), [use])
})

test('a turn with signed thoughts begins with one and ends with something else', async () => {
  rig.upstream.script = called
  const [thought, call] = await answered()
  const turn = async (...messages: object[]): Promise<unknown> => {
    const said = [{ role: 'user', content: 'Hi' }, ...messages]
    const asked = [...said, { role: 'user', content: 'And?' }]
    const { body } = await rig.reached('messages', { model: 'claude', tools, messages: asked })
    return dig(body, 'messages.1.content')
  }
  const assistant = (...content: unknown[]): object => ({ role: 'assistant', content })
  assert.deepEqual(await turn(assistant(thought)), [asWords])
  assert.deepEqual(
    await turn(assistant(text('A'), thought, call), { role: 'user', content: [result] }),
    [text('A'), asWords, use],
  )
  const two = [assistant(text('A')), assistant(thought, text('B'))]
  assert.deepEqual(await turn(...two), [text('A'), asWords, text('B')])
  const cut = [assistant(thought), assistant(text('B'))]
  assert.deepEqual(await turn(...cut), [asWords, text('B')])
})

test('a thought never carries the mark of the empty text behind it', async () => {
  rig.upstream.script = called
  const [thought, call] = await answered()
  const empty = { ...text(' '), cache_control: { type: 'ephemeral' } }
  assert.deepEqual(await goesOn([thought, empty, call]), [signed, use])
})

const clients: [version: string, make: (key: string, url: string) => Anthropic][] = [
  ['1', (authToken, baseURL) => new Anthropic({ authToken, baseURL, maxRetries: 0 })],
  // What is called here has the same types in both.
  [
    '0',
    (authToken, baseURL) =>
      new Anthropic0({ authToken, baseURL, maxRetries: 0 }) as unknown as Anthropic,
  ],
]
for (const [version, make] of clients) {
  test(`the official client ${version} passes thoughts back as they have to be`, async () => {
    rig.upstream.script = called
    const client = make(rig.hone.owner.key, rig.hone.url)
    const asked: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hi' }]
    const fields = {
      model: 'claude',
      max_tokens: 4000,
      tools: [{ name: 'f', input_schema: { type: 'object' as const } }],
      thinking: { type: 'adaptive' as const },
    }
    const streamed = await client.messages.stream({ ...fields, messages: asked }).finalMessage()
    const whole = await client.messages.create({ ...fields, messages: asked })
    for (const { content } of [streamed, whole]) {
      const seen = rig.upstream.calls.length
      await client.messages.create({
        ...fields,
        messages: [
          ...asked,
          { role: 'assistant', content: content as Anthropic.ContentBlockParam[] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
        ],
      })
      assert.deepEqual(dig(rig.upstream.calls[seen]?.body, 'messages.1.content'), [signed, use])
    }
  })
}
