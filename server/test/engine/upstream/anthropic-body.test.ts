// What a server of the messages dialect would refuse is said to it in a way that it takes, for clients of either dialect.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { leavableFields } from '#server/core/server-ways.ts'
import {
  type ChaosHone,
  chaosHone,
  dialects,
  type DialectName,
  dig,
  type Json,
} from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone((upstream) => [
    {
      id: 'marks',
      prompt_caching: { type: 'explicit', min_tokens: 64 },
      routes: [chaosRoute(upstream, 'anthropic', 'ok')],
    },
    ...[
      ['leaves-out', leavableFields.messages],
      ['no-temperature', ['temperature']],
    ].map(([id, leaves_out]) => ({
      id: String(id),
      routes: [chaosRoute(upstream, 'anthropic', 'ok', { leaves_out })],
    })),
    {
      id: 'thinks',
      reasoning: { efforts: ['low', 'high'], default: 'high' },
      routes: [chaosRoute(upstream, 'anthropic', 'ok')],
    },
  ])
})
after(() => rig.stop())

async function sent(dialect: DialectName, fields: object): Promise<Json> {
  return (await rig.reached(dialect, { model: 'anthropic/ok', ...fields })).body
}

const text = (of: string): object => ({ type: 'text', text: of })
const user = (content: unknown): object => ({ role: 'user', content })
const assistant = (content: unknown): object => ({ role: 'assistant', content })
const json = { response_format: { type: 'json_object' } }
const wish = text('Answer with one JSON object and nothing else.')

test('a wish for JSON is the last sentence of the system prompt, and without a mark', async () => {
  assert.deepEqual((await sent('chat', json)).system, [wish])
  assert.equal((await sent('chat', {})).system, undefined)
  const policy = 'be kind and short. '.repeat(40)
  const cache_control = { type: 'ephemeral', ttl: '5m' }
  const system = { role: 'system', content: [{ ...text(policy), cache_control }] }
  const messages = [system, user('Hi')]
  const body = await sent('chat', { ...json, model: 'marks', messages })
  assert.deepEqual(body.system, [{ ...text(policy), cache_control }, wish])
  const schema = { name: 'x', schema: { type: 'object' } }
  const other = { response_format: { type: 'json_schema', json_schema: schema } }
  assert.equal((await sent('chat', other)).system, undefined)
})

