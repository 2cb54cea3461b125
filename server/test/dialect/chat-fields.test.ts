// Every field and shape of a chat-completions request: honoured, accepted without effect, or refused by name.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  imagesMax,
  messagesMax,
  partsMax,
  stopStringsMax,
  schemaNameCharactersMax,
  toolNameCharactersMax,
  toolsMax,
} from '#contract/limits.ts'
import { Refusal } from '#server/core/refusal.ts'
import { parseChat } from '#server/dialect/chat/parse.ts'
import { renderChatError } from '#server/dialect/chat/render-error.ts'
import { type ChaosHone, chaosHone, dig, type Json, leastBody } from '#test/support/chaos-hone.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone(() => [
    { id: 'blind', supports_vision: false },
    { id: 'data-images', image_urls: 'refuse' },
    { id: 'toolless', supports_tools: false },
    {
      id: 'thinker',
      reasoning: { efforts: ['minimal', 'low', 'medium', 'high'], default: 'high' },
    },
    { id: 'vendor/model' },
  ])
})
after(() => rig.stop())

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = {
  type: 'function',
  function: { name: 'weather', description: 'The weather.', parameters: schema },
}
const clock = { type: 'function', function: { name: 'clock' } }
const tools = [weather, clock]
const pixel = 'iVBORw0KGgo='
const dataUrl = `data:image/png;base64,${pixel}`

function user(content: unknown): Json {
  return { messages: [{ role: 'user', content }] }
}

/** The error that a body with these fields is, which is found before anything is asked or held. */
function refused(fields: object, param: string | null, message: RegExp): Json {
  const error = dig(JSON.parse(renderChatError(refusalOf(fields))), 'error') as Json
  assertRefused(error, param, message)
  return error
}

function refusalOf(fields: object): Refusal {
  try {
    parseChat(bodyWith(fields))
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.status, 400)
    return error
  }
  return assert.fail('it is taken')
}

function bodyWith(fields: object): Json {
  return JSON.parse(JSON.stringify({ model: 'ok', ...leastBody, ...fields })) as Json
}

function assertRefused(error: Json, param: string | null, message: RegExp): void {
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type'])
  assert.equal(error.type, 'invalid_request_error')
  assert.equal(error.param, param)
  assert.match(String(error.message), message)
}

async function refusedOverHttp(fields: object, param: string, message: RegExp): Promise<void> {
  const seen = rig.upstream.calls.length
  const answer = await rig.post('chat', fields)
  assert.equal(answer.status, 400, answer.text)
  assertRefused(dig(answer.json, 'error') as Json, param, message)
  assert.equal(rig.upstream.calls.length, seen, 'a refused request reached the upstream')
}

