// How a route's server is asked to think: by a level, by a number of tokens or not at all, and what the client is told
// where it cannot be asked (spec 1, reasoning rules 2 and 3).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
  rig = await chaosHone((upstream) => {
    const model = (id: string, thinking: string, more: object = {}, leaves_out: string[] = []) => ({
      id,
      context_window: 200_000,
      max_output_tokens: 32_768,
      reasoning: { efforts: ['low', 'medium', 'high'], default: 'high', ...more },
      routes: [chaosRoute(upstream, 'anthropic', 'scripted', { thinking, leaves_out })],
    })
    const required = { required: true }
    return [
      model('adaptive', 'adaptive'),
      model('budget', 'budget'),
      model('none', 'none'),
      model('no-level', 'adaptive', {}, ['output_config']),
      model('no-level-budget', 'budget', {}, ['output_config']),
      model('always', 'adaptive', required),
      model('always-budget', 'budget', required),
      { ...model('quiet', 'budget'), reasoning: undefined },
    ]
  })
})
after(() => rig.stop())

const disabled = { type: 'disabled' }
const adaptive = { type: 'adaptive', display: 'summarized' }
const budget = (tokens: number): Json => ({ type: 'enabled', budget_tokens: tokens })

/** What reached the server about thinking, and what the client was told. */
async function asked(
  dialect: DialectName,
  fields: object,
): Promise<{ thinking: unknown; effort: unknown; adjusted: string | null; body: Json }> {
  rig.upstream.script = { text: ['Yes'] }
  const seen = rig.upstream.calls.length
  const answer = await rig.post(dialect, { max_tokens: 32_768, ...fields })
  assert.equal(answer.status, 200, answer.text)
  const body = rig.upstream.calls[seen]?.body ?? {}
  return {
    thinking: body.thinking,
    effort: dig(body, 'output_config.effort'),
    adjusted: answer.headers.get('x-service-params-adjusted'),
    body,
  }
}

const lessThan = 'reasoning_effort'
const effort = (of: string): object => ({ output_config: { effort: of } })

const levels: [what: string, fields: object, thinking: Json][] = [
  ['its default', {}, budget(16_384)],
  ['low', effort('low'), budget(2048)],
  ['medium', effort('medium'), budget(8192)],
  ['at most three quarters of the ceiling', { max_tokens: 8000 }, budget(6000)],
  ['at least what servers take', { max_tokens: 1025 }, budget(1024)],
  ['a budget that was named', { thinking: budget(5000) }, budget(5000)],
  ['a named budget that is too small', { thinking: budget(1) }, budget(1024)],
  ['a named one too large', { max_tokens: 4000, thinking: budget(9000) }, budget(3999)],
]
for (const [what, fields, thinking] of levels) {
  test(`budget: ${what}`, async () => {
    const got = await asked('messages', { model: 'budget', ...fields })
    assert.deepEqual([got.thinking, got.effort, got.adjusted], [thinking, undefined, null])
  })
}

test('a server that takes a budget is asked to think between calls, and no other', async () => {
  await asked('messages', { model: 'budget' })
  assert.equal(
    rig.upstream.calls.at(-1)?.headers['anthropic-beta'],
    'interleaved-thinking-2025-05-14',
  )
  await asked('messages', { model: 'adaptive' })
  assert.equal(rig.upstream.calls.at(-1)?.headers['anthropic-beta'], undefined)
})

test('a ceiling that leaves no room for a budget is answered without thinking, and that is said', async () => {
  const got = await asked('messages', { model: 'budget', max_tokens: 1024 })
  assert.deepEqual([got.thinking, got.adjusted], [disabled, lessThan])
})

const wireTools: Record<DialectName, Json> = {
  chat: { type: 'function', function: { name: 'f' } },
  messages: { name: 'f', input_schema: {} },
}
const forced: Record<DialectName, unknown[]> = {
  chat: ['required', { type: 'function', function: { name: 'f' } }],
  messages: [{ type: 'any' }, { type: 'tool', name: 'f' }],
}

for (const dialect of dialects) {
  const tools = [wireTools[dialect]]

  test(`${dialect}: a tool call that is forced is not thought about, and that is said`, async () => {
    for (const model of ['adaptive', 'budget']) {
      for (const tool_choice of forced[dialect]) {
        const got = await asked(dialect, { model, tools, tool_choice })
        assert.deepEqual([got.thinking, got.adjusted], [disabled, lessThan])
      }
      const off = dialect === 'chat' ? { reasoning_effort: 'none' } : { thinking: disabled }
      const tool_choice = forced[dialect][0]
      const unasked = await asked(dialect, { model, tools, tool_choice, ...off })
      assert.deepEqual([unasked.thinking, unasked.adjusted], [disabled, null])
    }
    const streamed = await rig.post(dialect, {
      model: 'adaptive',
      tools,
      tool_choice: forced[dialect][0],
      stream: true,
    })
    assert.equal(streamed.headers.get('x-service-params-adjusted'), lessThan)
    const quiet = await asked(dialect, { model: 'quiet', tools, tool_choice: forced[dialect][0] })
    assert.deepEqual([quiet.thinking, quiet.adjusted], [undefined, null])
  })

  test(`${dialect}: an answer that is gone on with is not thought about, and that is said`, async () => {
    for (const model of ['adaptive', 'budget']) {
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'So:' },
      ]
      const got = await asked(dialect, { model, messages })
      assert.deepEqual([got.thinking, got.adjusted], [disabled, lessThan])
    }
  })
}

