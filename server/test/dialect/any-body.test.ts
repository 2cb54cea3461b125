// Whatever JSON comes, it is read or refused for a field of it; and both endpoints answer it properly: 2xx or 4xx in their own shape,
// never a 500 and never a hang. Reading alone is quick, so that most bodies are only read and written on for a model server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import {
  type ChaosHone,
  chaosHone,
  dialects,
  dig,
  type DialectName,
  leastBody,
  paths,
} from '#test/support/chaos-hone.ts'
import { Refusal } from '#server/core/refusal.ts'
import * as anthropic from '#server/engine/anthropic-compatible/build-body.ts'
import type { EngineCall } from '#server/engine/engine.ts'
import * as openai from '#server/engine/openai-compatible/build-body.ts'
import { CallProofs } from '#server/engine/openai-compatible/call-proofs.ts'
import { ProvenThoughts } from '#server/engine/anthropic-compatible/proven-thought.ts'
import { chatDialect, type Dialect, messagesDialect } from '#server/http/v1/dialect.ts'
import type { Answer } from '#test/support/test-hone.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone(() => [
    { id: 'thinker', reasoning: { efforts: ['low', 'high'], default: 'high' } },
    { id: 'cacher', prompt_caching: { type: 'explicit', min_tokens: 1 } },
  ])
})
after(() => rig.stop())

/** Every top-level field that the tables of either dialect know and the words below do not have. */
const tableFields = [
  'frequency_penalty', 'presence_penalty', 'logprobs', 'top_logprobs', 'safety_identifier', 'store', 'verbosity',
  'prediction', 'moderation', 'audio', 'web_search_options', 'functions', 'function_call', 'prompt_cache_retention',
  'service_tier', 'parallel_tool_calls', 'context_management', 'container', 'mcp_servers', 'inference_geo', 'speed',
  'diagnostics', 'output_format', 'compaction', 'fallbacks', 'fallback_credit_token', 'thread',
] // prettier-ignore

const words = [
  'model', 'messages', 'role', 'content', 'type', 'text', 'user', 'assistant', 'system', 'tool', 'developer',
  'tools', 'tool_choice', 'function', 'name', 'parameters', 'input_schema', 'tool_calls', 'tool_call_id', 'id',
  'arguments', 'tool_use', 'tool_result', 'tool_use_id', 'input', 'image', 'image_url', 'url', 'source', 'base64',
  'media_type', 'data', 'thinking', 'signature', 'redacted_thinking', 'document', 'search_result', 'title',
  'cache_control', 'ephemeral', 'ttl', '5m', '1h', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p',
  'top_k', 'stop', 'stop_sequences', 'stream', 'stream_options', 'seed', 'n', 'response_format', 'json_schema',
  'json_object', 'schema', 'format', 'output_config', 'effort', 'reasoning_effort', 'low', 'high', 'none', 'enabled',
  'adaptive', 'disabled', 'budget_tokens', 'display', 'metadata', 'session_id', 'prompt_cache', 'prompt_cache_key',
  'prompt_cache_options', 'prompt_cache_breakpoint', 'mode', 'explicit', 'off', 'allowed_tools', 'auto', 'any',
  'required', 'refusal', 'is_error', 'modalities', 'logit_bias', 'ok', 'thinker', 'cacher', 'data:image/png;base64,AAAA',
  ...tableFields, 'strict', 'defer_loading', 'eager_input_streaming', 'disable_parallel_tool_use', 'between_tools',
  'summarized', 'omitted', 'minimal', 'medium', 'xhigh', 'max', 'implicit', 'input_audio', 'file', 'custom', 'detail',
  'reasoning_content', 'reasoning', 'reasoning_details', 'annotations', 'index', 'extra_content', 'include_usage',
  '__proto__', 'constructor', 'toString', 'toJSON', 'valueOf', 'length', '', 'x'.repeat(300), '\ud800', '\u0000',
] // prettier-ignore

const leaf = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(null, true, false, 0, -1, 1, 0.5, 1e308, -1e308, 2 ** 53, 100),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

/** JSON in which the words of the dialects turn up in every place, the right ones included. */
const { value: anything } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...words), tie('value'), { maxKeys: 6 }),
}))

