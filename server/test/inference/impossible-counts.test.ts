// A count that no answer of the model can have, where the answer goes out whole: nobody has been given any of it, so that the next
// route is asked; and the route that said so has failed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
    {
      id: 'narrow',
      context_window: 1000,
      max_output_tokens: 100,
      routes: [chaosRoute(upstream, 'openai', 'scripted', { pricing: { input: 1, output: 2 } })],
    },
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
  assert.match(String(dig(answer.json, 'error.message')), /token count that makes no sense/)
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
