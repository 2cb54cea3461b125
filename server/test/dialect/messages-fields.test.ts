// Every field and shape of a messages-dialect request: honoured, accepted without effect, or refused by name. Most rows
// look at what an Anthropic-compatible upstream received, which shows the neutral request in the same words.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  imagesMax,
  messagesMax,
  partsMax,
  stopStringsMax,
  toolNameCharactersMax,
  toolsMax,
} from '#contract/limits.ts'
import { Refusal } from '#server/core/refusal.ts'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'
import { renderMessagesError } from '#server/dialect/messages/render-error.ts'
import { type ChaosHone, chaosHone, dig, type Json, leastBody } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone((upstream) => {
    const routes = [chaosRoute(upstream, 'anthropic', 'ok')]
    return [
      { id: 'blind', supports_vision: false, routes },
      { id: 'data-images', image_urls: 'refuse', routes },
      { id: 'toolless', supports_tools: false, routes },
      { id: 'thinker', reasoning: { efforts: ['low', 'medium', 'high'], default: 'high' }, routes },
    ]
  })
})
after(() => rig.stop())

const model = 'anthropic/ok'
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const closedSchema = { ...schema, additionalProperties: false }
const weather = { name: 'weather', description: 'The weather.', input_schema: schema }
const clock = { name: 'clock', description: '', input_schema: { type: 'object' } }
const tools = [weather, clock]
const pixel = 'iVBORw0KGgo='
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }

const text = (of: string): Json => ({ type: 'text', text: of })
const user = (content: unknown): Json => ({ messages: [{ role: 'user', content }] })
const assistant = (content: unknown): Json => ({
  messages: [
    { role: 'user', content: 'Q' },
    { role: 'assistant', content },
  ],
})

/** What is said of a body with these fields, which is refused before anything is asked or held. */
function refused(fields: object, param: string | null, message: RegExp): string {
  const error: unknown = JSON.parse(renderMessagesError(refusalOf(fields), 'r'))
  return assertRefused(error, param, message)
}

function refusalOf(fields: object): Refusal {
  try {
    parseMessagesBody(bodyWith(fields))
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.status, 400)
    return error
  }
  return assert.fail('it is taken')
}

function bodyWith(fields: object): Json {
  return JSON.parse(JSON.stringify({ model, ...leastBody, ...fields })) as Json
}

function assertRefused(json: unknown, param: string | null, message: RegExp): string {
  assert.equal(dig(json, 'type'), 'error')
  assert.equal(dig(json, 'error.type'), 'invalid_request_error')
  assert.equal(dig(json, 'error.param') ?? null, param)
  assert.match(String(dig(json, 'error.message')), message)
  return String(dig(json, 'error.message'))
}

async function refusedOverHttp(fields: object, param: string, message: RegExp): Promise<void> {
  const seen = rig.upstream.calls.length
  const answer = await rig.post('messages', { model, ...fields })
  assert.equal(answer.status, 400, answer.text)
  assert.equal(dig(answer.json, 'request_id'), answer.headers.get('request-id'))
  assertRefused(answer.json, param, message)
  assert.equal(rig.upstream.calls.length, seen, 'a refused request reached the upstream')
}

const effort = (fields: Json): Json => ({ model: 'thinker', ...fields })