const block = fc.record(
  {
    type: fc.constantFrom(
      'text',
      'image',
      'image_url',
      'tool_use',
      'tool_result',
      'thinking',
      'document',
      'refusal',
    ),
    text: fc.oneof(fc.string(), anything),
    id: leaf,
    name: leaf,
    input: anything,
    tool_use_id: leaf,
    content: anything,
    source: anything,
    image_url: anything,
    thinking: leaf,
    signature: leaf,
    cache_control: fc.oneof(fc.constant({ type: 'ephemeral' }), anything),
  },
  { requiredKeys: ['type'] },
)

const message = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'system', 'tool', 'developer'),
    content: fc.oneof(fc.string(), fc.array(fc.oneof(block, anything), { maxLength: 4 }), anything),
    tool_calls: anything,
    tool_call_id: leaf,
  },
  { requiredKeys: ['role'] },
)

const nearlyRight = fc
  .tuple(
    fc.array(fc.oneof({ arbitrary: message, weight: 5 }, { arbitrary: anything, weight: 1 }), {
      maxLength: 5,
    }),
    fc.constantFrom('ok', 'thinker', 'cacher', 'anthropic/ok', 'one_call', 'nope'),
    fc.dictionary(fc.constantFrom(...words), anything, { maxKeys: 3 }),
    fc.boolean(),
  )
  .map(([messages, model, more, stream]) => ({ max_tokens: 5, model, messages, stream, ...more }))

const right = fc
  .constantFrom('ok', 'thinker', 'cacher', 'anthropic/ok', 'one_call', 'nope')
  .map((model) => ({ model, ...leastBody }))

const few = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(values, { maxLength: 3 })
const number = fc.constantFrom(0, 1, 2, 5, 0.5, -1, -2.5, 20, 1000, 1e15, 1e308, '1', true)
const flag = fc.constantFrom<unknown>(true, false, 'true', 0)
const text = fc.constantFrom('', 'a', 'auto', 'low', 'x'.repeat(1000), 'x'.repeat(1001))
const schema = fc.constantFrom<unknown>({}, { type: 'object', properties: { a: {} } }, [], 'x')
const marking = fc.constantFrom<unknown>(
  { type: 'ephemeral' },
  { type: 'ephemeral', ttl: '1h', more: 1 },
  { type: 'ephemeral', ttl: '2h' },
  { type: 'x' },
  'x',
)
const toolName = fc.constantFrom('a', 'b', 'not a name', '', 5)
const anyTool = fc.oneof(
  fc.record({
    type: fc.constantFrom('function', 'custom', null),
    function: fc.record({ name: toolName, parameters: schema, strict: flag }, { requiredKeys: [] }),
    cache_control: marking,
  }, { requiredKeys: ['type'] }),
  fc.record({
    type: fc.constantFrom('custom', 'bash_20250124', null),
    name: toolName,
    input_schema: schema,
    eager_input_streaming: flag,
    cache_control: marking,
  }, { requiredKeys: ['name'] }),
) // prettier-ignore
const choice = fc.oneof(
  fc.constantFrom('auto', 'none', 'required', 'any', 'a'),
  fc.record(
    {
      type: fc.constantFrom('auto', 'any', 'tool', 'none', 'function', 'allowed_tools'),
      name: toolName,
      function: fc.record({ name: toolName }),
      disable_parallel_tool_use: flag,
      allowed_tools: fc.constantFrom<unknown>({ mode: 'auto', tools: [] }, { mode: 'x' }, []),
    },
    { requiredKeys: ['type'] },
  ),
)
const format = fc.record(
  {
    type: fc.constantFrom('text', 'json_object', 'json_schema', 'grammar'),
    schema,
    json_schema: fc.record({ name: toolName, schema, strict: flag }, { requiredKeys: [] }),
  },
  { requiredKeys: ['type'] },
)