const honoured: [what: string, fields: Json, path: string, expected: unknown][] = [
  ['model picks the route', { model: 'vendor/model' }, 'model', 'ok'],
  ['messages', user('Hello there'), 'messages', [{ role: 'user', content: 'Hello there' }]],
  ['max_tokens', { max_tokens: 33 }, 'max_tokens', 33],
  ['max_completion_tokens wins over max_tokens', { max_completion_tokens: 44 }, 'max_tokens', 44],
  ['temperature', { temperature: 0 }, 'temperature', 0],
  ['top_p', { top_p: 0.5 }, 'top_p', 0.5],
  ['top_k', { top_k: 40 }, 'top_k', 40],
  ['seed', { seed: 12 }, 'seed', 12],
  ['frequency_penalty', { frequency_penalty: -1.5 }, 'frequency_penalty', -1.5],
  ['presence_penalty', { presence_penalty: 2 }, 'presence_penalty', 2],
  ['stop as a text', { stop: 'END' }, 'stop', ['END']],
  ['stop as a list', { stop: ['a', 'b'] }, 'stop', ['a', 'b']],
  ['stop without its empty texts', { stop: ['', 'a'] }, 'stop', ['a']],
  ['tools', { tools: [weather] }, 'tools', [weather]],
  [
    'a tool without parameters',
    { tools: [clock] },
    'tools.0.function.parameters',
    { type: 'object', properties: {} },
  ],
  ['tool_choice auto', { tools, tool_choice: 'auto' }, 'tool_choice', 'auto'],
  ['tool_choice none', { tools, tool_choice: 'none' }, 'tool_choice', 'none'],
  ['tool_choice required', { tools, tool_choice: 'required' }, 'tool_choice', 'required'],
  ['tool_choice any', { tools, tool_choice: 'any' }, 'tool_choice', 'required'],
  [
    'tool_choice of one function',
    { tools, tool_choice: { type: 'function', function: { name: 'clock' } } },
    'tool_choice',
    { type: 'function', function: { name: 'clock' } },
  ],
  [
    'tool_choice allowed_tools narrows the tools',
    {
      tools,
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [{ type: 'function', function: { name: 'weather' } }],
        },
      },
    },
    'tools',
    [weather],
  ],
  [
    'tool_choice allowed_tools says whether one must be called',
    {
      tools,
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', function: { name: 'weather' } }],
      },
    },
    'tool_choice',
    'required',
  ],
  ['parallel_tool_calls', { tools, parallel_tool_calls: false }, 'parallel_tool_calls', false],
  ['parallel_tool_calls by default', { tools }, 'parallel_tool_calls', true],
  ['response_format text', { response_format: { type: 'text' } }, 'response_format', undefined],
  [
    'response_format json_object',
    { response_format: { type: 'json_object' } },
    'response_format',
    { type: 'json_object' },
  ],
  [
    'response_format json_object with a schema beside it',
    { response_format: { type: 'json_object', schema } },
    'response_format.json_schema',
    { name: 'answer', schema },
  ],
  ...[{}, null, 'x'].map((nothing): [string, Json, string, unknown] => [
    `response_format json_object with ${JSON.stringify(nothing)} for a schema`,
    { response_format: { type: 'json_object', schema: nothing } },
    'response_format',
    { type: 'json_object' },
  ]),
  [
    'response_format json_schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } } },
    'response_format.json_schema',
    { name: 'x', schema, strict: true },
  ],
  [
    'response_format json_schema, not strict and described',
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', description: 'A city.', schema, strict: false },
      },
    },
    'response_format.json_schema',
    { name: 'city', description: 'A city.', schema, strict: false },
  ],
  [
    'response_format json_schema with the schema alone',
    { response_format: { type: 'json_schema', json_schema: { schema } } },
    'response_format.json_schema',
    { name: 'answer', schema },
  ],
  [
    'response_format json_schema without a schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
    'response_format',
    { type: 'json_object' },
  ],
  [
    'response_format json_schema with nothing beside it',
    { response_format: { type: 'json_schema' } },
    'response_format',
    { type: 'json_object' },
  ],
  ['reasoning_effort', { model: 'thinker', reasoning_effort: 'low' }, 'reasoning_effort', 'low'],
  [
    'reasoning_effort minimal',
    { model: 'thinker', reasoning_effort: 'minimal' },
    'reasoning_effort',
    'minimal',
  ],
  [
    'reasoning_effort null is absent',
    { model: 'thinker', reasoning_effort: null },
    'reasoning_effort',
    'high',
  ],
  ['a streamed answer is streamed by the upstream', { stream: true }, 'stream', true],
]

for (const [what, fields, path, expected] of honoured) {
  test(`honoured: ${what}`, async () => {
    const { body } = await rig.reached('chat', fields)
    assert.deepEqual(dig(body, path), expected)
  })
}

test('every level of the vocabulary is taken at its word', () => {
  for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
    const { request } = parseChat({ model: 'm', ...leastBody, reasoning_effort: effort })
    assert.deepEqual(request.reasoning, { kind: 'effort', effort })
  }
})

const offWords = ['none', 'off', '']
for (const word of offWords) {
  test(`reasoning_effort ${JSON.stringify(word)} turns reasoning off`, async () => {
    const { body } = await rig.reached('chat', { model: 'thinker', reasoning_effort: word })
    assert.equal(body.reasoning_effort ?? 'none', 'none')
  })
}

const withoutEffect: [field: string, value: unknown][] = [
  ['metadata', { any: 'thing', deep: { er: 1 } }],
  ['service_tier', 'flex'],
  ['session_id', 'a conversation'],
  ['prompt_cache', { mode: 'off' }],
  ['stream_options', { include_usage: true, unknown: 1 }],
  ['n', 1],
  ['logit_bias', {}],
  ['logprobs', true],
  ['top_logprobs', 5],
  ['user', 'somebody'],
  ['safety_identifier', 'somebody'],
  ['store', true],
  ['moderation', { anything: true }],
  ['modalities', ['text']],
  ['audio', { voice: 'alloy', format: 'mp3' }],
  ['web_search_options', {}],
  ['prompt_cache_key', 'a key'],
  ['prompt_cache_options', { mode: 'explicit', ttl: '30m' }],
  ['prompt_cache_options', { mode: 'implicit' }],
  ['prompt_cache_retention', '24h'],
  ['cache_control', { type: 'ephemeral', ttl: '1h', unknown: true }],
  ['some_field_of_tomorrow', { is: 'ignored' }],
  ['betas', ['x']],
]

for (const [field, value] of withoutEffect) {
  test(`accepted without effect on the prompt: ${field} ${JSON.stringify(value)}`, async () => {
    const plain = await rig.reached('chat', {})
    const { body } = await rig.reached('chat', { [field]: value })
    assert.deepEqual(body, plain.body)
  })
}

