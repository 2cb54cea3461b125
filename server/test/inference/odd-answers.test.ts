// Answers of an upstream that are well-formed HTTP and JSON, and still not what the dialect says: what can be understood is,
// and nothing is billed with a part of it lost.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { ChunkReader } from '#server/engine/openai-compatible/read-chunks.ts'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dig, paths, readEvents, textAt } from '#test/support/chaos-hone.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const hello = { role: 'assistant', content: 'Hello' }

let upstream: Server
let hone: TestHone
/** What each model answers: the object whole, or the list as a stream. */
const says: Record<string, object> = { one: {}, spare: whole(hello) }
/** In a stream: what follows comes later, so that what came before has reached the client. */
const pause = {}

before(async () => {
  upstream = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { model } = JSON.parse(Buffer.concat(pieces).toString()) as { model: string }
      const said = says[model]
      const streams = Array.isArray(said)
      response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json')
      if (!streams) return void response.end(JSON.stringify(said))
      const at = said.indexOf(pause)
      const records = said.map((one) => `data: ${JSON.stringify(one)}\n\n`)
      const rest = `${records.slice(at + 1).join('')}data: [DONE]\n\n`
      if (at === -1) return void response.end(rest)
      response.write(records.slice(0, at).join(''))
      setTimeout(() => response.end(rest), 20)
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const route = {
    engine: 'openai-compatible',
    base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
    pricing: { input: 1, output: 2 },
  }
  const model = { context_window: 8192, max_output_tokens: 900, supports_tools: true }
  const spare = { ...route, model: 'spare', weight: 0.000001 }
  hone = await testHone({
    catalog: {
      models: [
        { id: 'one', ...model, routes: [route] },
        { id: 'two', ...model, routes: [{ ...route, model: 'one', weight: 1000 }, spare] },
      ],
    },
  })
})
after(async () => {
  await hone.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})
beforeEach(() => {
  hone.app.answerPorts.health = new RouteHealth()
})

function whole(message: unknown, choice: object = {}): object {
  return { choices: [{ index: 0, message, finish_reason: 'stop', ...choice }], usage }
}

function chunk(delta: unknown, end: object = {}): object {
  return { choices: [{ index: 0, delta, finish_reason: null, ...end }] }
}

const stop = { ...chunk({}, { finish_reason: 'stop' }), usage }

function calls(...list: object[]): object {
  return whole({ role: 'assistant', content: null, tool_calls: list })
}

async function ask(
  said: object,
  dialect: 'chat' | 'messages' = 'chat',
  model = 'one',
  fields: object = {},
) {
  says.one = said
  const before = await balance()
  const answer = await hone.call('POST', paths[dialect], {
    bearer: hone.owner.key,
    body: {
      model,
      max_tokens: 100,
      stream: Array.isArray(said),
      messages: [{ role: 'user', content: 'Hi' }],
      ...fields,
    },
  })
  await hone.quiet()
  return { answer, microdollars: Math.round((before - (await balance())) * 1e6) }
}

async function balance(): Promise<number> {
  const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  return Number((json as { balance_usd?: string }).balance_usd)
}

function toolCalls({ json }: Answer): unknown {
  return dig(json, 'choices.0.message.tool_calls')
}

/** The texts at a path of every event, one behind the other. */
function words({ text }: Answer, path: string): string {
  return readEvents(text)
    .map((event) => textAt(event, path))
    .join('')
}

/** The arguments of each tool_use block of a stream. */
function inputs({ text }: Answer): string[] {
  const found: string[] = []
  for (const { data } of readEvents(text)) {
    if (dig(data, 'content_block.type') === 'tool_use') found.push('')
    const json = textAt(data, 'delta.partial_json')
    if (json !== '') found.push(`${found.pop() ?? ''}${json}`)
  }
  return found
}

/** The same of a chat stream, by the index of each call. */
function streamedCalls({ text }: Answer): string[] {
  const found: string[] = []
  for (const { data } of readEvents(text)) {
    const call = dig(data, 'choices.0.delta.tool_calls.0')
    const index = dig(call, 'index')
    if (typeof index !== 'number') continue
    found[index] = `${found[index] ?? ''}${textAt(call, 'function.arguments')}`
  }
  return found
}

