// Rows from before there were tools, system prompts beside the messages, and the names that JSON lines go by. What is
// imported reads back as it would be sent now.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Trace } from '#contract/sample.ts'
import { imported, postImport, served } from '#test/support/imports.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone()
})
after(() => hone.stop())

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const calls = (name: string, args = '{}') => ({
  role: 'assistant',
  content: null,
  function_call: { name, arguments: args },
})
const returns = (name: string, content: string) => ({ role: 'function', name, content })

async function traceOf(row: object): Promise<Trace> {
  const result = await imported(hone, { rows: [row] })
  assert.equal(result.imported, 1, JSON.stringify(result.refused_why))
  const path = `/api/loop/traces/${result.trace_ids[0]}`
  const answer = await hone.call('GET', path, { key: hone.owner.key })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

const toolCall = (id: string, name: string, args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const madeCall = (id: string, name: string, args = '{}') => ({
  role: 'assistant',
  content: null,
  tool_calls: [toolCall(id, name, args)],
})
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })

const weather = { name: 'weather', description: 'Of a town', parameters: { type: 'object' } }

describe('functions', () => {
  test('become tools, their calls get ids, and their results the same ones', async () => {
    const trace = await traceOf({
      functions: [weather],
      messages: [
        user('Rain in Bonn?'),
        calls('weather', '{"town":"Bonn"}'),
        returns('weather', 'rain'),
        calls('weather', '{"town":"Ulm"}'),
        returns('weather', 'sun'),
        assistant('In Bonn it rains.'),
      ],
    })
    assert.deepEqual(trace.tools, [{ type: 'function', function: weather }])
    assert.deepEqual(trace.messages, [
      user('Rain in Bonn?'),
      madeCall('function_call_1', 'weather', '{"town":"Bonn"}'),
      result('function_call_1', 'rain'),
      madeCall('function_call_2', 'weather', '{"town":"Ulm"}'),
      result('function_call_2', 'sun'),
    ])
    assert.deepEqual(trace.answer, assistant('In Bonn it rains.'))
  })

  test('that are called in the answer are kept in it', async () => {
    const { function_call } = calls('weather', '{"town":"Ulm"}')
    const spoken = { role: 'assistant', content: 'I look.', function_call }
    const trace = await traceOf({ messages: [user('Sun?'), spoken], functions: [], tools: [] })
    const answer = {
      ...madeCall('function_call_1', 'weather', '{"town":"Ulm"}'),
      content: 'I look.',
    }
    assert.deepEqual(trace.answer, answer)
  })

  test('match the call of their name, and calls that have ids keep them', async () => {
    const parallel = {
      role: 'assistant',
      content: null,
      tool_calls: [toolCall('function_call_1', 'one'), toolCall('b', 'two')],
    }
    const trace = await traceOf({
      messages: [
        user('Go'),
        parallel,
        returns('two', '2'),
        result('function_call_1', '1'),
        calls('one'),
        { role: 'function', content: 'again' },
        assistant('Done'),
      ],
    })
    assert.deepEqual(trace.messages, [
      user('Go'),
      parallel,
      result('b', '2'),
      result('function_call_1', '1'),
      madeCall('function_call_2', 'one'),
      result('function_call_2', 'again'),
    ])
  })

  test('may be called as tools without ids, with arguments that are no text', async () => {
    const call = (name: string, args: object) => ({
      type: 'function',
      function: { name, arguments: args },
    })
    const tool_calls = [call('one', { a: [1, 'x'] }), call('two', {})]
    const trace = await traceOf({
      messages: [
        user('Go'),
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', name: 'two', content: '2' },
        { role: 'tool', content: '1' },
        { role: 'assistant', content: null, function_call: { name: 'one', arguments: { a: 1 } } },
      ],
    })
    const made = [
      toolCall('function_call_1', 'one', '{"a":[1,"x"]}'),
      toolCall('function_call_2', 'two', '{}'),
    ]
    assert.deepEqual(trace.messages, [
      user('Go'),
      { role: 'assistant', content: null, tool_calls: made },
      result('function_call_2', '2'),
      result('function_call_1', '1'),
    ])
    assert.deepEqual(trace.answer, madeCall('function_call_3', 'one', '{"a":1}'))
  })

  for (const [what, call] of [
    ['an id', { type: 'function', function: { name: 'one', arguments: '{"a":1}' } }],
    [
      'a text of arguments',
      { ...toolCall('x', 'one'), function: { name: 'one', arguments: { a: 1 } } },
    ],
  ] as const) {
    test(`may be called as tools without ${what} and without a result`, async () => {
      const trace = await traceOf({
        messages: [user('Go'), { role: 'assistant', content: null, tool_calls: [call] }],
      })
      const id = 'id' in call ? call.id : 'function_call_1'
      assert.deepEqual(trace.answer, madeCall(id, 'one', '{"a":1}'))
    })
  }

  test('may be called as tools of which some have ids', async () => {
    const call = { type: 'function', function: { name: 'two', arguments: '{}' } }
    const tool_calls = [toolCall('x', 'one'), call]
    const trace = await traceOf({ messages: [user('Go'), { role: 'assistant', tool_calls }] })
    const made = [toolCall('x', 'one'), toolCall('function_call_1', 'two')]
    assert.deepEqual(trace.answer, { role: 'assistant', content: null, tool_calls: made })
  })

  test('of one name have their results in the order of their calls', async () => {
    const call = (town: string) => ({ function: { name: 'weather', arguments: town } })
    const trace = await traceOf({
      messages: [
        user('Go'),
        { role: 'assistant', content: null, tool_calls: [call('"Bonn"'), call('"Ulm"')] },
        { role: 'tool', name: 'weather', content: 'rain' },
        { role: 'tool', name: 'weather', content: 'sun' },
        assistant('Done'),
      ],
    })
    assert.deepEqual(trace.messages.slice(2), [
      result('function_call_1', 'rain'),
      result('function_call_2', 'sun'),
    ])
  })

  test('may stand beside an empty list of tools, and tools beside an empty list of them', async () => {
    const tools = [{ type: 'function', function: weather }]
    for (const given of [
      { functions: [weather], tools: [] },
      { functions: [], tools },
    ]) {
      const trace = await traceOf({ messages: [user('Hi'), assistant('Ho')], ...given })
      assert.deepEqual(trace.tools, tools)
    }
  })

  test('are called in a completion that is one message', async () => {
    const trace = await traceOf({ prompt: 'Go', completion: calls('one') })
    assert.deepEqual(trace.answer, madeCall('function_call_1', 'one'))
  })

  test('in a prompt that begins with the assistant are not counted twice', async () => {
    const prompt = [assistant('Hello'), user('Go'), calls('one'), returns('one', '1'), user('So?')]
    for (const completion of [[calls('two')], [...prompt, calls('two')]]) {
      const trace = await traceOf({ prompt, completion })
      assert.equal(trace.messages.length, prompt.length)
      assert.deepEqual(trace.answer, madeCall('function_call_2', 'two'))
    }
  })

  test('in a prompt and in its answer are counted on, whether the answer repeats the prompt or not', async () => {
    const prompt = [user('Go'), calls('one'), returns('one', '1'), user('And then?')]
    const reply = [calls('two'), returns('two', '2'), assistant('That')]
    const messages = [
      user('Go'),
      madeCall('function_call_1', 'one'),
      result('function_call_1', '1'),
      user('And then?'),
      madeCall('function_call_2', 'two'),
      result('function_call_2', '2'),
    ]
    for (const completion of [reply, [...prompt, ...reply]]) {
      const trace = await traceOf({ prompt, completion })
      assert.deepEqual([trace.messages, trace.answer], [messages, assistant('That')])
    }
    for (const completion of [reply, [...prompt, ...reply]]) {
      const trace = await traceOf({ messages: prompt, completion })
      assert.deepEqual([trace.messages, trace.answer], [messages, assistant('That')])
    }
    const chosen = [...prompt, assistant('Right')]
    const trace = await traceOf({ prompt, chosen, rejected: reply })
    assert.deepEqual([trace.messages, trace.correction], [messages, 'Right'])
  })
})

