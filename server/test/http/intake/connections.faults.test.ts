// Connections to a whole Hone that no good client would make: idle by the thousands, several requests at once, garbage in
// the middle, more than an address may have.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, test } from 'node:test'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { RawClient } from './intake-server.ts'
import { until } from '#test/support/until.ts'

let upstream: ScriptedUpstream
let hone: TestHone
let port: number

before(async () => {
  upstream = await scriptedUpstream()
  hone = await testHone({ catalog: scriptedCatalog(upstream.baseUrl) })
  port = Number(new URL(hone.url).port)
})
after(async () => {
  await hone.stop()
  await upstream.close()
})

function ask(model: string, stream: boolean, ...headers: string[]): string {
  const body = JSON.stringify({
    model,
    stream,
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: hone',
    `authorization: Bearer ${hone.owner.key}`,
    `content-length: ${body.length}`,
    ...headers,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const small = () =>
  hone.call('POST', '/v1/chat/completions', {
    bearer: hone.owner.key,
    body: { model: 'plain', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
  })

/** Both ends of a connection are in this process. */
function socketsAllowed(): number {
  const said = execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  const open = said === 'unlimited' ? Infinity : Number(said)
  return Math.min(5000, Math.floor((open - 500) / 2))
}

test('P5: thousands of idle connections keep nobody else out, and are closed', async (t) => {
  const count = socketsAllowed()
  const idle: Socket[] = []
  let closed = 0
  for (let start = 0; start < count; start += 250) {
    const some = Array.from({ length: Math.min(250, count - start) }, () => {
      const socket = connect(port, '127.0.0.1')
      socket
        .resume()
        .on('error', () => {})
        .on('close', () => (closed += 1))
      return socket
    })
    await Promise.all(some.map((socket) => new Promise((resolve) => socket.on('connect', resolve))))
    idle.push(...some)
  }
  for (let i = 0; i < 20; i++) assert.equal((await small()).status, 200)
  t.diagnostic(`${count} idle connections`)
  await until(() => closed >= count)
  assert.equal((await small()).status, 200)
})

test('P5: requests sent without waiting are answered in order, each once', async () => {
  const client = new RawClient(port)
  const calls = Array.from({ length: 5 }, (_, i) => ask('plain', false, `x-request-id: call-${i}`))
  client.socket.write(calls.join(''))
  await client.until(() => client.statuses.length === 5)
  assert.deepEqual(client.statuses, [200, 200, 200, 200, 200])
  const ids = [...client.received.matchAll(/\r\nx-request-id: (\S+)/gi)].map(([, id]) => id)
  assert.deepEqual(ids, ['call-0', 'call-1', 'call-2', 'call-3', 'call-4'])
  client.socket.destroy()
})

test('S14: garbage after an answer has begun ends the connection and adds nothing to it', async () => {
  const client = new RawClient(port).send(ask('slow', true))
  await client.until(() => client.received.includes('Hello'))
  client.send('NONSENSE\r\n\r\n')
  await client.end
  assert.deepEqual(client.statuses, [200])
  assert.doesNotMatch(client.received, /malformed|BAD_REQUEST|\[DONE\]/)
  await hone.quiet()
})

test('S14: garbage after an answer that is over is answered, and the connection closes', async () => {
  const client = new RawClient(port).send(ask('plain', false))
  await client.until(() => client.statuses.length === 1)
  client.send('NONSENSE\r\n\r\n')
  await client.end
  assert.deepEqual(client.statuses, [200, 400])
  assert.match(client.received, /connection: close\r\n/i)
})

const outside = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')

test(
  'P5: an address has as many connections as the operator says',
  { skip: !outside },
  async () => {
    const open = await testHone({
      env: { HONE_HOST: '0.0.0.0', HONE_CONNECTIONS_PER_ADDRESS: '3' },
    })
    const sockets: RawClient[] = []
    const from = (address: string): RawClient => {
      const client = new RawClient(Number(new URL(open.url).port), address)
      sockets.push(client)
      return client.send('GET /healthz HTTP/1.1\r\nhost: hone\r\n\r\n')
    }
    try {
      const address = outside?.address ?? ''
      for (let i = 0; i < 3; i++) {
        const client = from(address)
        await client.until(() => client.statuses.length === 1)
      }
      const fourth = from(address)
      await fourth.end
      assert.deepEqual(fourth.statuses, [])
      for (let i = 0; i < 5; i++) {
        const local = from('127.0.0.1')
        await local.until(() => local.statuses.length === 1)
      }
    } finally {
      for (const { socket } of sockets) socket.destroy()
      await open.stop()
    }
  },
)
