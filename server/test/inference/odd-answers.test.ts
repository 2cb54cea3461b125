// Answers of an upstream that are well-formed HTTP and JSON, and still not what the dialect says: what can be understood is,
// and nothing is billed with a part of it lost.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dig, paths, until } from '#test/support/chaos-hone.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const hello = { role: 'assistant', content: 'Hello' }

let upstream: Server
let hone: TestHone
/** What each model answers: the object whole, or the list as a stream. */
const says: Record<string, object> = { one: {}, spare: whole(hello) }

before(async () => {
  upstream = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { model } = JSON.parse(Buffer.concat(pieces).toString()) as { model: string }
      const said = says[model]
      const streams = Array.isArray(said)
      response.setHeader('content-type', streams ? 'text/event-stream' : 'application/json')
      const records = streams ? said.map((one) => `data: ${JSON.stringify(one)}\n\n`) : []
      response.end(streams ? `${records.join('')}data: [DONE]\n\n` : JSON.stringify(said))
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const route = {
    engine: 'openai-compatible',
    base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
    pricing: { input: 1, output: 2 },
  }
  const model = { context_window: 8192, max_output_tokens: 900 }
  const spare = { ...route, model: 'spare', weight: 0.000001 }
  hone = await testHone({
    catalog: {
      models: [
        { id: 'one', ...model, routes: [route] },
        { id: 'two', ...model, routes: [{ ...route, model: 'one', weight: 1000 }, spare] },
      ],
    },
  })
})
after(async () => {
  await hone.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})
beforeEach(() => {
  hone.app.answerPorts.health = new RouteHealth()
})

function whole(message: unknown, choice: object = {}): object {
  return { choices: [{ index: 0, message, finish_reason: 'stop', ...choice }], usage }
}

function chunk(delta: unknown, end: object = {}): object {
  return { choices: [{ index: 0, delta, finish_reason: null, ...end }] }
}

const stop = { ...chunk({}, { finish_reason: 'stop' }), usage }

function calls(...list: object[]): object {
  return whole({ role: 'assistant', content: null, tool_calls: list })
}

async function ask(said: object, dialect: 'chat' | 'messages' = 'chat', model = 'one') {
  says.one = said
  const before = await balance()
  const answer = await hone.call('POST', paths[dialect], {
    bearer: hone.owner.key,
    body: {
      model,
      max_tokens: 100,
      stream: Array.isArray(said),
      messages: [{ role: 'user', content: 'Hi' }],
    },
  })
  await until(() => hone.app.calls.size === 0)
  return { answer, microdollars: Math.round((before - (await balance())) * 1e6) }
}

async function balance(): Promise<number> {
  const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  return Number((json as { balance_usd?: string }).balance_usd)
}

function toolCalls({ json }: Answer): unknown {
  return dig(json, 'choices.0.message.tool_calls')
}

test('arguments that come as an object are the text they stand for', async () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: { city: 'Oslo' } } }
  const { answer, microdollars } = await ask(calls(call))
  assert.equal(dig(toolCalls(answer), '0.function.arguments'), '{"city":"Oslo"}')
  assert.equal(microdollars, 13)
  const inMessages = await ask(calls(call), 'messages')
  assert.deepEqual(dig(inMessages.answer.json, 'content.0.input'), { city: 'Oslo' })
  const streamed = await ask([chunk({ tool_calls: [{ index: 0, ...call }] }), stop])
  assert.match(streamed.answer.text, /"arguments":"\{\\"city\\":\\"Oslo\\"\}"/)
})

test('the calls of a whole answer stay apart, whatever index they carry', async () => {
  const call = (id: string, name: string) => ({
    id,
    index: 0,
    type: 'function',
    function: { name, arguments: '{}' },
  })
  const { answer } = await ask(calls(call('a', 'f'), call('b', 'g')))
  assert.deepEqual(toolCalls(answer), [
    { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
    { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
  ])
})

const namedCall = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
const lost: Record<string, object> = {
  'no message': { choices: [{ index: 0, finish_reason: 'stop' }], usage },
  'a message that is none': whole(null),
  'text that is a list': whole({ content: [{ type: 'text', text: 'Hello' }] }),
  'arguments that are a number': calls({ ...namedCall, function: { name: 'f', arguments: 5 } }),
  'a second call without an id': calls(namedCall, { function: { name: 'g', arguments: '{}' } }),
  'an answer given up with an error': whole(hello, { finish_reason: 'error' }),
  'an answer given up by an abort': whole(hello, { finish_reason: 'abort' }),
  'no count of tokens': { choices: [{ index: 0, message: hello, finish_reason: 'stop' }] },
  'no end': whole(hello, { finish_reason: null }),
}
for (const [what, said] of Object.entries(lost)) {
  test(`${what}: an error that costs nothing, and another route is asked where there is one`, async () => {
    for (const dialect of ['chat', 'messages'] as const) {
      const alone = await ask(said, dialect)
      assert.equal(alone.answer.status, 503)
      assert.equal(alone.microdollars, 0)
      const { answer, microdollars } = await ask(said, dialect, 'two')
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /Hello/)
      assert.equal(microdollars, 13)
    }
  })
}

test('a stream that its server gave up ends in an error and costs nothing', async () => {
  for (const finish_reason of ['error', 'abort']) {
    const end = { ...chunk({}, { finish_reason }), usage }
    const { answer, microdollars } = await ask([chunk(hello), end])
    assert.equal(answer.status, 200)
    assert.match(answer.text, /Hello/)
    assert.match(answer.text, /"error":\{"message":"The model server failed/)
    assert.doesNotMatch(answer.text, /\[DONE\]/)
    assert.equal(microdollars, 0)
  }
})

test('M7: more output than was asked for is shown and billed as what was asked for', async () => {
  const answer = { ...whole(hello), usage: { ...usage, completion_tokens: 8000 } }
  const asked = await ask(answer)
  assert.equal(dig(asked.answer.json, 'usage.completion_tokens'), 100)
  assert.equal(asked.microdollars, 7 + 100 * 2)
})