describe('a system prompt beside the conversation', () => {
  const rules = 'Be brief.'
  for (const [name, row] of [
    ['as a text, beside messages', { system: rules, messages: [user('Hi'), assistant('Ho')] }],
    [
      'as blocks, with a mark',
      {
        system: [{ type: 'text', text: rules, cache_control: { type: 'ephemeral' } }],
        messages: [user('Hi'), assistant('Ho')],
      },
    ],
    ['beside a prompt', { system: rules, prompt: 'Hi', completion: 'Ho' }],
  ] as const) {
    test(`${name} stands in front of it`, async () => {
      const trace = await traceOf(row)
      assert.deepEqual(trace.messages, [{ role: 'system', content: rules }, user('Hi')])
    })
  }

  test('comes before what the conversation begins with, and may be nothing', async () => {
    const own = { role: 'system', content: 'Be kind.' }
    const turns = { messages: [own, user('Hi'), assistant('Ho')] }
    const [system] = (await traceOf({ system: rules, ...turns })).messages
    assert.deepEqual(system?.content, [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.' },
    ])
    for (const nothing of ['', [], null]) {
      const trace = await traceOf({ system: nothing, ...turns })
      assert.deepEqual(trace.messages, [own, user('Hi')])
    }
  })
})

const turns = [user('Hi'), assistant('Ho')]
const refusals: [row: object, why: string][] = [
  [{ messages: turns, functions: {} }, 'functions must be a list.'],
  [{ messages: turns, functions: ['x'] }, 'functions[0] must be an object.'],
  [
    { messages: turns, functions: [weather, { name: 'no name' }] },
    'functions[1].name must be 1 to 128 letters, digits, underscores, dots, colons or dashes.',
  ],
  [{ messages: turns, functions: [weather, weather] }, 'functions names a tool twice.'],
  [
    { messages: turns, functions: [weather], tools: [{ type: 'function', function: weather }] },
    'The row has both tools and functions; send one of them.',
  ],
  [
    { messages: [user('Hi'), { role: 'assistant', function_call: { name: 'a', arguments: 7 } }] },
    'messages[1].function_call must have a name and arguments.',
  ],
  [
    { messages: [user('Hi'), { role: 'assistant', function_call: 'auto' }] },
    'messages[1].function_call must have a name and arguments.',
  ],
  [
    { messages: [user('Hi'), { role: 'assistant', function_call: { arguments: '{}' } }] },
    'messages[1].function_call must have a name and arguments.',
  ],
  [{ messages: [user('Hi'), null] }, 'messages[1] must be an object.'],
  [{ messages: [user('Hi'), calls('a'), null] }, 'messages[2] must be an object.'],
  ...[null, { id: 'x', function: 7 }].flatMap((call): [row: object, why: string][] =>
    [[call], [call, { function: { name: 'a', arguments: '{}' } }]].map((tool_calls) => [
      { messages: [user('Hi'), { role: 'assistant', tool_calls }] },
      'messages[1].tool_calls[0] must have an id and a function.',
    ]),
  ),
  [
    {
      messages: [
        user('Hi'),
        { ...madeCall('a', 'b'), function_call: { name: 'b', arguments: '' } },
      ],
    },
    'messages[1] has both tool_calls and function_call; send one of them.',
  ],
  [
    { messages: [user('Hi'), { role: 'tool', content: '1' }, assistant('Ho')] },
    'messages[1] is the result of a function that no message before it calls.',
  ],
  [
    { messages: [user('Hi'), { role: 'assistant', tool_calls: [{ id: 7, function: {} }] }] },
    'messages[1].tool_calls[0] must have an id and a function.',
  ],
  [
    { messages: [user('Hi'), calls('a'), returns('b', '1'), assistant('Ho')] },
    'messages[2] is the result of a function that no message before it calls.',
  ],
  [
    { messages: [user('Hi'), calls('a'), returns('a', '1'), returns('a', '2'), assistant('Ho')] },
    'messages[3] is the result of a function that no message before it calls.',
  ],
  [{ messages: turns, system: 7 }, 'system must be a string or a list of text blocks.'],
  [{ messages: turns, system: [{ type: 'image' }] }, 'system[0] must be a text block.'],
  [{ messages: turns, system: ['a'] }, 'system[0] must be a text block.'],
  [{ messages: turns, system: [null] }, 'system[0] must be a text block.'],
  [{ messages: turns, system: [{ type: 'text', text: 7 }] }, 'system[0] must be a text block.'],
  [{ messages: turns, system: [{ type: 'image', text: 'a' }] }, 'system[0] must be a text block.'],
]

