// Requests that a client sends before the ones before them are answered (HTTP pipelining): answered one after another, in order
// and bounded, so that no connection holds up the others.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { earlyRequestsMax } from '#contract/limits.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

type Client = { socket: Socket; text: string; closed: boolean }

function open(): Client {
  const { hostname, port } = new URL(hone.url)
  const client: Client = { socket: connect(Number(port), hostname), text: '', closed: false }
  client.socket.on('data', (data) => (client.text += String(data)))
  client.socket.on('error', () => {})
  client.socket.on('close', () => (client.closed = true))
  return client
}

const get = (path: string, id: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${id}\r\n\r\n`

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `early-${at}-`)

const answered = ({ text }: Client): string[] =>
  [...text.matchAll(/^x-request-id: (\S+)/gim)].map(([, id]) => id ?? '')

test('they are answered in the order in which they came', async () => {
  const client = open()
  const asked = ids(20)
  const paths = ['/healthz', '/v1/models', '/nothing', '/readyz']
  client.socket.write(asked.map((id, at) => get(paths[at % paths.length]!, id)).join(''))
  await until(() => answered(client).length === asked.length)
  assert.deepEqual(answered(client), asked)
  client.socket.destroy()
})

test('each with its own body, however long', async () => {
  const client = open()
  const post = (id: string, at: number): string => {
    const content = 'x'.repeat(at * 100_000)
    const body = JSON.stringify({ model: `model-${at}`, messages: [{ role: 'user', content }] })
    return `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${id}\r\nAuthorization: Bearer ${hone.owner.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  client.socket.write(ids(4).map(post).join(''))
  const named = (): string[] =>
    [...client.text.matchAll(/no model \\"(model-\d)/g)].map(([, name]) => name ?? '')
  await until(() => named().length === 4)
  assert.deepEqual(named(), ['model-0', 'model-1', 'model-2', 'model-3'])
  assert.deepEqual(answered(client), ids(4))
  client.socket.destroy()
})

test('as many as may wait are answered', async () => {
  const client = open()
  const asked = ids(earlyRequestsMax + 1)
  client.socket.write(asked.map((id) => get('/healthz', id)).join(''))
  await until(() => answered(client).length === asked.length)
  assert.equal(client.closed, false)
  client.socket.destroy()
})

test('one more than that closes the connection', async () => {
  const client = open()
  const asked = ids(earlyRequestsMax + 2)
  client.socket.write(asked.map((id) => get('/readyz', id)).join(''))
  await until(() => client.closed)
  assert.ok(answered(client).length < asked.length)
})

test('they count while they wait, and not for the rest of the connection', async () => {
  const client = open()
  const wave = earlyRequestsMax / 2
  const asked = ids(5 * wave)
  for (let from = 0; from < asked.length; from += wave) {
    const some = asked.slice(from, from + wave)
    client.socket.write(some.map((id) => get('/healthz', id)).join(''))
    await until(() => client.closed || answered(client).length === from + wave)
  }
  assert.deepEqual(answered(client), asked)
  client.socket.destroy()
})

test('a connection that sends more is closed, and nobody else notices', async () => {
  const client = open()
  client.socket.pause()
  const other = hone.call('GET', '/api/wallet', { key: hone.owner.key })
  client.socket.write(
    ids(1700)
      .map((id) => get('/metrics', id))
      .join(''),
  )
  assert.equal((await other).status, 200)
  client.socket.resume()
  await until(() => client.closed)
  assert.ok(answered(client).length <= earlyRequestsMax + 1)
  assert.equal((await hone.call('GET', '/healthz', {})).status, 200)
})

test('who leaves while requests wait leaves nothing behind', async () => {
  const client = open()
  client.socket.write(
    ids(30)
      .map((id) => get('/v1/models', id))
      .join(''),
  )
  await until(() => answered(client).length > 0)
  client.socket.destroy()
  assert.equal((await hone.call('GET', '/healthz', {})).status, 200)
})

test('a client of HTTP/1.0 is sent no interim answer', async () => {
  const client = open()
  const body = '{"email": "a@b.example", "password": "x"}'
  client.socket.write(
    `POST /api/auth/login HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await until(() => client.closed)
  assert.doesNotMatch(client.text, / 100 /)
  assert.match(client.text, /^HTTP\/1.1 4\d\d /)
})