const honoured: [what: string, fields: Json, path: string, expected: unknown][] = [
  ['max_tokens', { max_tokens: 33 }, 'max_tokens', 33],
  ['messages', user('Hello'), 'messages', [{ role: 'user', content: [text('Hello')] }]],
  ['system as a text', { system: 'S' }, 'system', [text('S')]],
  ['system as blocks', { system: [text('S'), text('T')] }, 'system', [text('S'), text('T')]],
  ['an empty system is none', { system: '' }, 'system', undefined],
  ['temperature', { temperature: 1 }, 'temperature', 1],
  ['top_p', { top_p: 0.9 }, 'top_p', 0.9],
  ['top_k', { top_k: 5 }, 'top_k', 5],
  ['top_p that is not set, in the number of some clients', { top_p: -1 }, 'top_p', undefined],
  ['top_k that is not set, in the number of some clients', { top_k: -1 }, 'top_k', undefined],
  ['stop_sequences', { stop_sequences: ['END'] }, 'stop_sequences', ['END']],
  ['tools', { tools }, 'tools', tools],
  ['a tool of type custom', { tools: [{ type: 'custom', ...weather }] }, 'tools', [weather]],
  ['a tool whose type is null', { tools: [{ type: null, ...weather }] }, 'tools', [weather]],
  [
    'fields of tools that are ignored',
    {
      tools: [
        {
          ...weather,
          strict: true,
          defer_loading: true,
          allowed_callers: ['direct'],
          input_examples: [{}],
        },
      ],
    },
    'tools',
    [weather],
  ],
  [
    'eager_input_streaming',
    { tools: [{ ...weather, eager_input_streaming: true }] },
    'tools',
    [{ ...weather, eager_input_streaming: true }],
  ],
  ['tool_choice auto', { tools, tool_choice: { type: 'auto' } }, 'tool_choice', { type: 'auto' }],
  ['tool_choice any', { tools, tool_choice: { type: 'any' } }, 'tool_choice', { type: 'any' }],
  ['tool_choice none', { tools, tool_choice: { type: 'none' } }, 'tool_choice', { type: 'none' }],
  [
    'tool_choice of one tool',
    { tools, tool_choice: { type: 'tool', name: 'clock' } },
    'tool_choice',
    { type: 'tool', name: 'clock' },
  ],
  [
    'disable_parallel_tool_use',
    { tools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    'tool_choice',
    { type: 'auto', disable_parallel_tool_use: true },
  ],
  [
    'disable_parallel_tool_use is parallel_tool_calls of the other dialect',
    { model: 'ok', tools, tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    'parallel_tool_calls',
    false,
  ],
  ['thinking by default', effort({}), 'output_config.effort', 'high'],
  ['thinking adaptive', effort({ thinking: { type: 'adaptive' } }), 'output_config.effort', 'high'],
  [
    'thinking adaptive, display null',
    effort({ thinking: { type: 'adaptive', display: null } }),
    'output_config.effort',
    'high',
  ],
  [
    'thinking adaptive, omitted',
    effort({ thinking: { type: 'adaptive', display: 'omitted' } }),
    'output_config.effort',
    'high',
  ],
  [
    'thinking enabled with a budget',
    effort({ thinking: { type: 'enabled', budget_tokens: 16_000 } }),
    'output_config.effort',
    'high',
  ],
  [
    'thinking enabled with a small budget',
    effort({ thinking: { type: 'enabled', budget_tokens: 2000 } }),
    'output_config.effort',
    'low',
  ],
  [
    'output_config.effort',
    effort({ output_config: { effort: 'low' } }),
    'output_config.effort',
    'low',
  ],
  [
    'output_config.effort null',
    effort({ output_config: { effort: null, unknown: 1 } }),
    'output_config.effort',
    'high',
  ],
  [
    'output_config.effort beside thinking',
    effort({ thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }),
    'output_config.effort',
    'medium',
  ],
  ['thinking disabled', effort({ thinking: { type: 'disabled' } }), 'output_config', undefined],
  [
    'thinking between_tools',
    effort({ thinking: { type: 'between_tools' } }),
    'output_config',
    undefined,
  ],
  [
    'thinking disabled wins over an effort',
    effort({ thinking: { type: 'disabled' }, output_config: { effort: 'low' } }),
    'output_config',
    undefined,
  ],
  [
    'output_config.format',
    { output_config: { format: { type: 'json_schema', schema } } },
    'output_config.format',
    { type: 'json_schema', schema: closedSchema },
  ],
  [
    'output_format, as older clients say it',
    { output_format: { type: 'json_schema', schema } },
    'output_config.format',
    { type: 'json_schema', schema: closedSchema },
  ],
  [
    'output_format beside output_config.format',
    {
      output_format: { type: 'json_schema', schema: { type: 'null' } },
      output_config: { format: { type: 'json_schema', schema } },
    },
    'output_config.format',
    { type: 'json_schema', schema: closedSchema },
  ],
  [
    'output_format of another kind',
    { output_format: { type: 'text' } },
    'output_config',
    undefined,
  ],
  [
    'output_config.format is response_format of the other dialect',
    { model: 'ok', output_config: { format: { type: 'json_schema', schema } } },
    'response_format.json_schema.schema',
    schema,
  ],
]

for (const [what, fields, path, expected] of honoured) {
  test(`honoured: ${what}`, async () => {
    const { body } = await rig.reached('messages', { model, ...fields })
    assert.deepEqual(dig(body, path), expected)
  })
}

const withoutEffect: [field: string, value: unknown][] = [
  ['metadata', { user_id: 'somebody', more: 1 }],
  ['service_tier', 'auto'],
  ['session_id', 'a conversation'],
  ['prompt_cache', { mode: 'off' }],
  ['context_management', { edits: [{ type: 'clear_thinking_20251015' }] }],
  ['inference_geo', 'eu'],
  ['speed', 'fast'],
  ['diagnostics', {}],
  ['output_format', { type: 'json_schema' }],
  ['fallbacks', []],
  ['fallback_credit_token', 'x'],
  ['mcp_servers', []],
  ['container', {}],
  ['thread', {}],
  ['compaction', {}],
  ['betas', ['x']],
  ['some_field_of_tomorrow', 5],
]

for (const [field, value] of withoutEffect) {
  test(`accepted without effect on the prompt: ${field}`, async () => {
    const plain = await rig.reached('messages', { model })
    const { body } = await rig.reached('messages', { model, [field]: value })
    assert.deepEqual(body, plain.body)
  })
}

for (const [field, value] of [
  ['mcp_servers', [{ type: 'url', url: 'https://example.com' }]],
  ['container', 'c_1'],
  ['thread', { id: 't' }],
  ['compaction', { enabled: true }],
] as const) {
  test(`refused because it would change the answer: ${field}`, () =>
    void refused({ [field]: value }, field, /not supported/))
}

test('a thread is refused in the words by which clients go on without one', async () => {
  for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'm' }]) {
    const answer = await rig.post('messages', { model, thread })
    const details = dig(answer.json, 'error.details')
    assert.deepEqual(details, { error_code: 'thread_unsupported_request' })
  }
  const other = await rig.post('messages', { model, container: 'c_1' })
  assert.equal(dig(other.json, 'error.details'), undefined)
})