test('a schema of a tool says that it is an object', async () => {
  const tool = (parameters?: object): object => ({
    type: 'function',
    function: { name: 'f', description: 'd', parameters },
  })
  for (const [parameters, input_schema] of [
    [{}, { type: 'object' }],
    [{ properties: {} }, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object' }],
    [undefined, { type: 'object', properties: {} }],
  ] as const) {
    const { tools } = await sent('chat', { tools: [tool(parameters)] })
    const eager_input_streaming = true
    assert.deepEqual(tools, [{ name: 'f', description: 'd', input_schema, eager_input_streaming }])
  }
})

test('a system prompt alone is what the user says', async () => {
  const messages = [{ role: 'system', content: 'Tell a joke.' }]
  const body = await sent('chat', { messages })
  assert.deepEqual(body.messages, [user([text('Tell a joke.')])])
  assert.equal(body.system, undefined)
  const asJson = await sent('chat', { ...json, messages })
  assert.deepEqual(asJson.messages, [user([text('Tell a joke.')])])
  assert.deepEqual(asJson.system, [wish])
  const silent = await sent('chat', { messages: [...messages, user('')] })
  assert.deepEqual(silent.messages, [user([text('Tell a joke.')])])
})

const silence = user([text('(no content)')])

for (const nothing of ['', ' ', '\n\t\u00a0', [text(''), text(' \n')]]) {
  test(`where only ${JSON.stringify(nothing)} is said, one turn says that`, async () => {
    for (const messages of [[user(nothing)], [user(nothing), assistant(nothing)]]) {
      assert.deepEqual((await sent('messages', { messages })).messages, [silence])
    }
    const system = [{ role: 'system', content: nothing }]
    assert.deepEqual((await sent('chat', { messages: system })).messages, [silence])
    const body = await sent('chat', { messages: [...system, user('Hi')] })
    assert.equal('system' in body, false)
    assert.deepEqual(body.messages, [user([text('Hi')])])
  })
}

for (const dialect of dialects) {
  test(`${dialect}: a user who said nothing is still a turn between answers and after the last`, async () => {
    const { messages } = await sent(dialect, {
      messages: [assistant('One'), user(' '), assistant('Two '), user('\n')],
    })
    assert.deepEqual(messages, [
      silence,
      assistant([text('One')]),
      silence,
      assistant([text('Two ')]),
      silence,
    ])
  })

  test(`${dialect}: an answer to go on with ends in a word`, async () => {
    for (const last of ['So: \n', [text('So:'), text(' ')]]) {
      const { messages } = await sent(dialect, { messages: [user(' Hi '), assistant(last)] })
      assert.deepEqual(messages, [user([text(' Hi ')]), assistant([text('So:')])])
    }
    const silent = await sent(dialect, { messages: [user('Hi'), assistant(' ')] })
    assert.deepEqual(silent.messages, [user([text('Hi')])])
  })
}

test('the mark of a text without a word goes to what stands before it', async () => {
  const cache_control = { type: 'ephemeral', ttl: '5m' }
  const last = { model: 'marks', messages: [user([text('Hi'), text('')])], cache_control }
  assert.deepEqual((await sent('messages', last)).messages, [
    user([{ ...text('Hi'), cache_control }]),
  ])
  const long = { ...text('be kind and short. '.repeat(40)) }
  const { messages } = await sent('messages', {
    model: 'marks',
    messages: [user([long, { ...text(' '), cache_control }, text('Hi')])],
  })
  assert.deepEqual(messages, [user([{ ...long, cache_control }, text('Hi')])])
})

test('a tool that failed with nothing has still failed', async () => {
  const result = { type: 'tool_result', tool_use_id: 't1' }
  const { messages } = await sent('messages', {
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    messages: [
      user('Hi'),
      assistant([{ type: 'tool_use', id: 't1', name: 'f', input: {} }]),
      user([{ ...result, content: ' ', is_error: true }]),
    ],
  })
  assert.deepEqual(dig(messages, '2.content'), [
    { ...result, content: [text('Error')], is_error: true },
  ])
})

test('ids of calls are such as the dialect takes, and stay apart', async () => {
  const ids = ['functions.f:0', 'functions:f.0', 'call_1-A', 'ø', '']
  const { messages } = await sent('chat', {
    tools: [{ type: 'function', function: { name: 'f' } }],
    messages: [
      user('Hi'),
      {
        ...assistant(null),
        tool_calls: ids.map((id) => ({ id, function: { name: 'f', arguments: '{}' } })),
      },
      ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' })),
    ],
  })
  const calls = (dig(messages, '1.content') as Json[]).map(({ id }) => id)
  const results = (dig(messages, '2.content') as Json[]).map(({ tool_use_id }) => tool_use_id)
  assert.deepEqual(calls, results)
  assert.equal(new Set(calls).size, ids.length)
  for (const id of calls) assert.match(String(id), /^[A-Za-z0-9_-]+$/)
  assert.ok(calls.includes('call_1-A'))
})

test('marks of an hour stay before those of minutes where what a tool returned is moved', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const marked = (of: string, ttl: string): object => ({
    ...text(of.repeat(40)),
    cache_control: { type: 'ephemeral', ttl },
  })
  const messages = [
    user('Hi'),
    { role: 'assistant', content: null, tool_calls: [call] },
    user([marked('Be quick about it. ', '1h')]),
    { role: 'tool', tool_call_id: 'a', content: [marked('It is what it is. ', '5m')] },
  ]
  const body = await sent('chat', { model: 'marks', messages })
  const content = dig(body, 'messages.2.content') as Json[]
  assert.deepEqual(
    content.map(({ type, cache_control }) => [type, dig(cache_control, 'ttl')]),
    [
      ['tool_result', '1h'],
      ['text', '5m'],
    ],
  )
})

test('what a tool returned stands before what was said meanwhile', async () => {
  const { messages } = await sent('chat', {
    tools: [{ type: 'function', function: { name: 'f' } }],
    messages: [
      user('Hi'),
      {
        ...assistant(null),
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'system', content: 'Be brief.' },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ],
  })
  assert.deepEqual(dig(messages, '2.content'), [
    { type: 'tool_result', tool_use_id: 'a', content: [text('x')] },
    text('Be brief.'),
  ])
})

test('a model that thinks is not told how to pick its tokens', async () => {
  const asked = { model: 'thinks', temperature: 0, top_k: 5, top_p: 0.5 }
  const body = await sent('messages', asked)
  assert.deepEqual(body.thinking, { type: 'adaptive', display: 'summarized' })
  for (const name of ['temperature', 'top_k', 'top_p']) assert.equal(name in body, false, name)
  assert.equal((await sent('messages', { model: 'thinks', top_p: 0.97 })).top_p, 0.97)
  const off = await sent('messages', { ...asked, thinking: { type: 'disabled' } })
  assert.deepEqual([off.temperature, off.top_k], [0, 5])
})