test('one header names what was changed once, and other changes beside it', async () => {
  const got = await asked('messages', {
    model: 'adaptive',
    tools: [wireTools.messages],
    tool_choice: { type: 'any' },
    max_tokens: 1_000_000,
    ...effort('max'),
  })
  assert.deepEqual(got.adjusted?.split(', ').sort(), ['max_tokens', 'reasoning_effort'])
})

const use = { type: 'tool_use', id: 'a', name: 'f', input: {} }
const returned = { type: 'tool_result', tool_use_id: 'a', content: 'x' }
const tools = [wireTools.messages]
const user = (content: unknown): object => ({ role: 'user', content })
const assistant = (...content: unknown[]): object => ({ role: 'assistant', content })

async function thought(): Promise<unknown> {
  rig.upstream.script = { thinking: ['Hm'], calls: [{ id: 'a', name: 'f', pieces: ['{}'] }] }
  const answer = await rig.post('messages', { model: 'budget', tools, max_tokens: 4000 })
  return dig(answer.json, 'content.0')
}

test('with a budget, calls of tools are thought about where the thought they began with is there', async () => {
  const proven = await thought()
  const loop = (...more: object[]): object => ({
    model: 'budget',
    tools,
    messages: [user('Hi'), assistant(proven, use), user([returned]), ...more],
  })
  for (const more of [
    [],
    [assistant(use), user([returned])],
    [assistant({ type: 'text', text: 'A' }, use), user([returned, { type: 'text', text: 'B' }])],
    [user('Go on.'), assistant(use), user([returned])],
  ]) {
    const got = await asked('messages', loop(...more))
    assert.deepEqual([got.thinking, got.adjusted], [budget(16_384), null])
    assert.deepEqual(dig(got.body, 'messages.1.content.0'), {
      type: 'thinking',
      thinking: 'Hm',
      signature: 'signature-of-the-upstream',
    })
  }
})

test('with a budget, calls of tools that began without a thought go on without, and that is said', async () => {
  const proven = await thought()
  for (const messages of [
    [user('Hi'), assistant(use), user([returned])],
    [user('Hi'), assistant(use), user([returned]), assistant(proven, use), user([returned])],
  ]) {
    const got = await asked('messages', { model: 'budget', tools, messages })
    assert.deepEqual([got.thinking, got.adjusted], [disabled, lessThan])
    assert.equal(JSON.stringify(got.body.messages).includes('"thinking"'), false)
  }
})

test('with a budget, a new question is thought about whatever was done before', async () => {
  const messages = [
    user('Hi'),
    assistant(use),
    user([returned]),
    assistant({ type: 'text', text: 'A' }),
    user('And?'),
  ]
  const got = await asked('messages', { model: 'budget', tools, messages })
  assert.deepEqual([got.thinking, got.adjusted], [budget(16_384), null])
})

test('with a budget, clients of the chat dialect go on in calls of tools without thinking', async () => {
  const messages = [
    user('Hi'),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ]
  const got = await asked('chat', { model: 'budget', tools: [wireTools.chat], messages })
  assert.deepEqual([got.thinking, got.adjusted], [disabled, lessThan])
  const level = await asked('chat', { model: 'adaptive', tools: [wireTools.chat], messages })
  assert.deepEqual([level.thinking, level.adjusted], [adaptive, null])
})

test('a server that takes no wish is told none, and a caller with one learns of it', async () => {
  const silent = await asked('messages', { model: 'none' })
  assert.deepEqual([silent.thinking, silent.effort, silent.adjusted], [undefined, undefined, null])
  for (const wish of [effort('low'), { thinking: disabled }, { thinking: { type: 'adaptive' } }]) {
    const got = await asked('messages', { model: 'none', temperature: 0, ...wish })
    assert.deepEqual([got.thinking, got.effort, got.adjusted], [undefined, undefined, lessThan])
    assert.equal(got.body.temperature, 0)
  }
})

test('a server that takes no level is told none, and a caller with one learns of it', async () => {
  for (const [fields, adjusted] of [
    [{}, null],
    [{ thinking: { type: 'adaptive' } }, null],
    [effort('low'), lessThan],
  ] as const) {
    const got = await asked('messages', { model: 'no-level', ...fields })
    assert.deepEqual([got.thinking, got.effort, got.adjusted], [adaptive, undefined, adjusted])
  }
  const other = await asked('messages', { model: 'no-level-budget', ...effort('low') })
  assert.deepEqual([other.thinking, other.adjusted], [budget(2048), null])
})

test('a model that always thinks is never told not to', async () => {
  const off = await asked('messages', { model: 'always', thinking: disabled })
  assert.deepEqual([off.thinking, off.effort, off.adjusted], [adaptive, 'low', lessThan])
  const cheap = await asked('messages', { model: 'always-budget', thinking: disabled })
  assert.deepEqual([cheap.thinking, cheap.adjusted], [budget(2048), lessThan])
  const call = { tools, tool_choice: { type: 'any' } }
  const must = await asked('messages', { model: 'always', ...call })
  assert.deepEqual([must.thinking, must.adjusted], [adaptive, null])
  const mustToo = await asked('messages', { model: 'always-budget', ...call })
  assert.deepEqual([mustToo.thinking, mustToo.adjusted], [undefined, lessThan])
})
