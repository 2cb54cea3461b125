// Clients that send their request byte by byte, or stop taking their answer, on the routes that are no calls to a model, over
// real sockets: each is given up on after a while. Those that are merely slow get all of their answer.
import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { earlyRequestsMax } from '#contract/limits.ts'
import { buildServer } from '#server/http/server.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { RawClient } from './intake-server.ts'
import { until } from '#test/support/until.ts'

const clientStallMs = 2000

let hone: TestHone
let server: FastifyInstance
let port: number
before(async () => {
  hone = await testHone()
  server = buildServer(hone.app, 'test', {
    clientStallMs,
    body: { graceMs: 200, bytesPerSecondMin: 1000 },
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  port = (server.server.address() as AddressInfo).port
})
after(async () => {
  await server.close()
  await hone.stop()
})

/** Sends one character now and then, for as long as it is let. */
async function drip(client: RawClient, character: string): Promise<void> {
  const timer = setInterval(() => client.send(character), 50)
  await client.end
  clearInterval(timer)
}

const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'host: hone', ...headers, '', ''].join('\r\n')

describe('a body that comes byte by byte', () => {
  const key = (): string => `x-api-key: ${hone.owner.key}`
  const bearer = (): string => `authorization: Bearer ${hone.owner.key}`
  const routes: [line: string, credential: () => string, told: RegExp][] = [
    ['POST /api/auth/login', () => 'x-none: 1', /"code":"BAD_REQUEST".*too slowly/],
    ['POST /api/api-keys', key, /"code":"BAD_REQUEST".*too slowly/],
    ['DELETE /api/members', key, /"code":"BAD_REQUEST".*too slowly/],
    ['POST /v1/chat/completions', bearer, /"code":"invalid_body"|too slowly/],
    ['POST /v1/messages', bearer, /"type":"invalid_request_error".*too slowly/],
    ['POST /v1/messages/count_tokens', bearer, /"type":"invalid_request_error".*too slowly/],
    ['POST /api/nowhere', key, /"code":"NOT_FOUND"/],
  ]
  for (const [line, credential, told] of routes) {
    for (const size of ['content-length: 1000', 'transfer-encoding: chunked']) {
      test(`is given up: ${line}, ${size.split(':')[0]}`, async () => {
        const client = new RawClient(port).send(head(line, credential(), size))
        await drip(client, size.startsWith('transfer') ? '1\r\n \r\n' : ' ')
        assert.equal(client.statuses.length, 1, client.received)
        assert.match(client.received, told)
        assert.match(client.received, /connection: close\r\n/i)
      })
    }
  }

  test('is not waited for where nobody reads it', async () => {
    for (const line of ['GET /healthz', 'GET /v1/models', 'GET /openapi.json', 'GET /api/%zz']) {
      const client = new RawClient(port).send(head(line, 'content-length: 1000'))
      await drip(client, ' ')
      assert.equal(client.statuses.length, 1, line)
      assert.match(client.received, /connection: close\r\n/i)
    }
  })

  test('leaves the connection open where all of it has come', async () => {
    const client = new RawClient(port).send(head('GET /healthz', 'content-length: 2') + '{}')
    await client.until(() => client.statuses.length === 1)
    client.send(head('GET /healthz', 'connection: close'))
    await client.end
    assert.deepEqual(client.statuses, [200, 200])
  })
})

test('a head that comes byte by byte is given up, wherever it was going', async () => {
  const lines = [
    'GET /api/wallet',
    'POST /v1/messages',
    'POST /v1/chat/completions',
    'GET /metrics',
  ]
  const clients = lines.map((line) => new RawClient(port).send(`${line} HTTP/1.1\r\nx-slow: `))
  const second = new RawClient(port).send(head('GET /healthz'))
  await second.until(() => second.statuses.length === 1)
  second.send('GET /api/wallet HTTP/1.1\r\nx-slow: ')
  await Promise.all([...clients, second].map((client) => drip(client, 'x')))
  for (const client of clients) assert.deepEqual(client.statuses, [408])
  assert.deepEqual(second.statuses, [200, 408])
})

describe('a client that stops taking its answer', () => {
  /** Together far more than the buffers of the system between two sockets hold. */
  const answers = 12
  const characters = 3_500_000
  let path: string
  let smallerPath: string
  before(async () => {
    path = await posted(characters)
    smallerPath = await posted(600_000)
  })

  /** Where a sample with so long an answer is read. */
  async function posted(length: number): Promise<string> {
    const body = { deployment_id: 'serverless', prompt: 'Why?', completion: 'x'.repeat(length) }
    const post = (): Promise<Answer> =>
      hone.call('POST', '/api/loop/traces', { key: hone.owner.key, body })
    let answer = await post()
    // So long a text is not redacted in time where the machine is very busy.
    while (answer.status === 503) answer = await post()
    assert.equal(answer.status, 201, answer.text.slice(0, 500))
    const { trace } = answer.json as unknown as { trace: { id: string } }
    return `/api/loop/traces/${trace.id}`
  }

  /** Asks for all answers at once, and rests after each so many bytes, or for good. */
  function ask(line: string, pace: { bytes: number; restMs: number | null }, count = answers) {
    const socket = connect(port, '127.0.0.1')
    const reader = {
      bytes: 0,
      reset: false,
      socket,
      closed: new Promise<void>((resolve) => socket.on('close', () => resolve())),
    }
    let sinceRest = 0
    socket.on('error', () => (reader.reset = true))
    socket.on('data', (chunk: Buffer) => {
      reader.bytes += chunk.length
      sinceRest += chunk.length
      if (sinceRest < pace.bytes) return
      sinceRest = 0
      socket.pause()
      if (pace.restMs !== null) setTimeout(() => socket.resume(), pace.restMs)
    })
    const one = (...headers: string[]): string =>
      head(line, `x-api-key: ${hone.owner.key}`, ...headers)
    socket.write(one().repeat(count - 1) + one('connection: close'))
    return reader
  }

  const connections = (): Promise<number> =>
    new Promise((resolve, reject) =>
      server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )

  async function isCutOff(reader: { bytes: number }): Promise<boolean> {
    await until(() => reader.bytes !== 0)
    for (let looks = 0; looks < 3000; looks++) {
      if ((await connections()) === 0) return true
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return false
  }

  for (const [name, line, count] of [
    ['a large one', () => `GET ${path}`, answers],
    ['many smaller ones', () => `GET ${smallerPath}`, earlyRequestsMax],
  ] as const) {
    test(`is cut off: ${name}`, async () => {
      let reader = ask(line(), { bytes: 1000, restMs: null }, count)
      while (!(await isCutOff(reader))) {
        // Answers of a database that was too slow are short, and then there is nothing to be cut off from.
        reader.socket.destroy()
        reader = ask(line(), { bytes: 1000, restMs: null }, count)
      }
      // A paused socket hears of its end only when it reads on.
      reader.socket.resume()
      await reader.closed
      assert.ok(reader.reset)
    })
  }

  test('but not one that is merely slow, though all together takes it longer than the limit', async () => {
    // Its rests alone are twice the limit. The system lets a server go on only after a good megabyte was taken, which
    // is some five rests, and many times less than the limit even where the machine is busy.
    const reader = ask(`GET ${path}`, { bytes: 256 * 1024, restMs: 50 }, 6)
    await reader.closed
    assert.ok(!reader.reset)
    assert.ok(reader.bytes > 6 * characters, `${reader.bytes} bytes`)
  })

  test('nor one that asks again after a while on a connection that it keeps', async () => {
    const client = new RawClient(port).send(head('GET /healthz'))
    await client.until(() => client.statuses.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 3 * clientStallMs))
    client.send(head('GET /healthz', 'connection: close'))
    await client.end
    assert.deepEqual(client.statuses, [200, 200])
  })
})
