// The line for other books that Claude Code puts before its system prompt is no part of the prompt.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'
import { type ChaosHone, chaosHone, dig, type Json } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import type { Wire } from '#test/support/wire-answer.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone((upstream) => {
    const model = (id: string, wire: Wire) => ({
      id,
      prompt_caching: { type: 'explicit', min_tokens: 64 },
      routes: [chaosRoute(upstream, wire, 'scripted')],
    })
    return [model('chat', 'openai'), model('claude', 'anthropic')]
  })
})
after(() => rig.stop())

const line = (nonce: string): string =>
  `x-anthropic-billing-header: cc_version=2.1.325.a1; cc_entrypoint=cli; cch=${nonce};`
const policy = 'Be kind and short. '.repeat(20)
const cache_control = { type: 'ephemeral' }
const lines = `${policy}\nBe brief.\n\nBe exact.`
const text = (of: string): Json => ({ type: 'text', text: of })

const shapes: [what: string, make: (nonce: string) => unknown, sent: string[]][] = [
  ['a block', (nonce) => [text(line(nonce)), { ...text(policy), cache_control }], [policy]],
  ['a marked block', (nonce) => [{ ...text(line(nonce)), cache_control }, text(policy)], [policy]],
  ['the first line of a text', (nonce) => `${line(nonce)}\n\n${policy}`, [policy]],
  [
    'the first line of a block',
    (nonce) => [{ ...text(`${line(nonce)}\n${policy}`), cache_control }],
    [policy],
  ],
  ['the first of many lines', (nonce) => `${line(nonce)}\n${lines}`, [lines]],
  ['all there is', (nonce) => [text(line(nonce))], []],
  ['all there is, as a text', (nonce) => line(nonce), []],
]

for (const [what, make, sent] of shapes) {
  test(`as ${what}, it reaches no model server`, async () => {
    rig.upstream.script = { text: ['Yes'] }
    const claude = await rig.reached('messages', { model: 'claude', system: make('fa690') })
    const blocks = (dig(claude.body, 'system') ?? []) as Json[]
    assert.deepEqual(
      blocks.map((block) => block.text),
      sent,
    )
    const chat = await rig.reached('messages', { model: 'chat', system: make('fa690') })
    const messages = dig(chat.body, 'messages') as Json[]
    assert.deepEqual(
      messages.map(({ content }) => content),
      [...sent, 'Hi'],
    )
  })
}

test('a mark on it is one of the request all the same', () => {
  const marked = (block: Json): boolean => {
    const system = [block, text(policy)]
    const messages = [{ role: 'user', content: 'Hi' }]
    return parseMessagesBody({ model: 'm', max_tokens: 1, system, messages }).request.cache.marked
  }
  assert.equal(marked({ ...text(line('fa690')), cache_control }), true)
  assert.equal(marked(text(line('fa690'))), false)
})

test('a conversation whose line changes reads what it wrote', async () => {
  rig.upstream.script = {
    text: ['Yes'],
    usage: { prompt_tokens: 500, completion_tokens: 3, total_tokens: 503 },
  }
  const ask = async (nonce: string): Promise<unknown> => {
    const system = [text(line(nonce)), { ...text(policy), cache_control }]
    const answer = await rig.post('messages', { model: 'chat', system })
    return dig(answer.json, 'usage')
  }
  const first = await ask('00001')
  const written = dig(first, 'cache_creation_input_tokens')
  assert.ok(Number(written) > 0)
  const second = await ask('00002')
  assert.equal(dig(second, 'cache_read_input_tokens'), written)
  assert.equal(dig(second, 'cache_creation_input_tokens'), undefined)
})

test('a count leaves it out too, and what is wrong with its block is still said', async () => {
  rig.upstream.counts = { input_tokens: 5 }
  const answer = await rig.hone.call('POST', '/v1/messages/count_tokens', {
    bearer: rig.hone.owner.key,
    body: {
      model: 'claude',
      messages: [{ role: 'user', content: 'Hi' }],
      system: [text(line('fa690')), text(policy)],
    },
  })
  assert.equal(dig(answer.json, 'input_tokens'), 5)
  assert.deepEqual(dig(rig.upstream.counted.at(-1)?.body, 'system'), [text(policy)])
  const wrong = { ...text(line('fa690')), cache_control: { type: 'forever' } }
  const refused = await rig.post('messages', { model: 'claude', system: [wrong] })
  assert.equal(refused.status, 400)
  assert.equal(dig(refused.json, 'error.param'), 'system')
})

test('elsewhere the same words are words', async () => {
  const messages = [{ role: 'user', content: line('fa690') }]
  const { body } = await rig.reached('messages', { model: 'chat', messages, system: policy })
  assert.equal(dig(body, 'messages.1.content'), line('fa690'))
  const system = `About ${line('fa690')}`
  const told = await rig.reached('messages', { model: 'chat', system })
  assert.equal(dig(told.body, 'messages.0.content'), system)
})