/** Each field of the tables with values of the shape it has, right ones and wrong ones. */
const fieldValues: Record<string, fc.Arbitrary<unknown>> = {
  max_tokens: number,
  max_completion_tokens: number,
  tools: few(anyTool),
  tool_choice: choice,
  temperature: number,
  top_p: number,
  top_k: number,
  metadata: fc.constantFrom<unknown>({}, { user_id: 'u' }, { user_id: 5 }, 'x'),
  service_tier: text,
  cache_control: marking,
  session_id: text,
  prompt_cache: fc.constantFrom<unknown>({ mode: 'off' }, { mode: 'auto' }, {}, { mode: 'x' }),
  reasoning_effort: fc.constantFrom('none', 'off', '', 'minimal', 'low', 'max', 'more', null, 5),
  parallel_tool_calls: flag,
  response_format: format,
  stop: fc.oneof(text, few(text), fc.constant(Array(17).fill('x'))),
  stop_sequences: fc.oneof(text, few(text)),
  stream: flag,
  stream_options: fc.constantFrom<unknown>({ include_usage: true }, {}, 'x', []),
  n: number,
  seed: number,
  frequency_penalty: number,
  presence_penalty: number,
  logit_bias: fc.constantFrom<unknown>({}, { 5: 1 }, []),
  logprobs: flag,
  top_logprobs: number,
  user: text,
  safety_identifier: text,
  store: flag,
  verbosity: text,
  prediction: fc.constantFrom<unknown>({ type: 'content', content: 'x' }, 'x'),
  moderation: fc.constantFrom<unknown>({}, 'x', 5),
  modalities: fc.constantFrom<unknown>(['text'], ['text', 'audio'], 'text', 5),
  audio: fc.constantFrom<unknown>({ voice: 'x' }, 'x'),
  web_search_options: fc.constantFrom<unknown>({}, 'x'),
  functions: fc.constantFrom<unknown>([], [{ name: 'a' }]),
  function_call: fc.constantFrom<unknown>('auto', { name: 'a' }),
  prompt_cache_key: text,
  prompt_cache_options: fc.constantFrom<unknown>({ mode: 'explicit' }, { ttl: '30m' }, { mode: 1 }),
  prompt_cache_retention: text,
  system: fc.oneof(text, few(fc.record({ type: text, text, cache_control: marking }))),
  thinking: fc.record(
    {
      type: fc.constantFrom('disabled', 'adaptive', 'enabled', 'between_tools', 'x'),
      display: fc.constantFrom('summarized', 'omitted', null, 'x'),
      budget_tokens: number,
    },
    { requiredKeys: ['type'] },
  ),
  output_config: fc.record(
    { effort: fc.constantFrom('low', 'max', null, 'more'), format },
    { requiredKeys: [] },
  ),
  context_management: fc.constantFrom<unknown>({ edits: [] }, 'x'),
  container: fc.constantFrom<unknown>('c', {}),
  mcp_servers: fc.constantFrom<unknown>([], [{ name: 'm' }], 'x'),
  inference_geo: text,
  speed: text,
  diagnostics: fc.constantFrom<unknown>({}, 'x'),
  output_format: format,
  compaction: fc.constantFrom<unknown>({}, { type: 'x' }),
  fallbacks: few(text),
  fallback_credit_token: text,
  thread: fc.constantFrom<unknown>({}, { id: 't' }),
}

const fieldNames = Object.keys(fieldValues)
const tableBody = fc
  .uniqueArray(fc.constantFrom(...fieldNames), { minLength: 1, maxLength: 4 })
  .chain((names) =>
    fc.record({
      model: fc.constantFrom('ok', 'thinker', 'cacher', 'anthropic/ok'),
      messages: fc.constant(leastBody.messages),
      max_tokens: fc.constant(100),
      ...Object.fromEntries(names.map((name) => [name, fieldValues[name]!])),
    }),
  )

const bodies = fc.oneof(
  { arbitrary: fc.dictionary(fc.constantFrom(...words), anything, { maxKeys: 8 }), weight: 2 },
  { arbitrary: nearlyRight, weight: 6 },
  { arbitrary: right, weight: 3 },
)

/** Any value in any one field. */
const spoilt = fc
  .tuple(fc.constantFrom(...words), anything)
  .map(([name, value]): object => ({ model: 'ok', ...leastBody, [name]: value }))

const readers: Record<DialectName, Dialect> = { chat: chatDialect, messages: messagesDialect }
const profile: openai.BodyProfile = {
  cacheSaltKey: null,
  passesThinking: true,
  tokenizes: false,
  continues: false,
  wholeOnly: false,
  maxTokensField: 'max_tokens',
  thinking: 'reasoning_effort',
  leavesOut: [],
  proofs: new CallProofs('http://u'),
}
const proven = new ProvenThoughts('http://u', 'm')

