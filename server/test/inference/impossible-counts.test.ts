// A count that no answer of the model can have, where the answer goes out whole: nobody has been given any of it, so that the next
// route is asked; and the route that said so has failed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { type ChaosHone, chaosHone, dialects, dig } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone((upstream) => [
    ...(['openai', 'anthropic'] as const).map((wire) => ({
      id: `first-lies-${wire}`,
      routes: [
        chaosRoute(upstream, wire, 'usage_huge', { weight: 1_000_000 }),
        chaosRoute(upstream, wire, 'ok', { weight: 0.000_001 }),
      ],
    })),
    ...[{ id: 'narrow' }, { id: 'thinks', reasoning: { efforts: ['high'], default: 'high' } }].map(
      (model) => ({
        ...model,
        context_window: 1000,
        max_output_tokens: 100,
        routes: [chaosRoute(upstream, 'openai', 'scripted', { pricing: { input: 1, output: 2 } })],
      }),
    ),
  ])
})
after(() => rig.stop())

for (const wire of ['openai', 'anthropic']) {
  for (const dialect of dialects) {
    test(`${dialect} on ${wire}: the next route answers, and only that one is paid`, async () => {
      const model = `first-lies-${wire}`
      const seen = rig.upstream.calls.length
      const before = await rig.wallet()
      const answer = await rig.post(dialect, { model, session_id: 'one' })
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /Hello world/)
      assert.ok(rig.upstream.calls.length - seen <= 2)
      const paid = Number(before.balance_usd) - Number((await rig.wallet()).balance_usd)
      assert.ok(paid > 0 && paid < 0.001)
    })
  }
}

test('alone it is an error, and costs nothing', async () => {
  const before = await rig.wallet()
  const answer = await rig.post('chat', { model: 'usage_huge' })
  assert.ok(answer.status >= 500)
  assert.match(String(dig(answer.json, 'error.message')), /reported an invalid token count/)
  assert.deepEqual(await rig.wallet(), before)
})

for (const dialect of dialects) {
  test(`${dialect}: a prompt that is longer than the catalog says is billed where its server answers it, and does the route no harm`, async () => {
    rig.upstream.script = { text: ['Hello'], usage: { prompt_tokens: 1250, completion_tokens: 3 } }
    const messages = [{ role: 'user', content: 'word '.repeat(1000) }]
    // More often than it takes a route to rest.
    for (const stream of [false, true, false, true]) {
      const before = await rig.wallet()
      const answer = await rig.post(dialect, { model: 'narrow', max_tokens: 100, messages, stream })
      assert.equal(answer.status, 200, answer.text)
      await rig.settled()
      const paid = Number(before.balance_usd) - Number((await rig.wallet()).balance_usd)
      assert.equal(Math.round(paid * 1e6), 1256)
    }
    rig.upstream.script = { text: ['Hello'], usage: { prompt_tokens: 9000, completion_tokens: 3 } }
    const more = await rig.post(dialect, { model: 'narrow', max_tokens: 100, messages })
    assert.ok(more.status >= 500, 'a prompt has no more tokens than bytes')
  })
}

// In millionths of a dollar: no more than the hundred tokens that were asked for.
for (const [prompt, output, paid] of [
  [1000, 3, 1006],
  [1001, 3, null],
  [7, 100, 207],
  [7, 101, 207],
  [7, 1000, 207],
  [7, 1001, null],
] as const) {
  test(`of a window of 1000, a prompt of ${prompt} and an answer of ${output} ${paid === null ? 'make no sense' : `cost ${paid}`}`, async () => {
    const usage = { prompt_tokens: prompt, completion_tokens: output }
    for (const stream of [false, true]) {
      rig.hone.app.calls.answerPorts.health = new RouteHealth()
      rig.upstream.script = { text: ['Hello'], usage }
      const before = await rig.wallet()
      const answer = await rig.post('chat', { model: 'narrow', max_tokens: 100, stream })
      await rig.settled()
      const spent = Number(before.balance_usd) - Number((await rig.wallet()).balance_usd)
      assert.equal(Math.round(spent * 1e6), paid ?? 0, answer.text)
      assert.equal(/invalid token count/.test(answer.text), paid === null)
    }
  })
}

test('thoughts beyond what was asked for are neither billed nor counted, and take nothing off the bill', async () => {
  for (const [fields, thoughts, least, most] of [
    [{}, 100, 207, 207],
    [{ reasoning_effort: 'none' }, undefined, 7, 207],
  ] as const) {
    rig.upstream.script = {
      text: ['Hello'],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 500,
        completion_tokens_details: { reasoning_tokens: 400 },
      },
    }
    const before = await rig.wallet()
    const answer = await rig.post('chat', { model: 'thinks', max_tokens: 100, ...fields })
    assert.equal(answer.status, 200, answer.text)
    await rig.settled()
    const paid = Math.round(
      (Number(before.balance_usd) - Number((await rig.wallet()).balance_usd)) * 1e6,
    )
    assert.ok(paid >= least && paid <= most, `${paid} for ${answer.text}`)
    assert.ok(Number(dig(answer.json, 'usage.completion_tokens')) >= 0)
    const counted = dig(answer.json, 'usage.completion_tokens_details.reasoning_tokens')
    assert.equal(counted, thoughts)
  }
})