test('null is the same as absent, for every optional field', async () => {
  const plain = await rig.reached('messages', { model })
  const names = [...withoutEffect.map(([field]) => field), ...foreign.map(([field]) => field)]
  names.push('system', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'tools', 'tool_choice')
  names.push('thinking', 'output_config', 'cache_control', 'stream')
  const nulls = Object.fromEntries(names.map((name) => [name, null]))
  const { body } = await rig.reached('messages', { model, ...nulls })
  assert.deepEqual(body, plain.body)
})

const foreign: [field: string, value: unknown, native: RegExp][] = [
  ['max_completion_tokens', 5, /max_tokens/],
  ['reasoning_effort', 'low', /output_config\.effort/],
  ['parallel_tool_calls', false, /tool_choice\.disable_parallel_tool_use/],
  ['response_format', { type: 'json_object' }, /output_config\.format/],
  ['stop', 'x', /stop_sequences/],
  ['stream_options', {}, /stream_options/],
  ['n', 1, /^n /],
  ['seed', 1, /seed/],
  ['frequency_penalty', 0, /frequency_penalty/],
  ['presence_penalty', 0, /presence_penalty/],
  ['logit_bias', {}, /logit_bias/],
  ['logprobs', true, /logprobs/],
  ['top_logprobs', 1, /top_logprobs/],
  ['user', 'x', /metadata\.user_id/],
  ['safety_identifier', 'x', /metadata\.user_id/],
  ['store', true, /store/],
  ['verbosity', 'low', /verbosity/],
  ['prediction', {}, /prediction/],
  ['moderation', {}, /moderation/],
  ['modalities', ['text'], /modalities/],
  ['audio', {}, /audio/],
  ['web_search_options', {}, /web_search_options/],
  ['functions', [], /tools/],
  ['function_call', 'auto', /tool_choice/],
  ['prompt_cache_key', 'x', /session_id/],
  ['prompt_cache_options', {}, /prompt_cache_options/],
  ['prompt_cache_retention', '24h', /prompt_cache_retention/],
]

for (const [field, value, native] of foreign) {
  test(`foreign: ${field} is refused and what to use here is named`, async () => {
    const message = refused({ [field]: value }, field, native)
    assert.match(message, /chat-completions dialect; (here use [a-z]|this dialect has no)/)
    assert.doesNotMatch(message, /null/)
  })
}

const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } }

const foreignShapes: [what: string, fields: Json, param: string][] = [
  ['a tool {type: function}', { tools: [{ type: 'function', function: { name: 'x' } }] }, 'tools'],
  ...['image_url', 'input_audio', 'file'].map((type): [string, Json, string] => [
    `a block of type ${type}`,
    user([{ type }]),
    'messages',
  ]),
  ...['tool', 'developer'].map((role): [string, Json, string] => [
    `role ${role}`,
    { messages: [{ role, content: 'x' }] },
    'messages',
  ]),
  ['tool_choice as a text', { tools, tool_choice: 'auto' }, 'tool_choice'],
  [
    'tool_choice of type function',
    { tools, tool_choice: { type: 'function', function: { name: 'weather' } } },
    'tool_choice',
  ],
  [
    'tool_calls on a message',
    { messages: [{ role: 'assistant', content: 'x', tool_calls: [] }] },
    'messages',
  ],
  [
    'tool_call_id on a message',
    { messages: [{ role: 'user', content: 'x', tool_call_id: 'c' }] },
    'messages',
  ],
  ['prompt_cache_breakpoint on a block', user([{ ...text('x'), ...breakpoint }]), 'messages'],
  [
    'prompt_cache_breakpoint on a tool result',
    {
      messages: [
        { role: 'user', content: 'Q' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'weather', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', ...breakpoint }] },
      ],
    },
    'messages',
  ],
  [
    'prompt_cache_breakpoint on a system block',
    { system: [{ ...text('x'), ...breakpoint }] },
    'system',
  ],
]

const instead: [type: string, advice: RegExp][] = [
  ['image_url', /here use image\.$/],
  ['input_audio', /send a transcript as text\.$/],
  ['file', /here use a document of plain text\.$/],
]
for (const [type, advice] of instead) {
  test(`foreign shape: a block of type ${type} is told what to send instead`, () =>
    void refused(user([{ type }]), 'messages', advice))
}

for (const [what, fields, param] of foreignShapes) {
  test(`foreign shape: ${what}`, () => void refused(fields, param, /chat dialect/))
}

const use = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } }
const result = (fields: Json): Json => ({ type: 'tool_result', tool_use_id: 'toolu_1', ...fields })
const documentText = { type: 'text', media_type: 'text/plain', data: 'Body' }

