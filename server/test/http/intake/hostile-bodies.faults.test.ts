// Hostile bodies against a whole Hone, over real connections: what is answered, what others notice, what it costs.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { inferenceBodyBytesMax } from '#contract/limits.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { hostileBodies, sendBody } from './hostile-bodies.ts'
import { RawClient } from './intake-server.ts'

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

const paths = ['/v1/chat/completions', '/v1/messages'] as const

/** A body of so many bytes that is fine but for a model nobody has. */
function padded(bytes: number): string {
  const [start, end] = [
    '{"model":"none","max_tokens":1,"messages":[{"role":"user","content":"',
    '"}]}',
  ]
  return start + 'a'.repeat(bytes - start.length - end.length) + end
}

describe('P1: a body of 32 MiB', () => {
  for (const path of paths) {
    for (const chunked of [false, true]) {
      const how = `${path}, ${chunked ? 'chunked' : 'declared'}`
      test(`is read, and one byte more is 413: ${how}`, async () => {
        const most = padded(inferenceBodyBytesMax)
        const fits = await sendBody(hone.url + path, hone.owner.key, most, { chunked })
        assert.equal(fits.status, 404, fits.text)
        const over = await sendBody(hone.url + path, hone.owner.key, `${most} `, { chunked })
        assert.equal(over.status, 413, over.text)
        assert.match(over.text, /33,554,432/)
        const kind = path === '/v1/messages' ? 'request_too_large' : 'invalid_request_error'
        assert.match(over.text, new RegExp(`"type":"${kind}"`))
      })
    }
  }
})

test('a body that is no JSON is told so, and 413 when it is too large as well', async () => {
  for (const path of paths) {
    const send = (bytes: number, chunked: boolean) =>
      sendBody(hone.url + path, hone.owner.key, 'a'.repeat(bytes), { chunked })
    for (const chunked of [false, true]) {
      const large = await send(3 << 20, chunked)
      assert.equal(large.status, 400)
      assert.match(large.text, /"message":"The body is not valid JSON\."/)
      assert.equal((await send(inferenceBodyBytesMax + 1, chunked)).status, 413)
    }
    assert.equal((await send(inferenceBodyBytesMax, true)).status, 400)
  }
})

for (const [name, body] of Object.entries(hostileBodies)) {
  test(`P2: ${name} is 400 in both dialects`, async () => {
    for (const path of paths) {
      for (const chunked of [false, true]) {
        const answer = await sendBody(hone.url + path, hone.owner.key, body(), { chunked })
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.text, /"message":"The body/)
        assert.doesNotMatch(answer.text, /node:|at .*\.ts|SyntaxError/)
      }
    }
  })
}

test('S7: names of prototypes are only keys', async () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
  for (const path of paths) {
    for (const name of names) {
      const inside = `"${name}":{"polluted":true,"prototype":{"polluted":true}}`
      const message = `{"role":"user","content":"Hi",${inside}}`
      const raw = `{"model":"plain","max_tokens":9,"messages":[${message}],${inside}}`
      const answer = await hone.call('POST', path, { bearer: hone.owner.key, raw })
      assert.ok([200, 400].includes(answer.status), answer.text)
      assert.equal(({} as { polluted?: boolean }).polluted, undefined)
    }
  }
})

test('P1: fifty hostile bodies at once: others are answered meanwhile, and memory stays bounded', async (t) => {
  const bodies = Object.values(hostileBodies).map((body) => Buffer.from(body()))
  const whole = Buffer.from(padded(inferenceBodyBytesMax))
  const rssBefore = process.memoryUsage().rss
  let running = true
  const hostile = Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      sendBody(
        hone.url + paths[index % 2]!,
        hone.owner.key,
        index % 3 === 0 ? whole : bodies[index % bodies.length]!,
        { chunked: index % 2 === 0 },
      ),
    ),
  ).finally(() => {
    running = false
  })
  const times: number[] = []
  while (running) {
    const start = performance.now()
    const answer = await hone.call('POST', '/v1/chat/completions', {
      bearer: hone.owner.key,
      body: { model: 'plain', messages: [{ role: 'user', content: 'Hi' }] },
    })
    assert.equal(answer.status, 200, answer.text)
    times.push(performance.now() - start)
  }
  const statuses = (await hostile).map(({ status }) => status)
  // 404 is a whole 32 MiB that was read and asked for a model nobody has.
  for (const status of statuses) assert.ok([400, 404, 413, 503].includes(status), String(status))
  times.sort((a, b) => a - b)
  const grownMiB = (process.memoryUsage().rss - rssBefore) / 2 ** 20
  t.diagnostic(
    `${times.length} small calls, median ${times[times.length >> 1]?.toFixed(0)} ms, ` +
      `slowest ${times.at(-1)?.toFixed(0)} ms, resident memory grew by ${grownMiB.toFixed(0)} MiB`,
  )
  assert.ok(grownMiB < 1500, `memory grew by ${grownMiB} MiB`)
  const small = await hone.call('GET', '/v1/models', { bearer: hone.owner.key })
  assert.equal(small.status, 200)
})

describe('S14: bytes that are no proper request', () => {
  const lines = (...more: string[]): string =>
    ['POST /v1/chat/completions HTTP/1.1', 'host: hone', ...more, '', ''].join('\r\n')
  for (const [name, bytes] of [
    ['two content lengths', lines('content-length: 2', 'content-length: 3') + '{}'],
    ['a length and chunks', lines('content-length: 2', 'transfer-encoding: chunked') + '0\r\n\r\n'],
    ['a folded header', lines('x-request-id: a', ' b', 'content-length: 0')],
    ['a NUL in a header', lines('x-request-id: a\0b', 'content-length: 0')],
    ['a lone CR in a header', lines('x-request-id: a\rb', 'content-length: 0')],
    ['a lone LF in a header', lines('x-request-id: a\nb', 'content-length: 0')],
    ['a space before the colon', lines('content-length : 2') + '{}'],
    ['no HTTP at all', '\x16\x03\x01 hello\r\n\r\n'],
    ['a chunk size that is none', lines('transfer-encoding: chunked') + 'zz\r\n'],
  ] as const) {
    test(`${name}: 400, and the connection closes`, async () => {
      const client = new RawClient(port).send(bytes)
      await client.end
      assert.equal(client.statuses.length, 1, client.received)
      assert.ok([400, 401].includes(client.statuses[0] ?? 0), client.received)
      assert.match(client.received, /connection: close\r\n/i)
      assert.doesNotMatch(client.received, /node:|HPE_|\.ts/)
    })
  }
})

test('P5: headers that do not come within 10 seconds cost the connection', async () => {
  const silent = new RawClient(port)
  const drip = new RawClient(port).send('POST /v1/messages HTTP/1.1\r\nhost: hone\r\nx-slow: ')
  const dripping = setInterval(() => drip.send('a'), 200)
  await Promise.all([silent.end, drip.end])
  clearInterval(dripping)
  assert.deepEqual(silent.statuses, [408])
  assert.deepEqual(drip.statuses, [408])
})
