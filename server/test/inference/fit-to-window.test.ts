// Spec 1, reasoning rule 8, where a model server counts the prompt: an answer is cut down to what the window leaves, only
// where it has to be, and that is said. And the count of tokens that clients ask for.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type ChaosHone, chaosHone, dialects, dig } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone

const models = {
  messages: { path: '/v1/messages/count_tokens', field: 'input_tokens' },
  tokenizes: { path: '/tokenize', field: 'count' },
}

before(async () => {
  rig = await chaosHone((upstream) => {
    const window = { context_window: 1000, max_output_tokens: 800, supports_tools: true }
    const tokenizes = chaosRoute(upstream, 'openai', 'ok', { tokenizes: true })
    const keyless = chaosRoute(upstream, 'anthropic', 'ok', { api_key_env: 'NOT_SET_ANYWHERE' })
    return [
      { id: 'messages', ...window, routes: [chaosRoute(upstream, 'anthropic', 'ok')] },
      { id: 'tokenizes', ...window, routes: [tokenizes] },
      { id: 'counts-nowhere', ...window, routes: [chaosRoute(upstream, 'openai', 'ok')] },
      { id: 'second-counts', ...window, routes: [keyless, tokenizes] },
    ]
  })
})
after(() => rig.stop())
beforeEach(() => {
  rig.upstream.counts = null
  rig.upstream.counted = []
})

const long = { messages: [{ role: 'user', content: 'word '.repeat(100) }] }

for (const [model, { path, field }] of Object.entries(models)) {
  for (const dialect of dialects) {
    test(`${dialect}: ${model} leaves what the window has beside the prompt, on both sides`, async () => {
      for (const [prompt, asked, given] of [
        [300, 700, 700],
        [300, 701, 700],
        [999, 800, 1],
      ] as const) {
        rig.upstream.counts = { [field]: prompt }
        const answer = await rig.post(dialect, { model, ...long, max_tokens: asked })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(rig.upstream.calls.at(-1)?.body.max_tokens, given)
        assert.equal(
          answer.headers.get('x-service-params-adjusted'),
          given < asked ? 'max_tokens' : null,
        )
        assert.equal(rig.upstream.counted.at(-1)?.path, path)
      }
    })

    test(`${dialect}: ${model} is not asked to answer a prompt that leaves it no room`, async () => {
      await rig.settled()
      const seen = rig.upstream.calls.length
      const before = await rig.wallet()
      for (const prompt of [1000, 5000]) {
        for (const stream of [false, true]) {
          rig.upstream.counts = { [field]: prompt }
          const answer = await rig.post(dialect, { model, ...long, max_tokens: 800, stream })
          assert.equal(answer.status, 400, answer.text)
          assert.equal(dig(answer.json, 'error.type'), 'invalid_request_error')
          assert.equal(dig(answer.json, 'error.param'), 'messages')
          const why = `The prompt is too long: it has ${prompt} tokens and exceeds the context window of ${model} (the model's maximum context limit), which has room for 999; shorten the conversation.`
          assert.equal(dig(answer.json, 'error.message'), why)
        }
      }
      assert.equal(rig.upstream.calls.length, seen)
      assert.deepEqual(await rig.wallet(), before)
    })

    test(`${dialect}: ${model} is not asked to count what fits in any case`, async () => {
      await rig.reached(dialect, { model, max_tokens: 100 })
      assert.deepEqual(rig.upstream.counted, [])
    })
  }

  for (const [what, counts] of [
    ['no count', null],
    ['a count that is none', { [field]: 'many' }],
    ['a negative count', { [field]: -1 }],
    ['something else', ['x']],
  ] as const) {
    test(`${model}: ${what} changes nothing`, async () => {
      rig.upstream.counts = counts
      const { body } = await rig.reached('chat', { model, ...long, max_tokens: 800 })
      assert.equal(body.max_tokens, 800)
    })
  }

  test(`${model}: count_tokens is what the model server counts`, async () => {
    rig.upstream.counts = { [field]: 321 }
    const answer = await rig.hone.call('POST', '/v1/messages/count_tokens', {
      bearer: rig.hone.owner.key,
      body: { model, tools: [{ name: 'a', input_schema: {} }], system: 'Be kind.', ...long },
    })
    assert.deepEqual(answer.json, { input_tokens: 321 })
    const body = rig.upstream.counted.at(-1)?.body ?? {}
    assert.match(JSON.stringify(body), /Be kind\./)
    assert.ok(Array.isArray(body.tools))
    for (const other of ['max_tokens', 'stream', 'temperature']) assert.equal(other in body, false)
  })
}

test('where nobody counts, count_tokens is an estimate and max_tokens stays as it is', async () => {
  const { body } = await rig.reached('chat', { model: 'counts-nowhere', ...long, max_tokens: 800 })
  assert.equal(body.max_tokens, 800)
  const answer = await rig.hone.call('POST', '/v1/messages/count_tokens', {
    bearer: rig.hone.owner.key,
    body: { model: 'counts-nowhere', ...long },
  })
  assert.ok(Number(dig(answer.json, 'input_tokens')) > 100)
})

for (const dialect of dialects) {
  test(`${dialect}: where nobody counts, an estimate leaves room for a long prompt`, async () => {
    const words = (count: number) => ({
      model: 'counts-nowhere',
      messages: [{ role: 'user', content: 'abc '.repeat(count) }],
    })
    // 4 bytes to a token, and 32 bytes of marks around the message.
    const answer = await rig.post(dialect, { ...words(292), max_tokens: 800 })
    assert.equal(rig.upstream.calls.at(-1)?.body.max_tokens, 700)
    assert.equal(answer.headers.get('x-service-params-adjusted'), 'max_tokens')
    // It is only an estimate, so that what does not fit at all is for the model server to say.
    await rig.post(dialect, { ...words(5000), max_tokens: 800 })
    assert.equal(rig.upstream.calls.at(-1)?.body.max_tokens, 256)
  })
}

test('a route that cannot even be asked leaves the count to the next', async () => {
  rig.upstream.counts = { count: 300 }
  const { body } = await rig.reached('chat', { model: 'second-counts', ...long, max_tokens: 800 })
  assert.equal(body.max_tokens, 700)
})