test('a row that is wrong in an older shape is refused in its own words', async () => {
  const result = await imported(hone, { rows: refusals.map(([row]) => row) })
  const told = new Map(
    result.refused_why.flatMap(({ reason, rows }) => rows.map((row) => [row, reason])),
  )
  for (const [index, [row, why]] of refusals.entries()) {
    assert.equal(told.get(index + 1), why, JSON.stringify(row))
  }
})

test('a conversation that is posted may have the same shapes', async () => {
  const answer = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: {
      deployment_id: 'serverless',
      system: 'Be brief.',
      functions: [weather],
      messages: [user('Hi'), calls('weather'), returns('weather', 'sun'), assistant('Sun')],
    },
  })
  assert.equal(answer.status, 201, answer.text)
  const { trace } = answer.json as unknown as { trace: Trace }
  assert.deepEqual(trace.messages, [
    { role: 'system', content: 'Be brief.' },
    user('Hi'),
    madeCall('function_call_1', 'weather'),
    result('function_call_1', 'sun'),
  ])
  assert.equal(trace.tools.length, 1)
})

describe('a body of lines', () => {
  const raw = '{"prompt":"a","completion":"b"}\n{"prompt":"c"}\n'
  for (const type of [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonl',
    'application/x-jsonlines',
    'application/jsonlines',
    'application/json-lines',
    'text/x-ndjson',
    'text/jsonl',
    'Application/JSONL; charset=utf-8',
  ]) {
    test(`may be called ${type}`, async () => {
      const answer = await hone.call('POST', '/api/loop/import?source=lines', {
        key: hone.owner.key,
        headers: { 'content-type': type },
        raw,
      })
      assert.equal(served(answer).imported, 2)
    })
  }

  test('that is called JSON is read as JSON', async () => {
    const answer = await hone.call('POST', '/api/loop/import', {
      key: hone.owner.key,
      headers: { 'content-type': 'application/json' },
      raw,
    })
    assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
  })
})

