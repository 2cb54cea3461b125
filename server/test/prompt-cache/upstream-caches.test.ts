// Prompt caching where an upstream does it: which marks reach it, and that what it reports is what is billed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dig, type Json } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import type { Wire } from '#test/support/wire-answer.ts'

let rig: ChaosHone

const pricing = {
  input: 1,
  output: 2,
  cache_read: 0.1,
  cache_write_5m: 1.25,
  cache_write_1h: 2,
}

before(async () => {
  rig = await chaosHone((upstream) => {
    const model = (id: string, wire: Wire, prompt_caching: object) => ({
      id,
      prompt_caching,
      routes: [chaosRoute(upstream, wire, 'scripted', { pricing })],
    })
    const explicit = { type: 'explicit', min_tokens: 64 }
    return [
      model('marks', 'anthropic', explicit),
      model('no-caching', 'anthropic', { type: 'none' }),
      model('counts', 'openai', explicit),
      model('writes', 'openai', { type: 'automatic', min_tokens: 64, bills_writes: true }),
      model('by-itself', 'openai', { type: 'automatic' }),
    ]
  })
})
after(() => rig.stop())

const policy = (name: string): string => `${name}: ${'be kind and short. '.repeat(20)}`
const ephemeral = { type: 'ephemeral', ttl: '5m' }

const talk = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
  { role: 'user', content: 'And?' },
]

/** Paths of the blocks and tools that reached the upstream with a mark. */
function marksIn(body: Json): string[] {
  const found: string[] = []
  const look = (holders: unknown, at: string): void => {
    for (const [index, holder] of ((holders as Json[] | undefined) ?? []).entries()) {
      const ttl = dig(holder, 'cache_control.ttl')
      if (typeof ttl === 'string') found.push(`${at}.${index} ${ttl}`)
      if (Array.isArray(holder.content)) look(holder.content, `${at}.${index}`)
    }
  }
  look(body.tools, 'tools')
  look(body.system, 'system')
  look(body.messages, 'messages')
  return found
}

test('the breakpoints of the platform reach an upstream that caches by marks', async () => {
  rig.upstream.script = { text: ['Yes'] }
  const system = policy('managed')
  const short = await rig.reached('messages', { model: 'marks', system })
  assert.deepEqual(marksIn(short.body), ['system.0 5m'])
  const grown = await rig.reached('messages', { model: 'marks', system, messages: talk })
  assert.deepEqual(marksIn(grown.body), ['system.0 5m', 'messages.2.0 5m'])
  const chat = await rig.reached('chat', {
    model: 'marks',
    messages: [{ role: 'system', content: system }, ...talk],
  })
  assert.deepEqual(marksIn(chat.body), ['system.0 5m', 'messages.2.0 5m'])
  const off = { model: 'marks', system, messages: talk, prompt_cache: { mode: 'off' } }
  assert.deepEqual(marksIn((await rig.reached('messages', off)).body), [])
})

test("the caller's own marks and the automatic one reach it, and nothing of the platform's", async () => {
  const tool = { name: 'a', input_schema: {}, cache_control: { type: 'ephemeral', ttl: '1h' } }
  const { body } = await rig.reached('messages', {
    model: 'marks',
    tools: [tool],
    system: [{ type: 'text', text: policy('own') }],
    messages: talk,
    cache_control: ephemeral,
  })
  assert.deepEqual(marksIn(body), ['tools.0 1h', 'messages.2.0 5m'])
})

test('a mark inside of a tool result goes on behind the whole of it', async () => {
  const call = { type: 'tool_use', id: 't1', name: 'a', input: {} }
  const part = { type: 'text', text: 'sunny', cache_control: ephemeral }
  const { body } = await rig.reached('messages', {
    model: 'marks',
    tools: [{ name: 'a', input_schema: {} }],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [part] }] },
    ],
  })
  assert.deepEqual(marksIn(body), ['messages.2.0 5m'])
})

const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const plainText = { type: 'text', media_type: 'text/plain', data: 'long ago' }
const textPart = { type: 'text', text: 'once' }
const markedText = { ...textPart, cache_control: ephemeral }