const contents: [what: string, content: unknown, expected: Json[]][] = [
  ['a text', 'x', [text('x')]],
  ['an image as base64', [image], [image]],
  [
    'a hosted image',
    [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
    [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
  ],
  ['a tool result without content', [result({})], [result({ content: [] })]],
  ['a tool result as a text', [result({ content: 'rain' })], [result({ content: [text('rain')] })]],
  [
    'a tool result with text and image',
    [result({ content: [text('a'), image] })],
    [result({ content: [text('a'), image] })],
  ],
  [
    'a tool result that is an error',
    [result({ content: 'no', is_error: true })],
    [result({ content: [text('no')], is_error: true })],
  ],
  ['a document of plain text', [{ type: 'document', source: documentText }], [text('Body')]],
  [
    'a document with a title',
    [{ type: 'document', title: 'T', source: documentText }],
    [text('T\nBody')],
  ],
  [
    'a document with something said about it',
    [{ type: 'document', title: 'T', context: 'C', source: documentText }],
    [text('T\nC\nBody')],
  ],
  [
    'a document whose content is a text',
    [{ type: 'document', source: { type: 'content', content: 'a' } }],
    [text('a')],
  ],
  [
    'a document of text blocks',
    [{ type: 'document', source: { type: 'content', content: [text('a'), text('b')] } }],
    [text('a\nb')],
  ],
  [
    'a search result',
    [{ type: 'search_result', source: 'https://x', title: 'T', content: [text('a')] }],
    [text('T\nhttps://x\na')],
  ],
  [
    'tools that a search among tools found',
    [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [{ type: 'tool_reference', tool_name: 'mcp__a__b' }, text('done')],
      },
    ],
    [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: [text('The tool mcp__a__b can be called now.'), text('done')],
      },
    ],
  ],
  [
    'citations settings are ignored',
    [{ type: 'document', source: documentText, citations: { enabled: true } }],
    [text('Body')],
  ],
]

for (const [what, content, expected] of contents) {
  test(`blocks: ${what}`, async () => {
    const { body } = await rig.reached('messages', { model, ...user(content) })
    assert.deepEqual(dig(body, 'messages.0.content'), expected)
  })
}

test('a tool_use block and its result go on as they are', async () => {
  const messages = [
    { role: 'user', content: [text('Q')] },
    { role: 'assistant', content: [text('Looking.'), use] },
    { role: 'user', content: [result({ content: [text('rain')] }), text('So?')] },
  ]
  const { body } = await rig.reached('messages', { model, messages })
  assert.deepEqual(body.messages, messages)
  const other = await rig.reached('messages', { model: 'ok', messages })
  assert.deepEqual(other.body.messages, [
    { role: 'user', content: 'Q' },
    {
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [
        {
          id: 'toolu_1',
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Oslo"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'toolu_1', content: 'rain' },
    { role: 'user', content: 'So?' },
  ])
})

test('images of a tool result go to a chat upstream in the user turn after it', async () => {
  const content = [result({ content: [text('a'), image] }), text('So?')]
  const { body } = await rig.reached('messages', { model: 'ok', ...user(content) })
  assert.deepEqual(body.messages, [
    { role: 'tool', tool_call_id: 'toolu_1', content: 'a' },
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
        { type: 'text', text: 'So?' },
      ],
    },
  ])
})

test('an answer without words may come back, but not alone', async () => {
  const reached = async (content: unknown): Promise<unknown> => {
    const messages = [ask, { role: 'assistant', content }, ask]
    return (await rig.reached('messages', { model: 'ok', messages })).body.messages
  }
  assert.deepEqual(await reached(''), [ask, { role: 'assistant', content: '' }, ask])
  assert.deepEqual(await reached([]), [ask, ask])
  const thought = { type: 'thinking', thinking: 'Hm', signature: 'somebody-elses' }
  for (const content of [[], [thought]]) {
    await refusedOverHttp({ messages: [{ role: 'assistant', content }] }, 'messages', /no content/)
  }
})

test('the texts of one turn stay apart on their way to a chat upstream', async () => {
  const content = [
    result({ content: [text('rain'), text('wind')] }),
    result({ content: 'no such city', is_error: true }),
    result({ content: [text('Error: offline')], is_error: true }),
    text('What is'),
    text('2+2'),
  ]
  const { body } = await rig.reached('messages', { model: 'ok', ...user(content) })
  const told = { role: 'tool', tool_call_id: 'toolu_1' }
  assert.deepEqual(body.messages, [
    { ...told, content: 'rain\nwind' },
    { ...told, content: 'Error: no such city' },
    { ...told, content: 'Error: offline' },
    { role: 'user', content: 'What is\n2+2' },
  ])
})

test('an image may be called jpg, and in capitals', async () => {
  const named = (media_type: string): Json => ({
    ...image,
    source: { ...image.source, media_type },
  })
  const { body } = await rig.reached('messages', { model, ...user([named('IMAGE/JPG')]) })
  assert.deepEqual(dig(body, 'messages.0.content'), [named('image/jpeg')])
})

test('thinking is omitted where nothing is said of it, switched off or not', () => {
  for (const type of ['disabled', 'between_tools', 'adaptive', 'enabled']) {
    const body = { model, ...leastBody, thinking: { type } }
    assert.equal(parseMessagesBody(body).display, 'omitted')
  }
})

test('every level of the vocabulary is taken at its word', () => {
  for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
    const { request } = parseMessagesBody({ model, ...leastBody, output_config: { effort } })
    assert.deepEqual(request.reasoning, { kind: 'effort', effort })
  }
})