describe('a list of rows as the whole body', () => {
  const send = (body: unknown, query = '?source=a+list') =>
    hone.call('POST', `/api/loop/import${query}`, { key: hone.owner.key, body })

  test('takes its settings from the query', async () => {
    const query = '?source=a+list&labels=x,y&default_feedback=good&import_id=list&row_ids=1,2'
    const rows = [{ prompt: 'a', completion: 'b' }, { prompt: 'c' }]
    const result = served(await send(rows, query))
    assert.deepEqual([result.import_id, result.imported, result.reviewed], ['list', 2, 1])
    assert.equal(served(await send(rows, query)).already_present, 2)
    const path = `/api/loop/traces/${result.trace_ids[0]}`
    const { json } = await hone.call('GET', path, { key: hone.owner.key })
    const { trace } = json as unknown as { trace: Trace }
    assert.deepEqual([trace.source, trace.tags], ['a list', ['x', 'y']])
  })

  test('goes into a pipeline without a source', async () => {
    const { rule_id } = await hone.pipeline('Listed')
    const path = `/api/loop/pipelines/${rule_id}/import`
    const answer = await hone.call('POST', path, { key: hone.owner.key, body: [{ prompt: 'a' }] })
    assert.equal(served(answer).imported, 1)
  })

  for (const [name, body, query, why] of [
    ['without a source', [{ prompt: 'a' }], '', /query field source/],
    ['of nothing', [], '?source=s', /The body holds no rows/],
    ['of too many rows', Array(5001).fill({ prompt: 'a' }), '?source=s', /rows/],
    ['that is an object, beside settings', { rows: [1], source: 's' }, '?source=s', /query/],
  ] as const) {
    test(`${name} is refused`, async () => {
      const answer = await send(body, query)
      assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
      assert.match(answer.json.error?.message ?? '', why)
    })
  }
})

test('what is right about an answer must be more than blanks', async () => {
  const rows = [
    { prompt: 'a', completion: 'b', correction: ' \n\t' },
    { prompt: 'a', ground_truth: '\u00a0' },
    { prompt: 'a', chosen: '  ', rejected: 'b' },
    { prompt: ' ', completion: 'b' },
    { prompt: 'a', completion: ' ' },
    { prompt: 'a', completion: 'b', correction: '\u200b\u2060\ufeff' },
  ]
  const answer = await postImport(hone, { rows })
  assert.deepEqual(served(answer).refused_why, [
    { reason: 'correction is empty.', rows: [1, 6] },
    { reason: 'ground_truth is empty.', rows: [2] },
    { reason: 'chosen is empty.', rows: [3] },
    { reason: 'prompt is empty.', rows: [4] },
  ])
})
