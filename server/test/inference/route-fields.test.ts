// What a route of the catalog says about its server's own ways: the fields it refuses, and the field in which it takes a wish
// to think.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { leavableFields } from '#server/core/server-ways.ts'
import { type ChaosHone, chaosHone, dialects, type DialectName } from '#test/support/chaos-hone.ts'
import { chaosRoute, type ChaosUpstream } from '#test/support/chaos-upstream.ts'

const everyField: readonly string[] = leavableFields.chat

/** What each field says where the model is to think at a high level, and where it is not to think. */
const wishes: Record<string, { high: object; none: object }> = {
  reasoning_effort: {
    high: { reasoning_effort: 'high' },
    none: { reasoning_effort: 'none' },
  },
  'reasoning_effort.none': { high: {}, none: { reasoning_effort: 'none' } },
  'reasoning.effort': {
    high: { reasoning: { effort: 'high' } },
    none: { reasoning: { effort: 'none' } },
  },
  'thinking.type': {
    high: { thinking: { type: 'enabled' } },
    none: { thinking: { type: 'disabled' } },
  },
  enable_thinking: { high: { enable_thinking: true }, none: { enable_thinking: false } },
  'chat_template_kwargs.enable_thinking': {
    high: { chat_template_kwargs: { enable_thinking: true } },
    none: { chat_template_kwargs: { enable_thinking: false } },
  },
  'chat_template_kwargs.thinking': {
    high: { chat_template_kwargs: { thinking: true } },
    none: { chat_template_kwargs: { thinking: false } },
  },
  none: { high: {}, none: {} },
}
const wishFields = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'chat_template_kwargs',
]

const headers = {
  'x-portkey-provider': 'openai',
  'x-gateway-key': { env: 'GATEWAY_KEY' },
  'anthropic-beta': 'context-1m',
}

let rig: ChaosHone

before(async () => {
  const models = (upstream: ChaosUpstream) => [
    ...[{}, { key_header: 'x-api-key' }, { key_header: 'authorization' }].map((way) => ({
      id: `key/${way.key_header ?? 'default'}`,
      routes: [chaosRoute(upstream, 'anthropic', 'ok', { api_key_env: 'THE_KEY', ...way })],
    })),
    ...(['openai', 'anthropic'] as const).map((wire) => ({
      id: `headers/${wire}`,
      routes: [chaosRoute(upstream, wire, 'ok', { api_key_env: 'THE_KEY', headers })],
    })),
    {
      id: 'headers/budget',
      routes: [chaosRoute(upstream, 'anthropic', 'ok', { thinking: 'budget', headers })],
    },
    ...[[], everyField, ['temperature', 'stream_options']].map((leaves_out) => ({
      id: `without/${leaves_out.length}`,
      reasoning: { efforts: ['high'], default: 'high' },
      routes: [chaosRoute(upstream, 'openai', 'ok', { leaves_out })],
    })),
    ...[true, false].map((continues) => ({
      id: `continues/${continues}`,
      routes: [chaosRoute(upstream, 'openai', 'ok', { continues })],
    })),
    ...Object.keys(wishes).flatMap((thinking) => {
      const routes = [chaosRoute(upstream, 'openai', 'ok', { thinking, tokenizes: true })]
      return [
        { id: thinking, reasoning: { efforts: ['low', 'high'], default: null }, routes },
        { id: `${thinking}/not`, routes },
        // So small that prompts have to be counted.
        {
          id: `${thinking}/small`,
          context_window: 200,
          max_output_tokens: 200,
          reasoning: { efforts: ['low', 'high'], default: null },
          routes,
        },
      ]
    }),
  ]
  rig = await chaosHone(models, { env: { THE_KEY: 'the-key', GATEWAY_KEY: ' secret\n' } })
})
after(() => rig.stop())

const full = {
  stream: true,
  stop: ['END'],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  tool_choice: 'required',
  parallel_tool_calls: false,
  temperature: 0.5,
  top_p: 0.5,
  top_k: 5,
  seed: 1,
  frequency_penalty: 0.5,
  presence_penalty: 0.5,
  logit_bias: { '5': 1 },
  verbosity: 'low',
  prediction: { type: 'content', content: 'x' },
  response_format: { type: 'json_object' },
}

test('a server of the messages dialect gets its key in the header that its route names', async () => {
  const keysFor = async (model: string) => {
    const { headers } = await rig.reached('messages', { model })
    return [headers['x-api-key'], headers.authorization]
  }
  assert.deepEqual(await keysFor('key/default'), ['the-key', undefined])
  assert.deepEqual(await keysFor('key/x-api-key'), ['the-key', undefined])
  assert.deepEqual(await keysFor('key/authorization'), [undefined, 'Bearer the-key'])
})

