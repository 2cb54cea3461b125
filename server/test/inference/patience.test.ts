// Model servers that keep a connection and say nothing, and more calls at once than a pool of connections usually has.
import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dialects, dig, leastBody, paths } from '#test/support/chaos-hone.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireRecords } from '#test/support/wire-answer.ts'
import { until } from '#test/support/until.ts'

let upstream: Server
let hone: TestHone
let asked = 0
let respond: (response: ServerResponse) => void
const hello = wireRecords('openai', { text: ['Hello'] })

before(async () => {
  upstream = createServer((request, response) => {
    request.resume().on('end', () => {
      asked += 1
      if (request.url?.startsWith('/well')) response.end(hello.join(''))
      else respond(response)
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const route = (folder: string, weight: number, first_byte_seconds = 1) => ({
    engine: 'openai-compatible',
    base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/${folder}/v1`,
    pricing: { input: 1, output: 2 },
    probe: 'none',
    first_byte_seconds,
    weight,
  })
  const window = { context_window: 8192, max_output_tokens: 100 }
  hone = await testHone({
    catalog: {
      models: [
        { id: 'alone', ...window, routes: [route('odd', 1)] },
        { id: 'patient', ...window, routes: [route('odd', 1, 60)] },
        { id: 'two', ...window, routes: [route('odd', 1_000_000), route('well', 0.000_001)] },
      ],
      limits: { concurrent_calls: 1000 },
    },
  })
})
after(async () => {
  await hone.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
})

function ask(dialect: 'chat' | 'messages', fields: object): Promise<Answer> {
  const body = { ...leastBody, ...fields }
  return hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
}

const comments = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  const timer = setInterval(() => response.write(': still there\n\n'), 50)
  response.on('close', () => clearInterval(timer))
}

for (const dialect of dialects) {
  for (const stream of [false, true]) {
    test(`${dialect}, ${stream ? 'streamed' : 'whole'}: comments alone are no answer, and the next route is asked`, async () => {
      respond = comments
      const alone = await ask(dialect, { model: 'alone', stream })
      assert.equal(alone.status, 503, alone.text)
      assert.match(String(dig(alone.json, 'error.message')), /did not answer in time/)
      const two = await ask(dialect, { model: 'two', stream })
      assert.equal(two.status, 200, two.text)
      assert.match(two.text, /Hello/)
    })
  }
}

test('the head of an answer alone is no answer, and the next route is asked', async () => {
  respond = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  }
  const calls = dialects.flatMap((dialect) =>
    [false, true].map((stream) => ask(dialect, { model: 'two', stream })),
  )
  for (const answer of await Promise.all(calls)) {
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.text, /Hello/)
  }
})

test('comments before an answer that comes do no harm', async () => {
  respond = (response) => {
    comments(response)
    setTimeout(() => response.end(hello.join('')), 300)
  }
  assert.equal((await ask('chat', { model: 'alone' })).status, 200)
})

test('records without anything in them, and a last one with white space, are taken as they are meant', async () => {
  respond = (response) => {
    const text = hello.join('data:\n\n').replace('data: [DONE]', 'data: [DONE] ')
    assert.match(text, /\[DONE\] \n/)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  }
  const answer = await ask('chat', { model: 'alone' })
  assert.equal(answer.status, 200, answer.text)
  assert.match(answer.text, /Hello/)
})

test('three hundred calls at once are with the server at once', async () => {
  const waiting: ServerResponse[] = []
  respond = (response) => void waiting.push(response)
  const before = asked
  const calls = Array.from({ length: 300 }, () => ask('chat', { model: 'patient' }))
  await until(() => asked - before === 300)
  for (const response of waiting) response.end(hello.join(''))
  for (const answer of await Promise.all(calls)) assert.equal(answer.status, 200, answer.text)
})