test('a thinking budget is kept, beside an effort or not', () => {
  const thinking = { type: 'enabled', budget_tokens: 0 }
  const plain = parseMessagesBody({ model, ...leastBody, thinking })
  assert.deepEqual(plain.request.reasoning, { kind: 'on', budgetTokens: 0 })
  const output_config = { effort: 'low' }
  const both = parseMessagesBody({ model, ...leastBody, thinking, output_config })
  assert.deepEqual(both.request.reasoning, { kind: 'effort', effort: 'low', budgetTokens: 0 })
})

test('the texts of a tool result are no images', () => {
  const content = [...Array<Json>(imagesMax).fill(text('x')), ...Array<Json>(imagesMax).fill(image)]
  const { messages } = user([result({ content })])
  const { request } = parseMessagesBody({ model, ...leastBody, messages })
  assert.equal(request.messages.length, 1)
})

test('an empty name of a conversation is none', () => {
  const body = { model, ...leastBody, session_id: '' }
  assert.equal(parseMessagesBody(body).request.conversation, null)
})

test('a system message inside messages is accepted and keeps its place', async () => {
  const messages = [
    { role: 'user', content: 'Q' },
    { role: 'system', content: 'S' },
  ]
  const { body } = await rig.reached('messages', { model: 'ok', messages })
  assert.deepEqual(body.messages, messages)
})

test('system messages before the conversation are system prompt, behind the field of that name', async () => {
  const marked = { ...text('Two.'), cache_control: { type: 'ephemeral' } }
  const fields = {
    system: 'One.',
    messages: [
      { role: 'system', content: [marked] },
      { role: 'system', content: 'Three.' },
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: 'A' },
      { role: 'system', content: 'Later.' },
      { role: 'user', content: 'Q' },
    ],
  }
  const { body } = await rig.reached('messages', { model: 'ok', ...fields })
  const [first, ...rest] = body.messages as Json[]
  assert.deepEqual(first, { role: 'system', content: 'One.\n\nTwo.\n\nThree.' })
  assert.deepEqual(rest, fields.messages.slice(2))
  const { body: same } = await rig.reached('messages', { model: 'anthropic/ok', ...fields })
  const said = (same.system as Json[]).map((block) => block.text)
  assert.deepEqual(said, ['One.', 'Two.', 'Three.'])
  assert.deepEqual(dig(same, 'messages.0.role'), 'user')
})

test('a conversation of instructions alone is what is to be answered', () => {
  const messages = [{ role: 'system', content: 'Say hello.' }]
  const { request } = parseMessagesBody({ model, max_tokens: 9, messages })
  assert.deepEqual(request.system, [])
  assert.deepEqual(request.messages, [{ role: 'system', blocks: [text('Say hello.')] }])
})

const reference = { type: 'tool_reference', name: 'clock' }

test('a tool that comes or goes in the middle is said in words, where a system speaks', async () => {
  const content = [
    text('News.'),
    { type: 'tool_addition', tool: reference },
    { type: 'tool_removal', tool: { type: 'mcp_tool_reference', name: 'm', server_name: 's' } },
    { type: 'tool_addition', tool: { type: 'mcp_toolset_reference', server_name: 's' } },
  ]
  const messages = [
    { role: 'user', content: 'Q' },
    { role: 'system', content },
  ]
  const { body } = await rig.reached('messages', { model: 'ok', messages })
  const said = JSON.stringify(dig(body, 'messages.1.content'))
  for (const sentence of [
    'News.',
    'The tool clock can be called now.',
    'The tool m cannot be called any more.',
    'The tools of s can be called now.',
  ]) {
    assert.ok(said.includes(sentence), said)
  }
})

test('thinking blocks with a signature that does not verify are dropped, not refused', async () => {
  const thought = { type: 'thinking', thinking: 'Hm', signature: 'somebody-elses' }
  const sealed = { type: 'redacted_thinking', data: 'opaque' }
  const unsigned = { type: 'thinking', thinking: 'Hm' }
  const { body } = await rig.reached('messages', {
    model,
    messages: [
      { role: 'user', content: 'Q' },
      { role: 'assistant', content: [thought, sealed, unsigned, text('A')] },
      { role: 'user', content: 'Q' },
    ],
  })
  assert.deepEqual(dig(body, 'messages.1.content'), [text('A')])
})

