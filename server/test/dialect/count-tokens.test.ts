// `POST /v1/messages/count_tokens` judges a body as `/v1/messages` does: the same refusals in the same words, and a count
// for what would be answered.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dig, type Json } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import { type ImageHost, imageHost } from '#test/support/image-host.ts'
import type { Answer, CallOptions } from '#test/support/test-hone.ts'

let rig: ChaosHone
let inside: ImageHost

before(async () => {
  inside = await imageHost()
  rig = await chaosHone((upstream) => {
    const routes = [chaosRoute(upstream, 'anthropic', 'ok')]
    return [
      { id: 'caches', prompt_caching: { type: 'explicit', min_tokens: 64 }, routes },
      { id: 'blind', supports_vision: false, routes },
      { id: 'toolless', supports_tools: false, routes },
      { id: 'fetches', image_urls: 'fetch', routes },
      // So small a window that every call has its prompt counted.
      { id: 'tight', image_urls: 'fetch', context_window: 1000, max_output_tokens: 900, routes },
    ]
  })
})
after(async () => {
  await rig.stop()
  await inside.close()
})

const ask = { role: 'user', content: 'Hi' }
const mark = (of: object = {}): Json => ({ cache_control: { type: 'ephemeral', ...of } })
const text = (more: Json = {}): Json => ({ type: 'text', text: 'x', ...more })
const user = (...content: Json[]): Json => ({ messages: [{ role: 'user', content }] })
const marks = (count: number): Json => user(...Array.from({ length: count }, () => text(mark())))
const image = (url: string): Json => ({ type: 'image', source: { type: 'url', url } })

function post(path: string, options: CallOptions): Promise<Answer> {
  return rig.hone.call('POST', path, { bearer: rig.hone.owner.key, ...options })
}

type Verdict = { status: number; error: unknown }

function verdict({ status, json }: Answer): Verdict {
  return { status, error: status === 200 ? null : dig(json, 'error') }
}

/** What both endpoints say to the same request. */
async function both(options: CallOptions): Promise<[call: Verdict, count: Verdict]> {
  const call = await post('/v1/messages', options)
  return [verdict(call), verdict(await post('/v1/messages/count_tokens', options))]
}

const rows: [what: string, status: number, fields: Json][] = [
  ['nothing but words', 200, {}],
  ['four marks', 200, marks(4)],
  ['five marks', 400, marks(5)],
  ['three marks and the automatic one', 200, { ...marks(3), ...mark() }],
  ['four marks and the automatic one', 400, { ...marks(4), ...mark() }],
  ['a mark of an hour first', 200, user(text(mark({ ttl: '1h' })), text(mark()))],
  ['a mark of an hour last', 400, user(text(mark()), text(mark({ ttl: '1h' })))],
  ['a mark of another type', 400, user(text({ cache_control: { type: 'forever' } }))],
  [
    'a mark on a thought',
    400,
    { messages: [ask, { role: 'assistant', content: [{ type: 'thinking', ...mark() }] }] },
  ],
  ['an unknown model', 404, { model: 'nobody/nothing' }],
  [
    'an image for a blind model',
    400,
    { model: 'blind', ...user(image('https://a.example/b.png')) },
  ],
  [
    'tools for a model without',
    400,
    { model: 'toolless', tools: [{ name: 'a', input_schema: {} }] },
  ],
  ['a field of the other dialect', 400, { reasoning_effort: 'low' }],
  ['a wrong max_tokens', 400, { max_tokens: 0 }],
  ['a wrong temperature', 400, { temperature: 3 }],
  ['no messages', 400, { messages: [] }],
]
for (const [what, status, fields] of rows) {
  test(`${what}: a count is judged as a call is`, async () => {
    for (const model of ['caches', 'anthropic/ok']) {
      const body = { model, max_tokens: 50, messages: [ask], ...fields }
      const [call, count] = await both({ body })
      assert.equal(call.status, status)
      assert.deepEqual(count, call)
    }
  })
}

test('max_tokens is what only an answer needs', async () => {
  const [call, count] = await both({ body: { model: 'caches', messages: [ask] } })
  assert.equal(dig(call.error, 'param'), 'max_tokens')
  assert.equal(count.status, 200)
})

const body = JSON.stringify({ model: 'caches', max_tokens: 50, messages: [ask] })
const types = ['application/json; charset=latin1', 'text/plain', 'json', '*/*', 'a b/c; d', ';']
for (const type of types) {
  test(`the content type ${type} changes nothing for a call or a count`, async () => {
    const headers = { 'content-type': type }
    assert.deepEqual(await both({ raw: body, headers }), [
      { status: 200, error: null },
      { status: 200, error: null },
    ])
    const [call, count] = await both({ raw: '{"model":', headers })
    assert.deepEqual(call, {
      status: 400,
      error: { type: 'invalid_request_error', message: 'The body is not valid JSON.' },
    })
    assert.deepEqual(count, call)
  })
}

test('a body that is no JSON is said before a version that is no date', async () => {
  for (const raw of ['{', body]) {
    const [call, count] = await both({ raw, headers: { 'anthropic-version': 'latest' } })
    assert.equal(call.status, 400)
    assert.deepEqual(count, call)
  }
})

test('S5: a hosted image is never left to the model server to fetch for a count', async () => {
  for (const model of ['fetches', 'tight']) {
    rig.upstream.counted.length = 0
    const options = { body: { model, max_tokens: 50, ...user(image(inside.url('/pixel.png'))) } }
    const [call, count] = await both(options)
    // The call fails on the address, which is private; the count needs no more of an image than that it is there.
    assert.equal(call.status, 400)
    assert.equal(count.status, 200)
    assert.deepEqual(rig.upstream.counted, [])
    assert.equal(inside.seen.length, 0)
  }
})