test('what steers the words of an answer is passed on as it is', async () => {
  const fields = {
    logit_bias: { '50256': -100, '7': 1.5 },
    verbosity: 'low',
    prediction: { type: 'content', content: [{ type: 'text', text: 'x' }] },
  }
  const plain = await rig.reached('chat', {})
  for (const stream of [false, true]) {
    const { body } = await rig.reached('chat', { ...fields, stream })
    const { logit_bias, verbosity, prediction } = body
    assert.deepEqual({ logit_bias, verbosity, prediction }, fields)
  }
  const { body } = await rig.reached('chat', fields)
  assert.deepEqual(body, { ...plain.body, ...fields })
})

test('null is the same as absent, for every optional field', async () => {
  const plain = await rig.reached('chat', {})
  const names = [...withoutEffect.map(([field]) => field), ...foreign.map(([field]) => field)]
  names.push(
    'verbosity',
    'prediction',
    'temperature',
    'top_p',
    'top_k',
    'seed',
    'stop',
    'tools',
    'tool_choice',
    'stream',
  )
  names.push('response_format', 'reasoning_effort', 'parallel_tool_calls', 'functions')
  names.push('max_completion_tokens', 'frequency_penalty', 'presence_penalty', 'function_call')
  const { body } = await rig.reached('chat', Object.fromEntries(names.map((name) => [name, null])))
  assert.deepEqual(body, plain.body)
})

const foreign: [field: string, value: unknown, native: RegExp][] = [
  ['system', 'Be kind.', /role system/],
  ['thinking', { type: 'disabled' }, /reasoning_effort/],
  ['output_config', { effort: 'low' }, /reasoning_effort.*response_format/],
  ['stop_sequences', ['x'], /use stop\b/],
  ['context_management', {}, /context_management/],
  ['container', 'x', /container/],
  ['mcp_servers', [], /mcp_servers/],
  ['inference_geo', 'eu', /inference_geo/],
  ['speed', 'fast', /speed/],
  ['diagnostics', {}, /diagnostics/],
  ['output_format', {}, /response_format/],
  ['compaction', {}, /compaction/],
  ['fallbacks', [], /fallbacks/],
  ['fallback_credit_token', 'x', /fallback_credit_token/],
  ['thread', {}, /thread/],
]

for (const [field, value, native] of foreign) {
  test(`foreign: ${field} is refused and what to use here is named`, () => {
    const error = refused({ [field]: value }, field, native)
    assert.equal(error.code, 'unsupported_parameter')
    assert.match(String(error.message), /messages dialect; (here use [a-z]|this dialect has no)/)
    assert.doesNotMatch(String(error.message), /null/)
  })
}

const foreignShapes: [what: string, fields: Json, param: string][] = [
  ['a tool {name, input_schema}', { tools: [{ name: 'x', input_schema: schema }] }, 'tools'],
  ...['image', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'document'].map(
    (type): [string, Json, string] => [`a part of type ${type}`, user([{ type }]), 'messages'],
  ),
  ...['auto', 'any', 'tool', 'none'].map((type): [string, Json, string] => [
    `tool_choice {type: ${type}}`,
    { tools, tool_choice: { type, name: 'weather' } },
    'tool_choice',
  ]),
]

for (const [what, fields, param] of foreignShapes) {
  test(`foreign shape: ${what}`, () => {
    const error = refused(fields, param, /messages dialect/)
    assert.equal(error.code, 'unsupported_parameter')
  })
}

const assistantCall = {
  role: 'assistant',
  content: null,
  tool_calls: [
    {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":1}' },
    },
  ],
}
const wireCall = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":1}' } },
  ],
}
const ask = { role: 'user', content: 'Q' }

type Conversation = [what: string, messages: Json[], expected: Json[]]

