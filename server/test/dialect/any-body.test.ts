// Whatever JSON comes, both endpoints answer it properly: 2xx or 4xx in their own shape, never a 500 and never a hang.
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

let rig: ChaosHone

before(async () => {
  rig = await chaosHone(() => [
    { id: 'thinker', reasoning: { efforts: ['low', 'high'], default: 'high' } },
    { id: 'cacher', prompt_caching: { type: 'explicit', min_tokens: 1 } },
  ])
})
after(() => rig.stop())

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

const bodies = fc.oneof(
  { arbitrary: fc.dictionary(fc.constantFrom(...words), anything, { maxKeys: 8 }), weight: 2 },
  { arbitrary: nearlyRight, weight: 6 },
  { arbitrary: right, weight: 1 },
)

async function checkProper(dialect: DialectName, body: unknown): Promise<number> {
  const answer = await rig.hone.call('POST', paths[dialect], {
    bearer: rig.hone.owner.key,
    body,
  })
  assert.ok([200, 400, 404].includes(answer.status), `${answer.status} ${answer.text}`)
  if (answer.status !== 200) {
    assert.equal(typeof dig(answer.json, 'error.message'), 'string')
    assert.equal(typeof dig(answer.json, 'error.type'), 'string')
  }
  return answer.status
}

for (const dialect of dialects) {
  test(`any JSON object on ${paths[dialect]} gets a proper answer`, async () => {
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(bodies, { minLength: 8, maxLength: 8 }), async (several) => {
        for (const status of await Promise.all(several.map((body) => checkProper(dialect, body)))) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }),
      { numRuns: 120 },
    )
    for (const status of [200, 400, 404]) {
      assert.ok((statuses.get(status) ?? 0) > 0, `no body was answered with ${status}`)
    }
    await rig.settled()
    assert.equal((await rig.wallet()).held_usd, '0')
  })

  test(`any value in any one field of a good body on ${paths[dialect]} gets a proper answer`, async () => {
    const field = fc.constantFrom(...words)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(field, anything), { minLength: 8, maxLength: 8 }),
        async (changes) => {
          await Promise.all(
            changes.map(([name, value]) =>
              checkProper(dialect, {
                model: 'ok',
                ...leastBody,
                ...Object.fromEntries([[name, value]]),
              }),
            ),
          )
        },
      ),
      { numRuns: 100 },
    )
  })
}