const places: [what: string, content: object[], at: string][] = [
  ['a text', [markedText, textPart], '0.0 5m'],
  ['an image', [{ type: 'image', source: png, cache_control: ephemeral }, textPart], '0.0 5m'],
  [
    'a document',
    [textPart, { type: 'document', source: plainText, cache_control: ephemeral }, textPart],
    '0.1 5m',
  ],
  [
    'a part of a document',
    [{ type: 'document', source: { type: 'content', content: [markedText, textPart] } }, textPart],
    '0.0 5m',
  ],
  [
    'a search result',
    [
      {
        type: 'search_result',
        source: 'x',
        title: 't',
        content: [textPart],
        cache_control: ephemeral,
      },
      textPart,
    ],
    '0.0 5m',
  ],
  [
    'a part of a search result',
    [{ type: 'search_result', source: 'x', title: 't', content: [markedText] }, textPart],
    '0.0 5m',
  ],
  [
    'a document in a tool result',
    [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'document', source: plainText, cache_control: ephemeral }, textPart],
      },
      textPart,
    ],
    '0.0 5m',
  ],
  [
    'an image in a tool result',
    [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'image', source: png, cache_control: ephemeral }],
      },
    ],
    '0.0 5m',
  ],
]
for (const [what, content, at] of places) {
  test(`a mark on ${what} reaches the upstream there, and is honoured`, async () => {
    rig.upstream.script = { text: ['Yes'] }
    const fields = { model: 'marks', messages: [{ role: 'user', content }] }
    const { body } = await rig.reached('messages', fields)
    assert.deepEqual(marksIn(body), [`messages.${at}`])
    const answer = await rig.post('messages', fields)
    assert.equal(answer.headers.get('x-service-cache-marker'), 'honoured')
  })
}

test('a server that does not say for how long it wrote is taken to have done as it was asked', async () => {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 90,
    cache_read_input_tokens: 5,
    output_tokens: 3,
  }
  const [m5, h1] = ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']
  for (const [ttls, reported, billed] of [
    [['1h'], {}, { [m5]: 0, [h1]: 90 }],
    [['5m'], {}, { [m5]: 90, [h1]: 0 }],
    [['1h', '5m'], {}, { [m5]: 90, [h1]: 0 }],
    [['1h'], { cache_creation: { [m5]: 90, [h1]: 0 } }, { [m5]: 90, [h1]: 0 }],
    [['1h', '5m'], { cache_creation: { [m5]: 30, [h1]: 60 } }, { [m5]: 30, [h1]: 60 }],
  ] as const) {
    rig.upstream.script = { text: ['Yes'], usage: { ...usage, ...reported } }
    const system = ttls.map((ttl) => ({
      type: 'text',
      text: policy(ttl),
      cache_control: { type: 'ephemeral', ttl },
    }))
    const answer = await rig.post('messages', { model: 'marks', system })
    assert.equal(dig(answer.json, 'usage.cache_creation_input_tokens'), 90)
    assert.deepEqual(dig(answer.json, 'usage.cache_creation'), billed)
  }
})

test('marks inside of documents are checked like others', async () => {
  const part = { ...textPart, cache_control: { type: 'ephemeral', ttl: '2h' } }
  for (const block of [
    { type: 'document', source: { type: 'content', content: [part] } },
    { type: 'search_result', source: 'x', title: 't', content: [part] },
  ]) {
    const fields = { model: 'marks', messages: [{ role: 'user', content: [block] }] }
    const refused = await rig.post('messages', fields)
    assert.equal(refused.status, 400)
    assert.equal(dig(refused.json, 'error.param'), 'messages')
    assert.match(refused.text, /cache_control\.ttl not supported/)
  }
})

test('a mark inside of a tool result is a mark like any other', async () => {
  const part = (name: string): object => ({
    type: 'text',
    text: policy(name),
    cache_control: ephemeral,
  })
  const inChat = (...contents: object[][]): object => ({
    messages: [
      { role: 'user', content: 'Hi' },
      ...contents.map((content) => ({ role: 'tool', tool_call_id: 't1', content })),
    ],
  })
  const inMessages = (...contents: object[][]): object => ({
    messages: [
      {
        role: 'user',
        content: contents.map((content) => ({ type: 'tool_result', tool_use_id: 't1', content })),
      },
    ],
  })
  for (const [dialect, results] of [
    ['chat', inChat],
    ['messages', inMessages],
  ] as const) {
    const off = { model: 'marks', prompt_cache: { mode: 'off' } }
    const answer = await rig.post(dialect, { ...off, ...results([part('inside')]) })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('x-service-cache-marker'), 'honoured')
    const { body } = await rig.reached(dialect, { ...off, ...results([part('inside')]) })
    assert.equal(marksIn(body).length, 1)
    const parts = ['a', 'b', 'c', 'd', 'e'].map(part)
    for (const five of [results(parts), results(...parts.map((one) => [one]))]) {
      const refused = await rig.post(dialect, { ...off, ...five })
      assert.equal(refused.status, 400, refused.text)
      assert.equal(dig(refused.json, 'error.param'), 'messages')
      assert.match(refused.text, /at most 4.*this one has 5/)
    }
    assert.equal((await rig.post(dialect, { ...off, ...results(parts.slice(1)) })).status, 200)
  }
})