const conversations: Conversation[] = [
  ['system', [{ role: 'system', content: 'S' }, ask], [{ role: 'system', content: 'S' }, ask]],
  [
    'developer is system',
    [{ role: 'developer', content: [{ type: 'text', text: 'S' }] }, ask],
    [{ role: 'system', content: 'S' }, ask],
  ],
  [
    'a later system message keeps its place',
    [ask, { role: 'system', content: 'S' }, ask],
    [ask, { role: 'system', content: 'S' }, ask],
  ],
  ['two user messages in a row', [ask, ask], [ask, ask]],
  [
    'text parts',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    [{ role: 'user', content: 'a\nb' }],
  ],
  [
    'an image as data, with its detail',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: dataUrl, detail: 'high' } },
        ],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: dataUrl, detail: 'high' } },
        ],
      },
    ],
  ],
  ...[
    `data:image/jpg;base64,${pixel}`,
    `DATA:Image/JPEG;BASE64,${pixel}`,
    `data:image/jpeg;charset=utf-8;name=a.jpg;base64,${pixel}`,
    `data:image/jpeg;base64, ${pixel.slice(0, 8)}\r\n${pixel.slice(8)}\n`,
    `data:image/jpeg;base64,${pixel.replace(/=+$/, '')}`,
    `data: image/jpeg ;base64,${pixel}`,
  ].map((url): [string, Json[], Json[]] => [
    `an image written as ${JSON.stringify(url)}, its detail in a word that nobody knows`,
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url, detail: 'much' } }] }],
    [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/jpeg;base64,${pixel}` } }],
      },
    ],
  ]),
  [
    'a long image without the signs that fill its last group',
    [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(30)}` } },
        ],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(30)}==` } },
        ],
      },
    ],
  ],
  [
    'images that tools returned, which are shown behind all that they returned',
    [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'look', arguments: '{}' },
        })),
      },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image_url', image_url: { url: dataUrl } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'nothing' },
    ],
    [
      { role: 'user', content: 'Look.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: ['a', 'b'].map((id) => ({
          id,
          type: 'function',
          function: { name: 'look', arguments: '{}' },
        })),
      },
      { role: 'tool', tool_call_id: 'a', content: 'seen' },
      { role: 'tool', tool_call_id: 'b', content: 'nothing' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: dataUrl } }] },
    ],
  ],
  [
    'a hosted image',
    [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
      },
    ],
    [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
      },
    ],
  ],
  [
    'marks on parts are no part of the prompt, and a ttl inside a breakpoint is ignored',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'b', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
          { type: 'text', text: 'c', cache_control: null },
        ],
      },
    ],
    [{ role: 'user', content: 'a\nb\nc' }],
  ],
  [
    'an assistant refusal',
    [ask, { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }, ask],
    [ask, { role: 'assistant', content: 'No.' }, ask],
  ],
  [
    'an assistant refusal in its own field',
    [ask, { role: 'assistant', content: null, refusal: 'No.' }, ask],
    [ask, { role: 'assistant', content: 'No.' }, ask],
  ],
  ...['', null, []].map((nothing): Conversation => [
    `an assistant answer without words, ${JSON.stringify(nothing)}`,
    [ask, { role: 'assistant', content: nothing, refusal: null }, ask],
    [ask, { role: 'assistant', content: '' }, ask],
  ]),
  [
    'tool calls and their result',
    [ask, assistantCall, { role: 'tool', tool_call_id: 'c1', content: 'rain' }],
    [ask, wireCall, { role: 'tool', tool_call_id: 'c1', content: 'rain' }],
  ],
  [
    'a tool result in text parts',
    [
      ask,
      assistantCall,
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [
          { type: 'text', text: 'rain' },
          { type: 'text', text: '' },
          { type: 'text', text: 'wind' },
        ],
      },
    ],
    [ask, wireCall, { role: 'tool', tool_call_id: 'c1', content: 'rain\nwind' }],
  ],
  [
    'content absent beside tool calls',
    [ask, { role: 'assistant', tool_calls: assistantCall.tool_calls }, ask],
    [ask, wireCall, ask],
  ],
  [
    'content empty beside tool calls',
    [ask, { ...assistantCall, content: '' }, ask],
    [ask, wireCall, ask],
  ],
  [
    'text beside tool calls',
    [ask, { ...assistantCall, content: 'Looking.' }, ask],
    [ask, { ...wireCall, content: 'Looking.' }, ask],
  ],
  ...[{}, { content: null }, { content: [] }].map((nothing): Conversation => [
    `tools that returned ${JSON.stringify(nothing)}, behind an answer without a word`,
    [ask, { ...assistantCall, content: [] }, { role: 'tool', tool_call_id: 'c1', ...nothing }],
    [ask, wireCall, { role: 'tool', tool_call_id: 'c1', content: '' }],
  ]),
  [
    'a call whose arguments were left empty',
    [ask, { ...assistantCall, tool_calls: [{ id: 'c1', function: { name: 'f', arguments: '' } }] }],
    [
      ask,
      {
        ...wireCall,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ],
  ],
  [
    'an answer that was all thought',
    [ask, { role: 'assistant', content: null, reasoning_content: 'hm' }, ask],
    [ask, { role: 'assistant', content: '' }, ask],
  ],
  [
    'fields that are ignored on messages',
    [
      { ...ask, name: 'ann' },
      {
        role: 'assistant',
        content: 'A',
        refusal: null,
        audio: null,
        annotations: [],
        reasoning_content: 'hm',
        reasoning: 'hm',
        reasoning_details: [{}],
      },
      { ...ask, extra_content: { google: {} } },
    ],
    [ask, { role: 'assistant', content: 'A' }, ask],
  ],
]

for (const [what, messages, expected] of conversations) {
  test(`messages: ${what}`, async () => {
    const { body } = await rig.reached('chat', { messages })
    assert.deepEqual(body.messages, expected)
  })
}

test('no arguments go to an upstream of the other dialect as an empty object', async () => {
  for (const json of ['', ' \n', '{}']) {
    const tool_calls = [{ ...call, function: { name: 'weather', arguments: json } }]
    const messages = [
      ask,
      { ...assistantCall, tool_calls },
      { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    ]
    const { body } = await rig.reached('chat', { model: 'anthropic/ok', messages })
    assert.deepEqual(dig(body, 'messages.1.content.0.input'), {})
  }
})

test('strict and $schema of a tool are accepted, and strict goes nowhere', async () => {
  const parameters = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
  const strict = { type: 'function', function: { name: 'weather', strict: true, parameters } }
  const { body } = await rig.reached('chat', { tools: [strict] })
  assert.deepEqual(dig(body, 'tools.0.function'), { name: 'weather', description: '', parameters })
})

const call = assistantCall.tool_calls[0]
const bad: [what: string, fields: Json, param: string, message: RegExp][] = [
  ['model is no text', { model: 5 }, 'model', /model/],
  ['model is empty', { model: '' }, 'model', /model/],
  ['messages is no list', { messages: 'Hi' }, 'messages', /list/],
  ['messages is empty', { messages: [] }, 'messages', /at least one/],
  ['a message is no object', { messages: ['Hi'] }, 'messages', /messages\[0\]/],
  ['an unknown role', { messages: [{ role: 'function', content: 'x' }] }, 'messages', /role/],
  ['no role', { messages: [{ content: 'x' }] }, 'messages', /role/],
  ['user content missing', { messages: [{ role: 'user' }] }, 'messages', /content/],
  ['user content null', user(null), 'messages', /content/],
  ['content a number', user(5), 'messages', /content/],
  ['no parts at all', user([]), 'messages', /content/],
  ['a part is no object', user(['x']), 'messages', /content\[0\]/],
  ['a text part without text', user([{ type: 'text' }]), 'messages', /text/],
  ['an audio part', user([{ type: 'input_audio', input_audio: {} }]), 'messages', /input_audio/],
  ['a file part', user([{ type: 'file', file: {} }]), 'messages', /"file"/],
  ['a part of the future', user([{ type: 'hologram' }]), 'messages', /hologram/],
  ['a part whose type is no text', user([{ type: { toString: null } }]), 'messages', /part/],
  [
    'image_url as a text',
    user([{ type: 'image_url', image_url: dataUrl }]),
    'messages',
    /image_url/,
  ],
  [
    'an image in a system message',
    {
      messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: dataUrl } }] }],
    },
    'messages',
    /image_url/,
  ],
  [
    'a call of the obsolete kind',
    {
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      ],
    },
    'messages',
    /function_call is obsolete; use tool_calls/,
  ],
  [
    'base64 that is none',
    user([{ type: 'image_url', image_url: { url: 'data:image/png;base64,@@@=' } }]),
    'messages',
    /base64/,
  ],
  [
    'base64 cut short',
    user([{ type: 'image_url', image_url: { url: 'data:image/png;base64,abcde' } }]),
    'messages',
    /base64/,
  ],
  [
    'an image of an unknown kind',
    user([{ type: 'image_url', image_url: { url: `data:image/svg+xml;base64,${pixel}` } }]),
    'messages',
    /must be a data URI of a PNG, JPEG, GIF or WebP image\.$/,
  ],
  [
    'an image address that is no web address',
    user([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }]),
    'messages',
    /http\(s\) URL/,
  ],
  [
    'an image address with a web address in it',
    user([{ type: 'image_url', image_url: { url: 'ftp://a.example/http://b.example/' } }]),
    'messages',
    /must be a data URI or an http/,
  ],
  [
    'an image address that cannot be read',
    user([{ type: 'image_url', image_url: { url: 'https://[' } }]),
    'messages',
    /is not a valid URL/,
  ],
  [
    'an image in no base64',
    user([{ type: 'image_url', image_url: { url: 'data:image/png,AAAA' } }]),
    'messages',
    /must be a data URI in base64/,
  ],
  [
    'an image that is null',
    user([{ type: 'image_url', image_url: null }]),
    'messages',
    /image_url\.url/,
  ],
  [
    'a refusal that is no text',
    { messages: [ask, { role: 'assistant', content: [{ type: 'refusal', refusal: 5 }] }, ask] },
    'messages',
    /refusal must be a string/,
  ],
  [
    'tool_choice allowed_tools in another mode',
    {
      tools,
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'none', tools: [{ function: { name: 'weather' } }] },
      },
    },
    'tool_choice',
    /mode must be auto or required/,
  ],
  [
    'assistant content missing without calls',
    { messages: [ask, { role: 'assistant' }] },
    'messages',
    /content/,
  ],
  [
    'tool_calls is no list',
    { messages: [{ role: 'assistant', tool_calls: {} }] },
    'messages',
    /tool_calls/,
  ],
  [
    'a tool call without id',
    { messages: [{ role: 'assistant', tool_calls: [{ ...call, id: undefined }] }] },
    'messages',
    /id/,
  ],
  [
    'tool arguments as an object',
    {
      messages: [
        { role: 'assistant', tool_calls: [{ ...call, function: { name: 'x', arguments: {} } }] },
      ],
    },
    'messages',
    /arguments/,
  ],
  [
    'a tool message without tool_call_id',
    { messages: [{ role: 'tool', content: 'x' }] },
    'messages',
    /tool_call_id/,
  ],
  ['max_tokens zero', { max_tokens: 0 }, 'max_tokens', /at least 1/],
  ['max_tokens a fraction', { max_tokens: 1.5 }, 'max_tokens', /whole/],
  [
    'a mark of another lifetime on a refusal',
    {
      messages: [
        ask,
        {
          role: 'assistant',
          content: [
            { type: 'refusal', refusal: 'No.', cache_control: { type: 'ephemeral', ttl: '2h' } },
          ],
        },
        ask,
      ],
    },
    'messages',
    /cache_control\.ttl/,
  ],
  [
    'a mark of another lifetime inside a tool result',
    {
      messages: [
        ask,
        assistantCall,
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '2h' } }],
        },
      ],
    },
    'messages',
    /cache_control\.ttl/,
  ],
  ['max_tokens a text', { max_tokens: '10' }, 'max_tokens', /number/],
  [
    'max_tokens a text beside the field that wins over it',
    { max_tokens: '10', max_completion_tokens: 5 },
    'max_tokens',
    /number/,
  ],
  [
    'a description of a tool that is no text',
    { tools: [{ type: 'function', function: { name: 'x', description: 5 } }] },
    'tools',
    /tools\[0\]\.function\.description/,
  ],
  [
    'max_completion_tokens negative',
    { max_completion_tokens: -1 },
    'max_completion_tokens',
    /at least 1/,
  ],
  ['temperature too high', { temperature: 2.01 }, 'temperature', /from 0 to 2/],
  ['temperature negative', { temperature: -0.1 }, 'temperature', /from 0/],
  ['top_p too high', { top_p: 1.01 }, 'top_p', /to 1/],
  ['top_k a fraction', { top_k: 1.5 }, 'top_k', /whole/],
  ['seed a text', { seed: 'x' }, 'seed', /number/],
  ['frequency_penalty too low', { frequency_penalty: -2.1 }, 'frequency_penalty', /-2/],
  ['presence_penalty too high', { presence_penalty: 2.1 }, 'presence_penalty', /2/],
  ['stop a number', { stop: 5 }, 'stop', /stop/],
  ['stop a list of numbers', { stop: [5] }, 'stop', /stop/],
  ['stream a text', { stream: 'true' }, 'stream', /true or false/],
  ['stream_options a list', { stream_options: [] }, 'stream_options', /object/],
  ['n above one', { n: 2 }, 'n', /^n must be 1; send the request once for each/],
  ['n zero', { n: 0 }, 'n', /n must/],
  ['logprobs a number', { logprobs: 1 }, 'logprobs', /true or false/],
  ['top_logprobs too many', { top_logprobs: 21 }, 'top_logprobs', /20/],
  ['logit_bias a list', { logit_bias: [1] }, 'logit_bias', /object/],
  ['logit_bias too high', { logit_bias: { 5: 100.5 } }, 'logit_bias', /from -100 to 100/],
  ['logit_bias a text', { logit_bias: { 5: '1' } }, 'logit_bias', /numbers/],
  ['verbosity another word', { verbosity: 'max' }, 'verbosity', /low, medium or high/],
  ['prediction a text', { prediction: 'x' }, 'prediction', /object/],
  ['prediction of another type', { prediction: { type: 'x', content: 'x' } }, 'prediction', /type/],
  ['prediction without content', { prediction: { type: 'content' } }, 'prediction', /content/],
  ['metadata a text', { metadata: 'x' }, 'metadata', /object/],
  ['user a number', { user: 5 }, 'user', /string/],
  ['store a text', { store: 'yes' }, 'store', /true or false/],
  ['modalities with audio', { modalities: ['text', 'audio'] }, 'modalities', /text only/],
  ['functions', { functions: [] }, 'functions', /tools/],
  ['function_call', { function_call: 'auto' }, 'function_call', /tool_choice/],
  ['session_id a number', { session_id: 5 }, 'session_id', /string/],
  ['prompt_cache_key a number', { prompt_cache_key: 5 }, 'prompt_cache_key', /string/],
  ['parallel_tool_calls a text', { parallel_tool_calls: 'no' }, 'parallel_tool_calls', /true/],
  ['tools is no list', { tools: {} }, 'tools', /list/],
  ['a tool is no object', { tools: ['x'] }, 'tools', /tools\[0\]/],
  ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools', /function/],
  ['a tool without function', { tools: [{ type: 'function' }] }, 'tools', /function/],
  [
    'a tool without name',
    { tools: [{ type: 'function', function: {} }] },
    'tools',
    /tools\[0\]\.function\.name/,
  ],
  [
    'tool parameters a text',
    { tools: [{ type: 'function', function: { name: 'x', parameters: '{}' } }] },
    'tools',
    /parameters/,
  ],
  ['a tool twice', { tools: [weather, weather] }, 'tools', /twice/],
  ['an unknown tool_choice', { tools, tool_choice: 'maybe' }, 'tool_choice', /tool_choice/],
  ['tool_choice a number', { tools, tool_choice: 5 }, 'tool_choice', /tool_choice/],
  [
    'tool_choice of a strange type',
    { tools, tool_choice: { type: { toString: null } } },
    'tool_choice',
    /tool_choice/,
  ],
  [
    'tool_choice of a tool there is not',
    { tools, tool_choice: { type: 'function', function: { name: 'nope' } } },
    'tool_choice',
    /not among/,
  ],
  [
    'allowed_tools of a tool there is not',
    {
      tools,
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'nope' } }] },
      },
    },
    'tool_choice',
    /not among/,
  ],
  ['tool_choice required without tools', { tool_choice: 'required' }, 'tool_choice', /no tools/],
  ['response_format a text', { response_format: 'json' }, 'response_format', /object/],
  [
    'response_format of another type',
    { response_format: { type: 'grammar' } },
    'response_format',
    /type/,
  ],
  [
    'what holds a schema is no object',
    { response_format: { type: 'json_schema', json_schema: 'x' } },
    'response_format',
    /json_schema must be an object/,
  ],
  [
    'a schema that is no object',
    { response_format: { type: 'json_schema', json_schema: { schema: 'x' } } },
    'response_format',
    /schema/,
  ],
  [
    'a schema name with a space',
    { response_format: { type: 'json_schema', json_schema: { name: 'a b', schema } } },
    'response_format',
    /name/,
  ],
  [
    'a schema description that is no text',
    { response_format: { type: 'json_schema', json_schema: { description: 1, schema } } },
    'response_format',
    /description/,
  ],
  [
    'a schema strictness that is no boolean',
    { response_format: { type: 'json_schema', json_schema: { strict: 'yes', schema } } },
    'response_format',
    /strict/,
  ],
  [
    'reasoning_effort outside the vocabulary',
    { reasoning_effort: 'extreme' },
    'reasoning_effort',
    /minimal, low/,
  ],
  ['reasoning_effort a number', { reasoning_effort: 3 }, 'reasoning_effort', /one of/],
  ['reasoning_effort in capitals', { reasoning_effort: 'HIGH' }, 'reasoning_effort', /one of/],
  [
    'prompt_cache_options of another mode',
    { prompt_cache_options: { mode: 'x' } },
    'prompt_cache_options',
    /mode/,
  ],
  ['prompt_cache of another mode', { prompt_cache: { mode: 'x' } }, 'prompt_cache', /mode/],
  [
    'a breakpoint of another mode',
    user([{ type: 'text', text: 'x', prompt_cache_breakpoint: { mode: 'x' } }]),
    'messages',
    /prompt_cache_breakpoint/,
  ],
]

for (const [what, fields, param, message] of bad) {
  test(`refused with param ${param}: ${what}`, () => {
    refused(fields, param, message)
  })
}

const names = (count: number): Json[] =>
  Array.from({ length: count }, (_, i) => ({ type: 'function', function: { name: `tool_${i}` } }))
const images = (count: number): Json =>
  user(Array.from({ length: count }, () => ({ type: 'image_url', image_url: { url: dataUrl } })))
const schemaNamed = (length: number): Json => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n'.repeat(length), schema } },
})
const longName = (length: number): Json => ({
  tools: [{ type: 'function', function: { name: 'n'.repeat(length) } }],
})

/** Bodies with at most 100,000 values reach the parser, so two of the limits are tried in one dimension only. */
const limits: [what: string, fits: Json, over: Json, param: string][] = [
  [
    'messages',
    { messages: Array<Json>(messagesMax).fill(ask) },
    { messages: Array<Json>(messagesMax + 1).fill(ask) },
    'messages',
  ],
  [
    'parts',
    user(Array(partsMax).fill({ type: 'text', text: 'x' })),
    user(Array(partsMax + 1).fill({ type: 'text', text: 'x' })),
    'messages',
  ],
  ['images', images(imagesMax), images(imagesMax + 1), 'messages'],
  ['tools', { tools: names(toolsMax) }, { tools: names(toolsMax + 1) }, 'tools'],
  [
    'stop strings',
    { stop: Array(stopStringsMax).fill('x') },
    { stop: Array(stopStringsMax + 1).fill('x') },
    'stop',
  ],
  [
    'characters of a tool name',
    longName(toolNameCharactersMax),
    longName(toolNameCharactersMax + 1),
    'tools',
  ],
  [
    'characters of a schema name',
    schemaNamed(schemaNameCharactersMax),
    schemaNamed(schemaNameCharactersMax + 1),
    'response_format',
  ],
  ['session_id', { session_id: 's'.repeat(1000) }, { session_id: 's'.repeat(1001) }, 'session_id'],
  ['temperature', { temperature: 2 }, { temperature: 2.000001 }, 'temperature'],
  ['max_tokens', { max_tokens: 1 }, { max_tokens: 0 }, 'max_tokens'],
]

for (const [what, fits, over, param] of limits) {
  test(`P4: both sides of the limit of ${what}`, () => {
    parseChat(bodyWith(fits))
    refused(over, param, /./)
  })
}

test('a refused field is 400 over HTTP, and as many messages as there may be reach a model server', async () => {
  await refusedOverHttp({ temperature: 2.000001 }, 'temperature', /number/)
  await refusedOverHttp({ system: 'x' }, 'system', /messages dialect/)
  await rig.reached('chat', limits[0]![1])
})

test('abilities a model lacks are refused naming model and field', async () => {
  const image = user([{ type: 'image_url', image_url: { url: dataUrl } }])
  const hosted = user([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }])
  await refusedOverHttp({ model: 'blind', ...image }, 'messages', /blind.*supports_vision/)
  await refusedOverHttp({ model: 'data-images', ...hosted }, 'messages', /data-images.*base64/)
  await refusedOverHttp({ model: 'toolless', tools }, 'tools', /toolless.*supports_tools/)
  await rig.reached('chat', { model: 'data-images', ...image })
})

test('max_tokens beyond the model is reduced and said', async () => {
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    for (const size of [128_000, 2 ** 31 - 1, 1e15, 2 ** 63, 1e308]) {
      const answer = await rig.post('chat', { [name]: size })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('x-service-params-adjusted'), 'max_tokens')
      assert.equal(rig.upstream.calls.at(-1)?.body.max_tokens, 8192)
    }
  }
})

test('a seed of 64 bits is taken, and one that no server could read is not', async () => {
  const told = async (seed: number): Promise<unknown> =>
    (await rig.reached('chat', { seed })).body.seed
  assert.equal(await told(2 ** 53 - 1), 2 ** 53 - 1)
  for (const seed of [2 ** 53, 2 ** 60 + 2 ** 30, 2 ** 63, -(2 ** 63)]) {
    const first = await told(seed)
    assert.ok(Number.isSafeInteger(first), String(first))
    assert.equal(await told(seed), first)
  }
  for (const seed of [2 ** 64, -(2 ** 64), 0.5, '7']) refused({ seed }, 'seed', /number/)
})

test('an empty name of a conversation is none', () => {
  const named = (fields: object): string | null =>
    parseChat({ model: 'ok', ...leastBody, ...fields }).request.conversation
  assert.equal(named({ session_id: '' }), null)
  assert.equal(named({ session_id: '', prompt_cache_key: '' }), null)
  assert.equal(named({ session_id: '', prompt_cache_key: 'key' }), 'key')
})

test('the three ways a body is no request have three texts', async () => {
  const rows: [raw: string, code: string, message: RegExp, param: string | null][] = [
    ['', 'invalid_json', /not valid JSON/, null],
    ['{"model":', 'invalid_json', /not valid JSON/, null],
    ['[]', 'invalid_body', /must be a JSON object/, null],
    ['"text"', 'invalid_body', /must be a JSON object/, null],
    ['null', 'invalid_body', /must be a JSON object/, null],
    ['{}', 'missing_required_parameter', /model is missing/, 'model'],
    ['{"model":"ok"}', 'missing_required_parameter', /messages is missing/, 'messages'],
    ['{"model":null,"messages":[]}', 'missing_required_parameter', /model is missing/, 'model'],
  ]
  for (const [raw, code, message, param] of rows) {
    const answer = await rig.post('chat', {}, { raw })
    assert.equal(answer.status, 400, raw)
    assert.equal(dig(answer.json, 'error.code'), code, raw)
    assert.match(String(dig(answer.json, 'error.message')), message)
    assert.equal(dig(answer.json, 'error.param'), param)
  }
})

test('the order of refusals: foreign, required, types, model, abilities', async () => {
  const broken = { model: 'nope', temperature: 'hot' }
  refused({ ...broken, messages: undefined, system: 'x' }, 'system', /messages dialect/)
  refused({ ...broken, model: 5, messages: undefined }, 'messages', /missing/)
  refused(broken, 'temperature', /number/)
  const unknown = await rig.post('chat', { model: 'nope', tools })
  assert.equal(unknown.status, 404)
  await refusedOverHttp({ model: 'toolless', tools }, 'tools', /toolless/)
})

test('S3: a key in the body that names an upstream is ignored', async () => {
  const plain = await rig.reached('chat', {})
  const { body, headers } = await rig.reached(
    'chat',
    { api_base: 'http://127.0.0.1:1', base_url: 'http://127.0.0.1:1', custom_host: 'x' },
    { headers: { 'x-forwarded-host': 'evil.example' } },
  )
  assert.deepEqual(body, plain.body)
  assert.equal(headers.host, `127.0.0.1:${rig.upstream.port}`)
})

test('the least body is enough', async () => {
  const { body } = await rig.reached('chat', { max_tokens: undefined })
  assert.deepEqual(body.messages, leastBody.messages)
  assert.equal(body.max_tokens, 8192)
})
