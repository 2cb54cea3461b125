// What a server of the messages dialect would refuse is said to it in a way that it takes, for clients of either dialect.
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
  rig = await chaosHone((upstream) => [
    {
      id: 'marks',
      prompt_caching: { type: 'explicit', min_tokens: 64 },
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

test('where nothing at all is said, that is what is sent', async () => {
  const { messages } = await sent('chat', { messages: [user('')] })
  assert.deepEqual(messages, [user([text('')])])
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
