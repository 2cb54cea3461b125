// M7: counts of a model server that make no sense, or are not there. Each is said by a route that has not failed yet, so that none
// hides behind the rest of another: an answer that nobody can bill is an error and costs nothing; what can be told is billed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { type ChaosHone, chaosHone, dialects, dig, readEvents } from '#test/support/chaos-hone.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

const names = {
  openai: { input: 'prompt_tokens', output: 'completion_tokens' },
  anthropic: { input: 'input_tokens', output: 'output_tokens' },
}
type Wire = keyof typeof names

const counts =
  (input: unknown, output: unknown, more: Partial<Record<Wire, object>> = {}) =>
  (wire: Wire): unknown => ({
    [names[wire].input]: input,
    [names[wire].output]: output,
    ...more[wire],
  })

const cached = (tokens: unknown): Partial<Record<Wire, object>> => ({
  openai: { prompt_tokens_details: { cached_tokens: tokens } },
  anthropic: { cache_read_input_tokens: tokens },
})
const thought = (tokens: unknown): Partial<Record<Wire, object>> => ({
  openai: { completion_tokens_details: { reasoning_tokens: tokens } },
  anthropic: { output_tokens_details: { thinking_tokens: tokens } },
})

const noSense: [what: string, usage: (wire: Wire) => unknown][] = [
  ['no usage', () => undefined],
  ['null for a usage', () => null],
  ['a list', () => [7, 3]],
  ['nothing in it', () => ({})],
  ['texts', counts('7', '3')],
  ['fractions', counts(7, 3.5)],
  ['true', counts(true, true)],
  ['less than none', counts(7, -3)],
  ['1e308', counts(1e308, 1e308)],
  ['more than any window', counts(7, 99_999_999)],
  ['a null for the output', counts(7, null)],
  ['a null for the prompt', counts(null, 3)],
  ['no output', counts(7, undefined)],
  ['no prompt', counts(undefined, 3)],
  ['less than nothing cached', counts(7, 3, cached(-1))],
  ['a text for what was cached', counts(7, 3, cached('1'))],
  ['1e308 cached', counts(7, 3, cached(1e308))],
  ['a text for thoughts', counts(7, 3, thought('9'))],
]

/** In millionths of a dollar. */
async function paidFor(model: string, wire: Wire, usage: unknown) {
  const spent: { failed: boolean; paid: number }[] = []
  for (const dialect of dialects) {
    for (const stream of [false, true]) {
      rig.hone.app.answerPorts.health = new RouteHealth()
      rig.upstream.script = { text: ['Hello', ' world'], usage }
      const before = await rig.wallet()
      const answer = await rig.post(dialect, { model, stream })
      await rig.settled()
      const paid = Number(before.balance_usd) - Number((await rig.wallet()).balance_usd)
      const last = stream ? readEvents(answer.text).findLast(isData)?.data : answer.json
      const failed = dig(last, 'error') !== undefined
      assert.equal(answer.status, failed && !stream ? 502 : 200, `${wire} ${answer.text}`)
      if (failed) assert.doesNotMatch(answer.text, /\[DONE\]|message_stop/)
      spent.push({ failed, paid: Math.round(paid * 1e6) })
    }
  }
  return spent
}

function isData({ data }: { data: unknown }): boolean {
  return data !== '[DONE]'
}

const models: [Wire, string][] = [
  ['openai', 'scripted'],
  ['anthropic', 'anthropic/scripted'],
]

for (const [what, usage] of noSense) {
  test(`${what}: an error that costs nothing, whole and streamed`, async () => {
    for (const [wire, model] of models) {
      const spent = await paidFor(model, wire, usage(wire))
      assert.deepEqual(spent, Array(4).fill({ failed: true, paid: 0 }), wire)
    }
  })
}

const told: [what: string, usage: (wire: Wire) => unknown, paid: Record<Wire, number>][] = [
  // One dialect counts what was cached within the prompt, and the other beside it.
  ['more cached than the prompt has', counts(7, 3, cached(9)), { openai: 13, anthropic: 22 }],
  ['more output than was asked for', counts(7, 500), { openai: 207, anthropic: 207 }],
  ['more thoughts than output', counts(7, 3, thought(99)), { openai: 13, anthropic: 13 }],
  ['zeros', counts(0, 0), { openai: 0, anthropic: 0 }],
]
for (const [what, usage, paid] of told) {
  test(`${what}: billed for no more than there can have been`, async () => {
    for (const [wire, model] of models) {
      const spent = await paidFor(model, wire, usage(wire))
      assert.deepEqual(spent, Array(4).fill({ failed: false, paid: paid[wire] }), wire)
    }
  })
}