test('a model without caching is sent no marks, and says that they were ignored', async () => {
  const system = [{ type: 'text', text: policy('none'), cache_control: ephemeral }]
  const { body } = await rig.reached('messages', { model: 'no-caching', system })
  assert.deepEqual(marksIn(body), [])
  const answer = await rig.post('messages', { model: 'no-caching', system })
  assert.equal(answer.headers.get('x-service-cache-marker'), 'ignored')
})

type Told = { prompt_tokens_details: { cached_tokens: number } } | object

async function billed(model: string, fields: object, told: Told, wire: Wire): Promise<unknown> {
  rig.upstream.script = {
    text: ['Yes'],
    usage:
      wire === 'openai'
        ? { prompt_tokens: 200, completion_tokens: 1, ...told }
        : { input_tokens: 200, output_tokens: 1, ...told },
  }
  const answer = await rig.post('chat', { model, ...fields })
  assert.equal(answer.status, 200, answer.text)
  await rig.settled()
  await rig.hone.app.calls.promptCache.drained()
  return dig(answer.json, 'usage.prompt_tokens_details')
}

function marked(name: string): object {
  const content = [{ type: 'text', text: policy(name), cache_control: ephemeral }]
  return { messages: [{ role: 'system', content }, ...talk] }
}

test('a report of zero cached tokens is not the same as none', async () => {
  const cached = (tokens: number): Told => ({ prompt_tokens_details: { cached_tokens: tokens } })
  const wrote = (await billed('counts', marked('zero'), {}, 'openai')) as Json
  assert.ok(Number(wrote.cache_write_5m_tokens) >= 64)
  const unsaid = (await billed('counts', marked('zero'), {}, 'openai')) as Json
  assert.equal(unsaid.cached_tokens, wrote.cache_write_5m_tokens)
  assert.deepEqual(await billed('counts', marked('zero'), cached(0), 'openai'), {
    cached_tokens: 0,
  })
  assert.deepEqual(await billed('counts', marked('zero'), cached(77), 'openai'), {
    cached_tokens: 77,
  })
  assert.deepEqual(await billed('by-itself', marked('zero'), cached(0), 'openai'), {
    cached_tokens: 0,
  })
})

test('a server that never reads costs the write premium once, and then only for what is new', async () => {
  const part = (name: string): object => ({
    type: 'text',
    text: policy(name),
    cache_control: ephemeral,
  })
  const written = async (prompt_tokens: number, ...parts: object[]): Promise<number> => {
    const fields = { messages: [{ role: 'user', content: parts }] }
    const zero = { prompt_tokens, prompt_tokens_details: { cached_tokens: 0 } }
    const told = (await billed('counts', fields, zero, 'openai')) as Json
    assert.equal(told.cached_tokens, 0)
    return Number(told.cache_write_5m_tokens ?? 0)
  }
  const [one, two] = [part('one'), part('two')]
  assert.equal(await written(200, one), 200)
  for (let i = 0; i < 3; i++) assert.equal(await written(200, one), 0)
  assert.equal(await written(350, one, two), 150)
  assert.equal(await written(350, one, two), 0)
  assert.equal(await written(200, one), 0)
  assert.equal(await written(200, part('another')), 200)
})

test('a write that a server of the messages dialect really reports is billed each time', async () => {
  const wrote = { input_tokens: 20, cache_read_input_tokens: 0, cache_creation_input_tokens: 180 }
  for (let i = 0; i < 2; i++) {
    const told = (await billed('marks', marked('again'), wrote, 'anthropic')) as Json
    assert.deepEqual([told.cached_tokens, told.cache_write_5m_tokens], [0, 180])
  }
})

const toldWrites: [what: string, told: object, expected: object][] = [
  [
    'how much, not for how long',
    { cached_tokens: 50, cache_write_tokens: 30 },
    {
      cached_tokens: 50,
      cache_write_tokens: 30,
      cache_write_5m_tokens: 30,
      cache_write_1h_tokens: 0,
    },
  ],
  [
    'for how long',
    { cached_tokens: 0, cache_write_5m_tokens: 20, cache_write_1h_tokens: 10 },
    {
      cached_tokens: 0,
      cache_write_tokens: 30,
      cache_write_5m_tokens: 20,
      cache_write_1h_tokens: 10,
    },
  ],
  ['nothing at all', { cached_tokens: 0, cache_write_tokens: 0 }, { cached_tokens: 0 }],
  [
    'more than there was',
    { cached_tokens: 150, cache_write_tokens: 90 },
    {
      cached_tokens: 150,
      cache_write_tokens: 50,
      cache_write_5m_tokens: 50,
      cache_write_1h_tokens: 0,
    },
  ],
]