for (const dialect of dialects) {
  test(`${dialect}: of a temperature and a share of the tokens one is told`, async () => {
    for (const [asked, told] of [
      [{ temperature: 0.5, top_p: 0.9 }, { temperature: 0.5 }],
      [{ temperature: 1, top_p: 0.9 }, { top_p: 0.9 }],
      [{ temperature: 1.5, top_p: 0.9 }, { top_p: 0.9 }],
      [{ top_p: 0.9 }, { top_p: 0.9 }],
      [{ temperature: 1 }, { temperature: 1 }],
      [{ temperature: 0, top_p: 1 }, { temperature: 0 }],
    ]) {
      const { temperature, top_p } = await sent(dialect, asked as object)
      assert.deepEqual(JSON.parse(JSON.stringify({ temperature, top_p })), told)
    }
  })
}

test('a server is spared what its route leaves out', async () => {
  const asked = {
    model: 'leaves-out',
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    stop_sequences: ['END'],
    tools: [{ name: 'f', input_schema: {} }],
    tool_choice: { type: 'auto' },
    thinking: { type: 'disabled' },
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  }
  const names = ['temperature', 'top_p', 'top_k', 'stop_sequences', 'tool_choice', 'output_config']
  const everything = await sent('messages', { ...asked, model: 'thinks' })
  assert.deepEqual(
    names.filter((name) => !(name in everything)),
    ['top_p'],
  )
  const body = await sent('messages', asked)
  assert.deepEqual(
    names.filter((name) => name in body),
    [],
  )
  const share = await sent('messages', { ...asked, model: 'no-temperature' })
  assert.deepEqual([share.temperature, share.top_p], [undefined, 0.9])
})

test('a server is told which tools are to be streamed as they are written', async () => {
  const eager = async (dialect: DialectName, fields: object): Promise<unknown> =>
    dig(await sent(dialect, fields), 'tools.0.eager_input_streaming')
  const tool = { name: 'f', input_schema: {} }
  const tools = [{ ...tool, eager_input_streaming: true }]
  assert.equal(await eager('messages', { tools }), true)
  assert.equal(await eager('messages', { tools: [tool] }), undefined)
  assert.equal(await eager('messages', { tools, model: 'leaves-out' }), undefined)
  assert.equal(
    await eager('chat', { tools: [{ type: 'function', function: { name: 'f' } }] }),
    true,
  )
})

test('a model that has to call a tool does not think before it', async () => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  for (const tool_choice of ['required', { type: 'function', function: { name: 'f' } }]) {
    const body = await sent('chat', { model: 'thinks', tools, tool_choice, temperature: 0 })
    assert.deepEqual(body.thinking, { type: 'disabled' })
    assert.equal(body.temperature, 0)
  }
  const free = await sent('chat', { model: 'thinks', tools, tool_choice: 'auto' })
  assert.equal(dig(free.thinking, 'type'), 'adaptive')
})

for (const dialect of dialects) {
  test(`${dialect}: texts and turns without a word are left out, and what they parted is one turn`, async () => {
    const { messages } = await sent(dialect, {
      messages: [
        user([text('One'), text('')]),
        assistant(''),
        user('Two'),
        assistant('Three'),
        user([text(''), text('Four')]),
      ],
    })
    assert.deepEqual(messages, [
      user([text('One'), text('Two')]),
      assistant([text('Three')]),
      user([text('Four')]),
    ])
  })

  test(`${dialect}: a temperature beyond the scale is its end`, async () => {
    for (const [asked, told] of [
      [0, 0],
      [0.7, 0.7],
      [1, 1],
      [1.6, 1],
    ]) {
      assert.equal((await sent(dialect, { temperature: asked })).temperature, told)
    }
    assert.equal('temperature' in (await sent(dialect, {})), false)
  })
}

test('an empty system prompt is none', async () => {
  assert.equal('system' in (await sent('messages', { system: '' })), false)
  const system = { role: 'system', content: '' }
  assert.equal('system' in (await sent('chat', { messages: [system, user('Hi')] })), false)
})

test('a tool that returned nothing is answered with nothing', async () => {
  const { messages } = await sent('messages', {
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    messages: [
      user('Hi'),
      assistant([{ type: 'tool_use', id: 't1', name: 'f', input: {} }]),
      user([{ type: 'tool_result', tool_use_id: 't1', content: [text('')] }]),
    ],
  })
  assert.deepEqual(dig(messages, '2.content.0.content'), [])
})

test('no limit on the tokens to pick from is left out', async () => {
  assert.equal('top_k' in (await sent('chat', { top_k: -1 })), false)
  assert.equal((await sent('chat', { top_k: 5 })).top_k, 5)
})