test('a gateway is told what its route names, and keeps the key of the route', async () => {
  for (const [model, key] of [
    ['headers/openai', 'authorization'],
    ['headers/anthropic', 'x-api-key'],
  ] as const) {
    const { headers: told } = await rig.reached('chat', { model })
    assert.deepEqual([told['x-portkey-provider'], told['x-gateway-key']], ['openai', 'secret'])
    assert.equal(told['anthropic-beta'], 'context-1m')
    assert.match(String(told[key]), /the-key$/)
    assert.equal(told['content-type'], 'application/json')
  }
  const { headers: told } = await rig.reached('chat', { model: 'headers/budget' })
  assert.equal(told['anthropic-beta'], 'context-1m,interleaved-thinking-2025-05-14')
})

test('fields that a server refuses are not sent to it, and all others are', async () => {
  const { body: all } = await rig.reached('chat', { ...full, model: 'without/0' })
  for (const field of everyField) assert.ok(field in all, field)
  const { body: none } = await rig.reached('chat', {
    ...full,
    model: `without/${everyField.length}`,
  })
  const left = Object.fromEntries(
    Object.entries(all).filter(([name]) => !everyField.includes(name)),
  )
  assert.deepEqual(none, left)
  const { body: some } = await rig.reached('chat', { ...full, model: 'without/2' })
  const { temperature, stream_options, ...rest } = all
  assert.deepEqual(some, rest)
  assert.deepEqual([temperature, stream_options], [0.5, { include_usage: true }])
})

const asked: Record<DialectName, Record<'high' | 'none', object>> = {
  chat: { high: { reasoning_effort: 'high' }, none: { reasoning_effort: 'none' } },
  messages: {
    high: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    none: { thinking: { type: 'disabled' } },
  },
}
for (const [model, expected] of Object.entries(wishes)) {
  test(`a server that takes ${model} is told so whether to think`, async () => {
    const said = (body: Record<string, unknown>): object =>
      Object.fromEntries(Object.entries(body).filter(([name]) => wishFields.includes(name)))
    for (const dialect of dialects) {
      for (const wish of ['high', 'none'] as const) {
        const { body } = await rig.reached(dialect, { ...asked[dialect][wish], model })
        assert.deepEqual(said(body), expected[wish])
        // There is nothing to tell a model that cannot.
        const { body: plain } = await rig.reached(dialect, {
          ...asked[dialect][wish],
          model: `${model}/not`,
        })
        assert.deepEqual(said(plain), {})
      }
    }
  })
}

test('a server that would answer a begun turn is told to go on with it, where the catalog says so', async () => {
  const user = { role: 'user', content: 'Hi' }
  const assistant = { role: 'assistant', content: 'Hel' }
  const told = async (dialect: DialectName, model: string, messages: object[]) => {
    const { body } = await rig.reached(dialect, { model, messages })
    return [body.continue_final_message, body.add_generation_prompt]
  }
  for (const dialect of dialects) {
    assert.deepEqual(await told(dialect, 'continues/true', [user, assistant]), [true, false])
    const other = [undefined, undefined]
    assert.deepEqual(await told(dialect, 'continues/true', [user, assistant, user]), other)
    assert.deepEqual(await told(dialect, 'continues/false', [user, assistant]), other)
  }
})

test('a server that cannot be told of a wish is told none, and a caller with one learns of it', async () => {
  for (const model of ['none', `without/${everyField.length}`]) {
    for (const dialect of dialects) {
      for (const wish of ['high', 'none'] as const) {
        const told = await rig.post(dialect, { ...asked[dialect][wish], model })
        assert.equal(told.headers.get('x-service-params-adjusted'), 'reasoning_effort')
      }
      const silent = await rig.post(dialect, { model })
      assert.equal(silent.headers.get('x-service-params-adjusted'), null)
    }
  }
  const heard = await rig.post('chat', { ...asked.chat.high, model: 'enable_thinking' })
  assert.equal(heard.headers.get('x-service-params-adjusted'), null)
})

test('what changes the template is said where prompts are counted too', async () => {
  rig.upstream.counts = { count: 5 }
  for (const [model, { high }] of Object.entries(wishes)) {
    const seen = rig.upstream.counted.length
    const fields = { model: `${model}/small`, reasoning_effort: 'high', max_tokens: 190 }
    await rig.reached('chat', { ...fields, messages: [{ role: 'user', content: 'x'.repeat(90) }] })
    const { body } = rig.upstream.counted[seen] ?? {}
    assert.ok(body, 'the prompt was not counted')
    const kwargs = 'chat_template_kwargs' in high ? high.chat_template_kwargs : undefined
    assert.deepEqual(body.chat_template_kwargs, kwargs)
  }
})
