// A server that does not take its own thoughts back, for whatever reason, is told them in words, and the conversation goes
// on. What it refuses all the same is refused once.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import { dig, type Json, leastBody } from '#test/support/chaos-hone.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireRecords } from '#test/support/wire-answer.ts'

let upstream: Server
let hone: TestHone
let bodies: Json[] = []
let refuses: (body: string) => boolean

const refusal = {
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
}

before(async () => {
  upstream = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(JSON.parse(body) as Json)
      if (refuses(body)) return void response.writeHead(400).end(JSON.stringify(refusal))
      const calls = [{ id: 'a', name: 'f', pieces: ['{}'] }]
      const records = wireRecords('anthropic', { thinking: ['Hm'], calls })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(records.join(''))
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  const model = (id: string, thinking: string) => ({
    id,
    context_window: 100_000,
    max_output_tokens: 8000,
    supports_tools: true,
    reasoning: { efforts: ['low', 'high'], default: 'high' },
    routes: [
      {
        engine: 'anthropic-compatible',
        base_url: `http://127.0.0.1:${port}/v1`,
        thinking,
        probe: 'none',
        pricing: { input: 1, output: 2 },
      },
    ],
  })
  hone = await testHone({
    catalog: { models: [model('adaptive', 'adaptive'), model('budget', 'budget')] },
  })
})
after(async () => {
  await hone.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})
beforeEach(() => {
  bodies = []
  refuses = () => false
})

const tools = [{ name: 'f', input_schema: { type: 'object' } }]
const signed = { type: 'thinking', thinking: 'Hm', signature: 'signature-of-the-upstream' }
const inWords = { type: 'text', text: '<thinking>Hm</thinking>' }

function post(fields: object): Promise<Answer> {
  const body = { ...leastBody, max_tokens: 4000, tools, ...fields }
  return hone.call('POST', '/v1/messages', { bearer: hone.owner.key, body })
}

async function goOn(model: string, fields: object = {}): Promise<Answer> {
  const { json } = await post({ model })
  bodies = []
  return post({
    model,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: dig(json, 'content') },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
    ],
    ...fields,
  })
}

for (const stream of [false, true]) {
  for (const [model, thinking, adjusted] of [
    ['adaptive', 'adaptive', null],
    ['budget', 'disabled', 'reasoning_effort'],
  ] as const) {
    test(`${model}, ${stream ? 'streamed' : 'whole'}: refused thoughts go again as words`, async () => {
      refuses = (body) => body.includes('signature-of-the-upstream')
      const answer = await goOn(model, { stream })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(
        bodies.map((body) => dig(body, 'messages.1.content.0')),
        [signed, inWords],
      )
      assert.equal(dig(bodies[1], 'thinking.type'), thinking)
      assert.equal(answer.headers.get('x-service-params-adjusted'), adjusted)
    })
  }
}

test('what is refused for another reason is refused, and not asked for a third time', async () => {
  let first = true
  refuses = () => {
    if (!first) return true
    first = false
    return false
  }
  const answer = await goOn('adaptive')
  assert.equal(answer.status, 400, answer.text)
  assert.equal(bodies.length, 2)
  bodies = []
  const without = await post({ model: 'adaptive' })
  assert.equal(without.status, 400)
  assert.equal(bodies.length, 1)
})