for (const [what, prompt_tokens_details, expected] of toldWrites) {
  test(`an upstream of the chat dialect that says what it wrote is taken at its word: ${what}`, async () => {
    for (let i = 0; i < 2; i++) {
      const told = { prompt_tokens_details }
      assert.deepEqual(await billed('counts', marked(what), told, 'openai'), expected)
    }
  })
}

test('an upstream of the messages dialect is taken at its word, zero included', async () => {
  const nothing = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  assert.deepEqual(await billed('marks', marked('word'), nothing, 'anthropic'), {
    cached_tokens: 0,
  })
  const read = { cache_read_input_tokens: 50, cache_creation_input_tokens: 30 }
  assert.deepEqual(await billed('marks', marked('word'), read, 'anthropic'), {
    cached_tokens: 50,
    cache_write_5m_tokens: 30,
    cache_write_1h_tokens: 0,
    cache_write_tokens: 30,
  })
})

test('rule 3, over HTTP: a fan-out with one system prompt writes it once and reads it after', async () => {
  const ask = (question: string): object => ({
    messages: [
      { role: 'system', content: policy('fan-out') },
      { role: 'user', content: question },
    ],
  })
  const first = (await billed('writes', ask('one'), {}, 'openai')) as Json
  assert.deepEqual([first.cached_tokens, first.cache_write_5m_tokens], [0, 200])
  for (const question of ['two', 'three']) {
    const later = (await billed('writes', ask(question), {}, 'openai')) as Json
    assert.ok(Number(later.cached_tokens) >= 64)
    assert.equal(Number(later.cached_tokens) + Number(later.cache_write_5m_tokens), 200)
  }
  const explicit = { ...ask('four'), prompt_cache_options: { mode: 'explicit' } }
  assert.deepEqual(await billed('writes', explicit, {}, 'openai'), { cached_tokens: 0 })
})

test('rule 3, over HTTP: a part marked in both ways is a breakpoint on either kind of model', async () => {
  const told = async (model: string, name: string, mark: object): Promise<unknown[]> => {
    const content = [
      { type: 'text', text: policy(name), ...mark },
      { type: 'text', text: policy('and the rest') },
    ]
    const fields = { messages: [{ role: 'user', content }] }
    const { cache_write_5m_tokens: written } = (await billed(model, fields, {}, 'openai')) as Json
    return [written]
  }
  const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } }
  const both = { ...breakpoint, cache_control: ephemeral }
  assert.deepEqual(await told('writes', 'a', both), await told('writes', 'b', breakpoint))
  const one = { cache_control: ephemeral }
  assert.deepEqual(await told('counts', 'a', both), await told('counts', 'b', one))
})

test('rule 12: a mark on what is not sent on is a mark all the same', async () => {
  rig.upstream.script = { text: ['Yes'] }
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
  const empty = [{ type: 'text', text: '', cache_control: ephemeral }]
  const silent = { role: 'assistant', content: empty, tool_calls: [call] }
  const result = { role: 'tool', tool_call_id: 'c', content: 'ok' }
  const named = (name: string): object => ({ type: 'function', function: { name } })
  for (const fields of [
    { messages: [...talk.slice(0, 1), silent, result] },
    {
      tools: [{ ...named('f'), cache_control: ephemeral }, named('g')],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('g')] } },
    },
  ]) {
    const answer = await rig.post('chat', { model: 'counts', ...fields })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('x-service-cache-marker'), 'honoured')
  }
  const { body } = await rig.reached('chat', {
    model: 'counts',
    messages: [...talk.slice(0, 1), silent, result],
  })
  assert.equal(dig(body, 'messages.1.content'), null)
})

test('rule 3: on other models the prompt_cache fields change nothing', async () => {
  rig.upstream.script = { text: ['Yes'] }
  const plain = await rig.reached('chat', { model: 'by-itself' })
  const { body } = await rig.reached('chat', {
    model: 'by-itself',
    prompt_cache_key: 'k',
    prompt_cache_options: { mode: 'explicit' },
  })
  assert.deepEqual(body, plain.body)
})