test('arguments that come as an object are the text they stand for', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: { city: 'Oslo' } } }
  const { answer, microdollars } = await ask(calls(call))
  assert.equal(dig(toolCalls(answer), '0.function.arguments'), '{"city":"Oslo"}')
  assert.equal(microdollars, 13)
  const inMessages = await ask(calls(call), 'messages')
  assert.deepEqual(dig(inMessages.answer.json, 'content.0.input'), { city: 'Oslo' })
  const streamed = await ask([chunk({ tool_calls: [{ index: 0, ...call }] }), stop])
  assert.match(streamed.answer.text, /"arguments":"\{\\"city\\":\\"Oslo\\"\}"/)
})

test('the calls of a whole answer stay apart, whatever index they carry', async () => {
  const call = (id: string, name: string) => ({
    id,
    index: 0,
    type: 'function',
    function: { name, arguments: '{}' },
  })
  const { answer } = await ask(calls(call('a', 'f'), call('b', 'g')))
  assert.deepEqual(toolCalls(answer), [
    { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
    { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
  ])
})

const toolCall = (json: string): object => ({
  id: 'a',
  type: 'function',
  function: { name: 'f', arguments: json },
})

/** One call as a stream, its arguments in two pieces. */
function callInPieces(json: string, end: object): object[] {
  const halves = [json.slice(0, 1), json.slice(1)].map((half) =>
    chunk({ tool_calls: [{ index: 0, function: { arguments: half } }] }),
  )
  return [chunk({ tool_calls: [{ index: 0, ...toolCall('') }] }), ...halves, end]
}

const calledTools = { ...chunk({}, { finish_reason: 'tool_calls' }), usage }
const wasCut = { ...chunk({}, { finish_reason: 'length' }), usage }

for (const json of ['[1]', '3', '"x"', 'null', ' [1]', 'city=Oslo', '{"city', '{"a":1}]']) {
  test(`an answer whose tool is called with ${json} fails in the messages dialect, unbilled`, async () => {
    const whole = await ask(calls(toolCall(json)), 'messages')
    assert.equal(whole.answer.status, 502)
    assert.equal(dig(whole.answer.json, 'error.type'), 'api_error')
    assert.match(whole.answer.text, /arguments that are not a JSON object/)
    assert.equal(whole.microdollars, 0)
    for (const eager of [true, false]) {
      const tools = [{ name: 'f', input_schema: {}, eager_input_streaming: eager }]
      const said = [chunk({ content: 'Now' }), pause, ...callInPieces(json, calledTools)]
      const { answer, microdollars } = await ask(said, 'messages', 'one', { tools })
      assert.equal(answer.status, 200)
      const last = readEvents(answer.text).at(-1)
      assert.equal(last?.event, 'error')
      assert.equal(dig(last.data, 'error.type'), 'api_error')
      assert.doesNotMatch(answer.text, /message_delta|"content_block_stop","index":1/)
      assert.equal(microdollars, 0)
    }
  })
}

test('arguments that are no object are some text as it came in the chat dialect', async () => {
  for (const json of ['[1]', 'city=Oslo', '{"city', ' ']) {
    const whole = await ask(calls(toolCall(json)))
    const shown = json.trim() === '' ? '{}' : json
    assert.equal(dig(toolCalls(whole.answer), '0.function.arguments'), shown)
    const streamed = await ask(callInPieces(json, calledTools))
    assert.equal(streamedCalls(streamed.answer).join('').trim(), shown.trim())
    assert.deepEqual([whole.microdollars, streamed.microdollars], [13, 13])
  }
})

test('a call without arguments, or cut by max_tokens, has an object in the messages dialect', async () => {
  const cut = { finish_reason: 'length' }
  for (const [json, end] of [
    ['', {}],
    ['{"city', cut],
    ['[1', cut],
  ] as const) {
    const message = { role: 'assistant', content: null, tool_calls: [toolCall(json)] }
    const { answer, microdollars } = await ask(whole(message, end), 'messages')
    const content = dig(answer.json, 'content')
    assert.deepEqual(content, [{ type: 'tool_use', id: 'a', name: 'f', input: {} }])
    assert.equal(microdollars, 13)
    const said = callInPieces(json, json === '' ? calledTools : wasCut)
    const streamed = await ask(said, 'messages')
    assert.equal(inputs(streamed.answer).join().trim(), '')
    assert.equal(streamed.microdollars, 13)
    // And it can be passed back.
    const messages = [{ role: 'assistant', content }]
    assert.equal((await ask(whole(hello), 'messages', 'one', { messages })).answer.status, 200)
  }
})

function fragment(index: number | undefined, json: string, head: object = {}): object {
  return chunk({ tool_calls: [{ index, ...head, function: { ...head, arguments: json } }] })
}

const named = (id: string, name: string, json: string, index: number | null = 0): object =>
  fragment(index ?? undefined, json, { id, name })

const begins = (index: number, json: string): object =>
  fragment(index, json, { id: `call_${index}`, name: `f${index}` })

const byTurns: Record<string, { said: object[]; inputs: string[]; text: string }> = {
  'fragments of two calls by turns': {
    said: [
      begins(0, ''),
      begins(1, '{"b"'),
      fragment(0, '{"a":'),
      fragment(1, ':2}'),
      fragment(0, '1}'),
    ],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'a fragment of the first call behind the second': {
    said: [begins(0, '{"a":'), begins(1, '{"b":2}'), fragment(0, '1}'), begins(2, '{}')],
    inputs: ['{"a":1}', '{"b":2}', '{}'],
    text: '',
  },
  'white space for a call that is whole': {
    said: [begins(0, '{"a":1}'), begins(1, '{"b":'), fragment(0, '\n'), fragment(1, '2}')],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'two ids by turns under one index': {
    said: [
      named('a', 'f0', '{"a"'),
      named('b', 'f1', '{"b"'),
      fragment(0, ':1', { id: 'a' }),
      fragment(0, ':2', { id: 'b' }),
      fragment(0, '}', { id: 'a' }),
      fragment(0, '}', { id: 'b' }),
    ],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'two ids by turns under one index, each with its name every time': {
    said: [
      named('a', 'f0', '{"a"'),
      named('b', 'f1', '{"b"'),
      named('a', 'f0', ':1}'),
      named('b', 'f1', ':2}'),
      named('a', 'f0', ''),
    ],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'whole calls of two ids under one index': {
    said: [named('a', 'f0', '{"a":1}'), named('b', 'f1', '{"b":2}'), named('c', 'f2', '{}')],
    inputs: ['{"a":1}', '{"b":2}', '{}'],
    text: '',
  },
  'two ids by turns without an index': {
    said: [
      named('a', 'f0', '{"a":', null),
      named('b', 'f1', '{"b":', null),
      fragment(undefined, '1}', { id: 'a' }),
      named('b', 'f1', '2}', null),
    ],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'one id for two calls, each under an index of its own': {
    said: [named('a', 'f0', '{"a":', 0), named('a', 'f1', '{"b":2}', 1), fragment(0, '1}')],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'one id for two calls, each with its id every time': {
    said: [
      named('a', 'f0', '{"a":', 0),
      named('a', 'f1', '{"b":', 1),
      fragment(0, '1}', { id: 'a' }),
      fragment(1, '2}', { id: 'a' }),
    ],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'one id and one index for two calls': {
    said: [named('a', 'f0', '{"a":1}'), named('a', 'f0', '{"b":'), named('a', 'f0', '2}')],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'calls that are said again once they are whole': {
    said: [
      named('a', 'f0', '{"a":'),
      fragment(0, '1}'),
      named('b', 'f1', '{"b":2}', 1),
      named('a', 'f0', '{"a":1}'),
      named('b', 'f1', '{"b":2}', 1),
    ],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'a call that is said again without an index': {
    said: [
      named('a', 'f0', '{"a":', null),
      named('a', 'f0', '1}', null),
      named('a', 'f0', '{"a":1}', null),
    ],
    inputs: ['{"a":1}'],
    text: '',
  },
  'an id made up for every fragment': {
    said: [
      named('a', 'f0', '{"a"'),
      fragment(0, ':1', { id: 'x' }),
      fragment(0, '}', { id: 'y', name: '' }),
      named('b', 'f1', '{"b":2', 1),
      fragment(1, '}', { id: 'z' }),
    ],
    inputs: ['{"a":1}', '{"b":2}'],
    text: '',
  },
  'words between the fragments of a call': {
    said: [
      chunk({ content: 'Well' }),
      chunk({ content: ', ' }),
      begins(0, '{"a":'),
      chunk({ content: 'oops' }),
      fragment(0, '1'),
      chunk({ content: '!' }),
      fragment(0, '}'),
    ],
    inputs: ['{"a":1}'],
    text: 'Well, oops!',
  },
  'a thought between the fragments of a call': {
    said: [begins(0, '{"a":'), chunk({ reasoning: 'Hm' }), fragment(0, '1}')],
    inputs: ['{"a":1}'],
    text: '',
  },
}
for (const [what, expected] of Object.entries(byTurns)) {
  test(`${what}: nothing is lost, whole or streamed`, async () => {
    const said = [...expected.said, stop]
    for (const eager of [true, false]) {
      const tools = ['f0', 'f1', 'f2'].map((name) => ({
        name,
        input_schema: {},
        eager_input_streaming: eager,
      }))
      const streamed = await ask(said, 'messages', 'one', { tools })
      assert.deepEqual(inputs(streamed.answer), expected.inputs)
      assert.equal(words(streamed.answer, 'data.delta.text'), expected.text)
      assert.equal(streamed.microdollars, 13)
    }
    const inChat = await ask(said)
    assert.deepEqual(streamedCalls(inChat.answer), expected.inputs)
    assert.equal(words(inChat.answer, 'data.choices.0.delta.content'), expected.text)
    const whole = await ask(said, 'messages', 'one', { stream: false })
    const content = dig(whole.answer.json, 'content') as { type: string; input?: unknown }[]
    assert.deepEqual(
      content.flatMap(({ type, input }) => (type === 'tool_use' ? [JSON.stringify(input)] : [])),
      expected.inputs,
    )
  })
}

test('more for a call that is whole and was followed by another is an error that costs nothing', async () => {
  const said = [begins(0, '{"a":1}'), begins(1, '{}'), fragment(0, '2}'), stop]
  const { answer, microdollars } = await ask(said, 'chat', 'one', { stream: false })
  assert.equal(answer.status, 502)
  assert.equal(microdollars, 0)
})

test('clients of the chat dialect can parse the arguments of a call that has none', async () => {
  const cut = { ...chunk({}, { finish_reason: 'length' }), usage }
  for (const [end, expected] of [
    [stop, '{}'],
    [cut, ''],
  ] as const) {
    const said = [begins(0, ''), begins(1, '{"b":2}'), fragment(0, ''), end]
    const streamed = await ask(said)
    assert.deepEqual(streamedCalls(streamed.answer), [expected, '{"b":2}'])
    const { answer } = await ask(said, 'chat', 'one', { stream: false })
    assert.equal(dig(toolCalls(answer), '0.function.arguments'), expected)
    assert.equal(dig(toolCalls(answer), '1.function.arguments'), '{"b":2}')
  }
})

const ends: Record<string, string> = {
  stop: 'stop',
  length: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  // There is no call to wait for.
  tool_calls: 'stop',
  eos: 'stop',
}
for (const [told, finish_reason] of Object.entries(ends)) {
  test(`an answer that ended in ${told} has ended in ${finish_reason}`, async () => {
    const { answer } = await ask(whole(hello, { finish_reason: told }))
    assert.equal(dig(answer.json, 'choices.0.finish_reason'), finish_reason)
    const streamed = await ask([chunk(hello), { ...chunk({}, { finish_reason: told }), usage }])
    assert.match(streamed.answer.text, new RegExp(`"finish_reason":"${finish_reason}"`))
  })
}

test('the second call goes on as it comes once the first is whole', () => {
  const reader = new ChunkReader()
  const parts: StreamPart[] = []
  for (const said of [begins(0, '{"a":'), fragment(0, '1}'), begins(1, '{"b"')]) {
    reader.record(JSON.stringify(said), parts)
  }
  assert.deepEqual(parts.at(-1), { type: 'tool-call-delta', index: 1, json: '{"b"' })
})

test('a thought is found under either name, and a refusal is the words of the answer', async () => {
  const thought = { ...hello, reasoning_content: '', reasoning: 'R' }
  const { answer } = await ask(whole(thought))
  assert.equal(dig(answer.json, 'choices.0.message.reasoning_content'), 'R')
  const streamed = await ask([chunk({ reasoning_content: '', reasoning: 'R' }), stop])
  assert.equal(words(streamed.answer, 'data.choices.0.delta.reasoning_content'), 'R')
  for (const dialect of ['chat', 'messages'] as const) {
    const refused = await ask(
      whole({ role: 'assistant', content: null, refusal: 'I will not.' }),
      dialect,
    )
    assert.match(refused.answer.text, /"(content|text)":"I will not\."/)
  }
  // Alike but for what they refuse, so that a reader which knows the first might skip through the others.
  const deltas = ['I', ' will', ' not.'].map((refusal) => chunk({ content: '', refusal }))
  const mixed = ['a', 'b', 'c'].map((content) => chunk({ content, refusal: '.' }))
  const inStream = await ask([...deltas, ...mixed, stop])
  assert.equal(words(inStream.answer, 'data.choices.0.delta.content'), 'I will not.a.b.c.')
})

const namedCall = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }

test('a model that thinks again between its words loses none of it, in the order in which it came', async () => {
  const deltas = [{ reasoning: 'A' }, { content: 'b' }, { reasoning: 'C' }, { content: 'd' }]
  const said = [...deltas.map((delta) => chunk(delta)), stop]
  const chat = await ask(said)
  assert.deepEqual(
    readEvents(chat.answer.text).flatMap(({ data }) => {
      const delta = dig(data, 'choices.0.delta')
      return textAt(delta, 'reasoning_content') || textAt(delta, 'content') || []
    }),
    ['A', 'b', 'C', 'd'],
  )
  const { answer } = await ask(said, 'messages')
  assert.deepEqual(
    readEvents(answer.text).flatMap(({ data }) => dig(data, 'content_block.type') ?? []),
    ['thinking', 'text', 'thinking', 'text'],
  )
})

test('calls of a whole answer without ids get one each, by which results can be sent back', async () => {
  const unnamed = { type: 'function', function: { name: 'f', arguments: '{}' } }
  const said = calls(unnamed, { ...unnamed, id: '' }, { ...unnamed, id: null })
  for (const dialect of ['chat', 'messages'] as const) {
    const { answer } = await ask(said, dialect)
    const at = dialect === 'chat' ? 'choices.0.message.tool_calls' : 'content'
    const ids = [0, 1, 2].map((index) => textAt(answer.json, `${at}.${index}.id`))
    assert.equal(new Set(ids).size, 3, answer.text)
    for (const id of ids) assert.match(id, /^call_\w+$/)
  }
})

test('no two calls of a conversation have one id, so that each result finds its call', async () => {
  const call = (name: string): object => ({ ...namedCall, function: { name, arguments: '{}' } })
  const streamed = [named('a', 'f', '{}', 0), named('a', 'g', '{}', 1), stop]
  for (const dialect of ['chat', 'messages'] as const) {
    const at = dialect === 'chat' ? 'choices.0.message.tool_calls' : 'content'
    for (const [said, fields] of [
      [calls(call('f'), call('g')), {}],
      [streamed, { stream: false }],
    ] as const) {
      const { answer } = await ask(said, dialect, 'one', fields)
      const ids = [0, 1].map((index) => textAt(answer.json, `${at}.${index}.id`))
      assert.equal(ids[0], 'a')
      assert.match(ids[1] ?? '', /^call_\w+$/)
    }
  }
})

test('an id that a call of an earlier turn has is not given again', async () => {
  const earlier = {
    chat: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [namedCall] },
      { role: 'tool', tool_call_id: 'a', content: 'Yes' },
    ],
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Yes' }] },
    ],
  }
  for (const dialect of ['chat', 'messages'] as const) {
    const at = dialect === 'chat' ? 'choices.0.message.tool_calls' : 'content'
    const said = calls(namedCall, { ...namedCall, id: 'b' })
    const { answer } = await ask(said, dialect, 'one', { messages: earlier[dialect] })
    const ids = [0, 1].map((index) => textAt(answer.json, `${at}.${index}.id`))
    assert.match(ids[0] ?? '', /^call_\w+$/)
    assert.equal(ids[1], 'b')
  }
})

const lost: Record<string, object> = {
  'no message': { choices: [{ index: 0, finish_reason: 'stop' }], usage },
  'a message that is none': whole(null),
  'a list with a part that nobody knows': whole({ content: [{ type: 'audio', data: 'Hello' }] }),
  'a list with a text that is none': whole({ content: [{ type: 'text', text: 5 }] }),
  'arguments that are a number': calls({ ...namedCall, function: { name: 'f', arguments: 5 } }),
  'a second call without a name': calls(namedCall, { id: 'b', function: { arguments: '{}' } }),
  'an answer given up with an error': whole(hello, { finish_reason: 'error' }),
  'an answer given up by an abort': whole(hello, { finish_reason: 'abort' }),
  'no count of tokens': { choices: [{ index: 0, message: hello, finish_reason: 'stop' }] },
  'no end': whole(hello, { finish_reason: null }),
}
for (const [what, said] of Object.entries(lost)) {
  test(`${what}: an error that costs nothing, and another route is asked where there is one`, async () => {
    for (const dialect of ['chat', 'messages'] as const) {
      const alone = await ask(said, dialect)
      assert.equal(alone.answer.status, 503)
      assert.equal(alone.microdollars, 0)
      const { answer, microdollars } = await ask(said, dialect, 'two')
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /Hello/)
      assert.equal(microdollars, 13)
    }
  })
}

test('a call without a name, which a caller can make a model write, keeps nobody else from the route', async () => {
  hone.app.answerPorts.health = new RouteHealth()
  const nameless = { ...namedCall, function: { name: '', arguments: '{}' } }
  for (let i = 0; i < 4; i++) {
    assert.match((await ask(calls(nameless))).answer.text, /without a name/)
    assert.match((await ask([chunk({ tool_calls: [nameless] })])).answer.text, /without a name/)
  }
  assert.equal((await ask(whole(hello))).answer.status, 200)
})

test('a stream that its server gave up ends in an error and costs nothing', async () => {
  const given = ['error', 'abort', 'network_error', 'insufficient_system_resource']
  for (const finish_reason of given) {
    hone.app.answerPorts.health = new RouteHealth()
    const end = { ...chunk({}, { finish_reason }), usage }
    const { answer, microdollars } = await ask([chunk(hello), end])
    assert.equal(answer.status, 200)
    assert.match(answer.text, /Hello/)
    assert.match(answer.text, /"error":\{"message":"The model server failed/)
    assert.doesNotMatch(answer.text, /\[DONE\]/)
    assert.equal(microdollars, 0)
  }
})

test('M7: more output than was asked for is shown and billed as what was asked for', async () => {
  const answer = { ...whole(hello), usage: { ...usage, completion_tokens: 8000 } }
  const asked = await ask(answer)
  assert.equal(dig(asked.answer.json, 'usage.completion_tokens'), 100)
  assert.equal(asked.microdollars, 7 + 100 * 2)
})