const bad: [what: string, fields: Json, param: string, message: RegExp][] = [
  ['messages is no list', { messages: {} }, 'messages', /list/],
  ['messages is empty', { messages: [] }, 'messages', /at least one/],
  [
    'a tool that comes, said by a user',
    user([{ type: 'tool_addition', tool: reference }]),
    'messages',
    /only allowed in a message with role system/,
  ],
  [
    'a tool that comes with its definition',
    {
      messages: [
        { role: 'user', content: 'Q' },
        { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_definition' } }] },
      ],
    },
    'messages',
    /define tools in tools/,
  ],
  ['a message is no object', { messages: [5] }, 'messages', /messages\[0\]/],
  ['an unknown role', { messages: [{ role: 'critic', content: 'x' }] }, 'messages', /role/],
  ['content missing', { messages: [{ role: 'user' }] }, 'messages', /content/],
  ['content a number', user(5), 'messages', /content/],
  ['no blocks at all', user([]), 'messages', /messages\[0\]\.content/],
  [
    'a mark of another lifetime inside a tool result',
    user([
      result({ content: [{ ...text('a'), cache_control: { type: 'ephemeral', ttl: '2h' } }] }),
    ]),
    'messages',
    /cache_control\.ttl/,
  ],
  ['a block is no object', user(['x']), 'messages', /content\[0\]/],
  ['a text block without text', user([{ type: 'text' }]), 'messages', /text block/],
  [
    'a block of a server tool',
    assistant([{ type: 'server_tool_use' }]),
    'messages',
    /server_tool_use/,
  ],
  ['a block of the future', user([{ type: 'hologram' }]), 'messages', /hologram/],
  ['a block whose type is no text', user([{ type: { toString: null } }]), 'messages', /block/],
  [
    'an image by file',
    user([{ type: 'image', source: { type: 'file', file_id: 'f' } }]),
    'messages',
    /source/,
  ],
  ['an image without source', user([{ type: 'image' }]), 'messages', /source/],
  [
    'an image of an unknown kind',
    user([{ ...image, source: { ...image.source, media_type: 'image/tiff' } }]),
    'messages',
    /image\/png/,
  ],
  [
    'bad base64',
    user([{ ...image, source: { ...image.source, data: '***' } }]),
    'messages',
    /base64/,
  ],
  ['an image of the assistant', assistant([image]), 'messages', /an image block.*role user/],
  ['a tool_use of the user', user([use]), 'messages', /role assistant/],
  ['a tool_result of the assistant', assistant([result({})]), 'messages', /role user/],
  ['a tool_result without id', user([{ type: 'tool_result' }]), 'messages', /tool_use_id/],
  ['is_error as a text', user([result({ is_error: 'yes' })]), 'messages', /is_error/],
  ['a tool_use without id', assistant([{ ...use, id: undefined }]), 'messages', /id/],
  ['a tool_use whose input is a text', assistant([{ ...use, input: '{}' }]), 'messages', /input/],
  [
    'a document in base64',
    user([{ type: 'document', source: { type: 'base64', data: 'x' } }]),
    'messages',
    /plain text/,
  ],
  [
    'a document by address',
    user([{ type: 'document', source: { type: 'url', url: 'x' } }]),
    'messages',
    /plain text/,
  ],
  [
    'thinking that is no text',
    assistant([{ type: 'thinking', thinking: 5 }]),
    'messages',
    /thinking/,
  ],
  ['max_tokens zero', { max_tokens: 0 }, 'max_tokens', /at least 1/],
  ['max_tokens a fraction', { max_tokens: 0.5 }, 'max_tokens', /whole/],
  ['max_tokens a text', { max_tokens: 'x' }, 'max_tokens', /number/],
  [
    'a description of a tool that is no text',
    { tools: [{ ...weather, description: {} }] },
    'tools',
    /tools\[0\]\.description/,
  ],
  [
    'eager_input_streaming a text',
    { tools: [{ ...weather, eager_input_streaming: 'yes' }] },
    'tools',
    /tools\[0\]\.eager_input_streaming must be true or false/,
  ],
  [
    'disable_parallel_tool_use a number',
    { tools, tool_choice: { type: 'auto', disable_parallel_tool_use: 1 } },
    'tool_choice',
    /disable_parallel_tool_use must be true or false/,
  ],
  ['system a number', { system: 5 }, 'system', /system/],
  ['system with an image', { system: [image] }, 'system', /text block/],
  ['temperature too high', { temperature: 2.1 }, 'temperature', /to 2/],
  ['top_p negative', { top_p: -0.1 }, 'top_p', /from 0/],
  ['top_k negative', { top_k: -2 }, 'top_k', /from 0/],
  ['stop_sequences a text', { stop_sequences: 'x' }, 'stop_sequences', /must be a list/],
  ['stop_sequences of numbers', { stop_sequences: [1] }, 'stop_sequences', /stop_sequences/],
  ['stream a number', { stream: 1 }, 'stream', /true or false/],
  ['metadata a list', { metadata: [] }, 'metadata', /object/],
  ['session_id a number', { session_id: 5 }, 'session_id', /string/],
  ['tools is no list', { tools: 'x' }, 'tools', /list/],
  ['a tool is no object', { tools: [5] }, 'tools', /tools\[0\]/],
  [
    'a tool of the server',
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'tools',
    /web_search_20250305/,
  ],
  ['a bash tool', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools', /bash_20250124/],
  [
    'a tool of a strange type',
    { tools: [{ type: { toString: null }, name: 'x' }] },
    'tools',
    /type/,
  ],
  ['a tool without schema', { tools: [{ name: 'x' }] }, 'tools', /input_schema/],
  [
    'a tool schema that is no object',
    { tools: [{ name: 'x', input_schema: [] }] },
    'tools',
    /input_schema/,
  ],
  ['a tool without name', { tools: [{ input_schema: schema }] }, 'tools', /name/],
  ['a tool name with a space', { tools: [{ name: 'a b', input_schema: schema }] }, 'tools', /name/],
  ['a tool twice', { tools: [weather, weather] }, 'tools', /twice/],
  ['tool_choice without type', { tools, tool_choice: {} }, 'tool_choice', /type/],
  ['tool_choice without name', { tools, tool_choice: { type: 'tool' } }, 'tool_choice', /name/],
  [
    'tool_choice of no such tool',
    { tools, tool_choice: { type: 'tool', name: 'z' } },
    'tool_choice',
    /not among/,
  ],
  ['tool_choice any without tools', { tool_choice: { type: 'any' } }, 'tool_choice', /no tools/],
  ['tool_choice a number', { tool_choice: 5 }, 'tool_choice', /object/],
  ['thinking a text', { thinking: 'on' }, 'thinking', /object/],
  ['thinking of another type', { thinking: { type: 'deep' } }, 'thinking', /type/],
  [
    'thinking display of another kind',
    { thinking: { type: 'adaptive', display: 'x' } },
    'thinking',
    /display/,
  ],
  [
    'a thinking budget that is no number',
    { thinking: { type: 'enabled', budget_tokens: 'x' } },
    'thinking',
    /budget/,
  ],
  ...[-1, 1.5].map((budget_tokens): [string, Json, string, RegExp] => [
    `a thinking budget of ${budget_tokens}`,
    { thinking: { type: 'enabled', budget_tokens } },
    'thinking',
    /budget_tokens must be a whole number/,
  ]),
  ['top_p too high', { top_p: 1.01 }, 'top_p', /to 1/],
  ['top_k a fraction', { top_k: 1.5 }, 'top_k', /whole/],
  [
    'a document that shows an image',
    user([{ type: 'document', source: { type: 'content', content: [text('a'), image] } }]),
    'messages',
    /only documents of plain text are supported; Hone does not support PDF input\./,
  ],
  [
    'a mark on a thought that is not shown',
    assistant([
      { type: 'redacted_thinking', data: 'x', cache_control: { type: 'ephemeral' } },
      text('A'),
    ]),
    'messages',
    /cache_control marker on a thinking block/,
  ],
  ['output_config a text', { output_config: 'x' }, 'output_config', /object/],
  [
    'an effort outside the vocabulary',
    { output_config: { effort: 'extreme' } },
    'output_config',
    /effort/,
  ],
  ['an effort that is no text', { output_config: { effort: 3 } }, 'output_config', /effort/],
  [
    'a format of another type',
    { output_config: { format: { type: 'xml' } } },
    'output_config',
    /format/,
  ],
]

for (const [what, fields, param, message] of bad) {
  test(`refused with param ${param}: ${what}`, () => void refused(fields, param, message))
}

const names = (count: number): Json[] =>
  Array.from({ length: count }, (_, i) => ({ name: `tool_${i}`, input_schema: {} }))
const longName = (length: number): Json => ({
  tools: [{ name: 'n'.repeat(length), input_schema: {} }],
})
const ask = { role: 'user', content: 'Q' }

const limits: [what: string, fits: Json, over: Json, param: string][] = [
  [
    'messages',
    { messages: Array<Json>(messagesMax).fill(ask) },
    { messages: Array<Json>(messagesMax + 1).fill(ask) },
    'messages',
  ],
  [
    'blocks',
    user(Array(partsMax).fill(text('x'))),
    user(Array(partsMax + 1).fill(text('x'))),
    'messages',
  ],
  [
    'images',
    user(Array(imagesMax).fill(image)),
    user(Array(imagesMax + 1).fill(image)),
    'messages',
  ],
  [
    'images in tool results',
    user([result({ content: Array(imagesMax).fill(image) })]),
    user([result({ content: Array(imagesMax + 1).fill(image) })]),
    'messages',
  ],
  ['tools', { tools: names(toolsMax) }, { tools: names(toolsMax + 1) }, 'tools'],
  [
    'stop sequences',
    { stop_sequences: Array(stopStringsMax).fill('x') },
    { stop_sequences: Array(stopStringsMax + 1).fill('x') },
    'stop_sequences',
  ],
  [
    'characters of a tool name',
    longName(toolNameCharactersMax),
    longName(toolNameCharactersMax + 1),
    'tools',
  ],
]

for (const [what, fits, over, param] of limits) {
  test(`P4: both sides of the limit of ${what}`, () => {
    parseMessagesBody(bodyWith(fits))
    refused(over, param, /./)
  })
}

test('a refused field is 400 over HTTP, and as many messages as there may be reach a model server', async () => {
  await refusedOverHttp({ temperature: 'hot' }, 'temperature', /number/)
  await refusedOverHttp({ stop: 'x' }, 'stop', /chat-completions dialect/)
  await rig.reached('messages', { model, ...limits[0]![1] })
})

test('abilities a model lacks are refused naming model and field', async () => {
  const hosted = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }
  await refusedOverHttp({ model: 'blind', ...user([image]) }, 'messages', /blind.*supports_vision/)
  await refusedOverHttp(
    { model: 'blind', ...user([result({ content: [image] })]) },
    'messages',
    /blind.*supports_vision/,
  )
  await refusedOverHttp(
    { model: 'data-images', ...user([hosted]) },
    'messages',
    /data-images.*base64/,
  )
  await refusedOverHttp({ model: 'toolless', tools }, 'tools', /toolless/)
})

test('the default sizes of clients are reduced and said, never refused', async () => {
  for (const size of [4096, 32_000, 64_000, 128_000, 2 ** 31 - 1, 1e15, 2 ** 63, 1e308]) {
    const answer = await rig.post('messages', { model, max_tokens: size })
    assert.equal(answer.status, 200)
    const adjusted = size > 8192 ? 'max_tokens' : null
    assert.equal(answer.headers.get('x-service-params-adjusted'), adjusted)
    assert.equal(rig.upstream.calls.at(-1)?.body.max_tokens, Math.min(size, 8192))
  }
})

test('the three ways a body is no request have three texts', async () => {
  const rows: [raw: string, message: RegExp, param: string | null][] = [
    ['nope', /not valid JSON/, null],
    ['5', /must be a JSON object/, null],
    ['{}', /model is missing/, 'model'],
    ['{"model":"ok"}', /messages is missing/, 'messages'],
    ['{"model":"ok","messages":5}', /max_tokens is missing/, 'max_tokens'],
  ]
  for (const [raw, message, param] of rows) {
    const answer = await rig.post('messages', {}, { raw })
    assert.equal(answer.status, 400, raw)
    assert.equal(dig(answer.json, 'error.type'), 'invalid_request_error')
    assert.match(String(dig(answer.json, 'error.message')), message)
    assert.equal(dig(answer.json, 'error.param') ?? null, param)
  }
})

test('the order of refusals: foreign, required, types, model, abilities', async () => {
  refused({ model: 5, messages: undefined, stop: 'x' }, 'stop', /chat-completions dialect/)
  refused({ model: 5, max_tokens: undefined }, 'max_tokens', /missing/)
  refused({ model: 'nope', temperature: 'hot' }, 'temperature', /number/)
  assert.equal((await rig.post('messages', { model: 'nope', tools })).status, 404)
})

const versions: [version: string | null, status: number][] = [
  ['2023-06-01', 200],
  ['2026-10-21', 200],
  ['2099-01-01', 200],
  [null, 200],
  ['latest', 400],
  ['2023-6-1', 400],
]

for (const [version, status] of versions) {
  test(`anthropic-version ${version ?? 'missing'} is answered with ${status}`, async () => {
    const headers: Record<string, string> =
      version === null ? {} : { 'anthropic-version': version, 'anthropic-beta': 'a-1,b-2' }
    const answer = await rig.post('messages', { model }, { headers })
    assert.equal(answer.status, status)
    if (status === 400) assert.match(answer.text, /anthropic-version/)
    const count = await rig.hone.call('POST', '/v1/messages/count_tokens', {
      bearer: rig.hone.owner.key,
      body: { model, messages: [ask] },
      headers,
    })
    assert.equal(count.status, status)
  })
}

test('?beta=true changes nothing', async () => {
  const answer = await rig.hone.call('POST', '/v1/messages?beta=true', {
    bearer: rig.hone.owner.key,
    body: { model, max_tokens: 5, messages: [ask] },
  })
  assert.equal(answer.status, 200)
})

test('what Claude Code sends by default is served', async () => {
  const answer = await rig.hone.call('POST', '/v1/messages?beta=true', {
    bearer: rig.hone.owner.key,
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'claude-code-20250219' },
    body: {
      model: 'thinker',
      max_tokens: 32_000,
      system: [
        text('One'),
        { ...text('Two'), cache_control: { type: 'ephemeral' } },
        { ...text('Three'), cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' } },
      ].reverse(),
      messages: [
        { role: 'user', content: [{ ...text('Hi'), cache_control: { type: 'ephemeral' } }] },
        { role: 'system', content: 'Reminder' },
      ],
      tools: [{ ...weather, defer_loading: true }],
      metadata: { user_id: 'u' },
      thinking: { type: 'adaptive', display: 'omitted' },
      context_management: { edits: [] },
      output_config: { effort: 'high' },
      stream: true,
    },
  })
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.text, /message_stop/)
})