/** The refusal of a body that cannot be read; null for one that can, and that either kind of model server can be sent. */
function read(dialect: DialectName, body: object): Refusal | null {
  const text = JSON.stringify(body)
  const from = { text, workspaceId: 'w', thinkingKey: Buffer.alloc(32), headers: {} }
  try {
    const { request } = readers[dialect].parse(JSON.parse(text) as Record<string, unknown>, from)
    const call: EngineCall = {
      request,
      engineModel: 'm',
      effort: request.reasoning.kind === 'effort' ? request.reasoning.effort : null,
      thinkingBudgetTokens: null,
      maxTokens: request.maxTokens ?? 1,
      requestId: 'r',
      workspaceId: 'w',
    }
    JSON.stringify(openai.buildBody(call, profile))
    const ways: anthropic.BodyProfile = { thinking: 'adaptive', leavesOut: [] }
    JSON.stringify(anthropic.buildBody(call, ways, { proven }))
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    assert.equal(error.status, 400)
    return error
  }
}

async function proper(path: string, body: unknown): Promise<Answer> {
  const answer = await rig.hone.call('POST', path, { bearer: rig.hone.owner.key, body })
  assert.ok([200, 400, 404].includes(answer.status), `${answer.status} ${answer.text}`)
  if (answer.status !== 200) {
    assert.equal(typeof dig(answer.json, 'error.message'), 'string')
    assert.equal(typeof dig(answer.json, 'error.type'), 'string')
  }
  return answer
}

/** A stream that has begun ends as its dialect says, or in an error. */
function assertEnded(dialect: DialectName, { text: all, headers }: Answer): void {
  if (!headers.get('content-type')?.startsWith('text/event-stream')) return
  const last = all.trimEnd().split('\n\n').at(-1) ?? ''
  assert.match(last, dialect === 'chat' ? /^data: \[DONE\]$/ : /^event: message_stop\n/)
}

async function eightAtOnce(
  body: fc.Arbitrary<object>,
  numRuns: number,
  check: (body: object) => Promise<void>,
): Promise<void> {
  const several = fc.array(body, { minLength: 8, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(several, async (eight) => void (await Promise.all(eight.map(check)))),
    { numRuns },
  )
  await rig.settled()
  assert.equal((await rig.wallet()).held_usd, '0')
}

for (const dialect of dialects) {
  test(`${dialect}: any JSON object is read or refused`, () => {
    const outcomes = new Set<boolean>()
    const body = fc.oneof(bodies, spoilt)
    fc.assert(
      fc.property(body, (one) => void outcomes.add(read(dialect, one) === null)),
      { numRuns: 800 },
    )
    assert.equal(outcomes.size, 2)
  })

  test(`${dialect}: fields of the tables, a few at once, are read or one of them is refused by name`, () => {
    const [served, named] = [new Set<string>(), new Set<string>()]
    fc.assert(
      fc.property(tableBody, (body) => {
        const refusal = read(dialect, body)
        if (refusal === null) return Object.keys(body).forEach((name) => served.add(name))
        const { param } = refusal.detail
        assert.ok(param !== undefined && param in body, refusal.message)
        named.add(param)
      }),
      { numRuns: 500 },
    )
    for (const name of fieldNames) {
      assert.ok(served.has(name) || named.has(name), `${name} was in no body`)
    }
    assert.ok(served.size > 20 && named.size > 15, `${served.size} served, ${named.size} refused`)
  })

  test(`any JSON object on ${paths[dialect]} gets a proper answer`, async () => {
    const statuses = new Set<number>()
    await eightAtOnce(bodies, 16, async (body) => {
      statuses.add((await proper(paths[dialect], body)).status)
    })
    assert.deepEqual([...statuses].sort(), [200, 400, 404])
  })

  test(`fields of the tables, a few at once, on ${paths[dialect]} get a proper answer`, async () => {
    await eightAtOnce(tableBody, 10, async (body) => {
      const answer = await proper(paths[dialect], body)
      if (answer.status === 200) assertEnded(dialect, answer)
      else {
        const param = dig(answer.json, 'error.param')
        assert.ok(typeof param === 'string' && param in body, answer.text)
      }
      // A count refuses what the call refuses, and takes what the call takes.
      if (dialect === 'messages') await proper(`${paths.messages}/count_tokens`, body)
    })
  })

  test(`any value in any one field of a good body on ${paths[dialect]} gets a proper answer`, async () => {
    await eightAtOnce(spoilt, 10, async (body) => void (await proper(paths[dialect], body)))
  })
}
