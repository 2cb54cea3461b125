// A model server may cache by itself, or a proxy before it may mark prompts. What it writes without having been asked
// costs no premium where writes are billed by breakpoints (spec 1, caching rules 3, 4 and 16).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dig } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone

const pricing = { input: 1, output: 2, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 }

before(async () => {
  rig = await chaosHone((upstream) => {
    const model = (id: string, prompt_caching: object) => ({
      id,
      prompt_caching,
      routes: [chaosRoute(upstream, 'anthropic', 'scripted', { pricing })],
    })
    return [
      model('explicit', { type: 'explicit', min_tokens: 64 }),
      model('writes', { type: 'automatic', min_tokens: 64, bills_writes: true }),
      model('by-itself', { type: 'automatic' }),
    ]
  })
  rig.upstream.script = {
    text: ['Yes'],
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 90,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 30 },
      output_tokens: 3,
    },
  }
})
after(() => rig.stop())

const long = 'be kind and short. '.repeat(20)
const ask = (content: string): object => ({ messages: [{ role: 'user', content }] })

const asInput = { prompt_tokens: 105, cached: 5, written: undefined }
const asReported = { prompt_tokens: 105, cached: 5, written: 90 }

const cases: [what: string, fields: object, billed: object][] = [
  ['a first message alone', { model: 'explicit', ...ask(long) }, asInput],
  ['a prompt that is too short', { model: 'explicit', ...ask('Hi') }, asInput],
  [
    'a call that wants no breakpoints',
    { model: 'explicit', ...ask(long), prompt_cache: { mode: 'off' } },
    asInput,
  ],
  [
    'a call that asks for a breakpoint pays for the write',
    { model: 'explicit', ...ask(long), cache_control: { type: 'ephemeral' } },
    asReported,
  ],
  ['writes by default, too short', { model: 'writes', ...ask('Hi') }, asInput],
  [
    'writes by default, switched off',
    { model: 'writes', ...ask(long), prompt_cache_options: { mode: 'explicit' } },
    asInput,
  ],
  ['writes by default pay', { model: 'writes', ...ask(`${long} now`) }, asReported],
  ['a server that caches by itself is billed as it says', { model: 'by-itself' }, asReported],
]
for (const [what, fields, billed] of cases) {
  test(what, async () => {
    const answer = await rig.post('chat', fields)
    assert.equal(answer.status, 200, answer.text)
    const told = {
      prompt_tokens: dig(answer.json, 'usage.prompt_tokens'),
      cached: dig(answer.json, 'usage.prompt_tokens_details.cached_tokens'),
      written: dig(answer.json, 'usage.prompt_tokens_details.cache_write_tokens'),
    }
    assert.deepEqual(told, billed)
  })
}
