// Clients that stop reading in the middle of their answer, over real sockets: cut off after a while, at no cost to anybody.
// Those that are merely slow get all of it.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { buildServer } from '#server/http/server.ts'
import { EventStream } from '#server/http/v1/event-stream.ts'
import { StallWatch } from '#server/http/v1/stall-watch.ts'
import {
  type ChaosHone,
  chaosHone,
  type DialectName,
  dialects,
  leastBody,
  paths,
} from '#test/support/chaos-hone.ts'
import { until } from '#test/support/until.ts'

/** Far more than the buffers of the system between two sockets hold. */
const piece = 'x'.repeat(64 * 1024)
const pieces = 320
const stallMs = 2500
const kinds = dialects.flatMap((dialect) => [
  { dialect, stream: true },
  { dialect, stream: false },
])

let rig: ChaosHone
let server: FastifyInstance
let port: number
before(async () => {
  rig = await chaosHone(undefined, { limits: { concurrent_calls: 4 } })
  rig.upstream.script = { text: Array.from({ length: pieces }, () => piece) }
  server = buildServer(rig.hone.app, 'test', { clientStallMs: stallMs })
  await server.listen({ port: 0, host: '127.0.0.1' })
  port = (server.server.address() as AddressInfo).port
})
after(async () => {
  await server.close()
  await rig.stop()
})

type Reader = {
  closed: Promise<void>
  readonly bytes: number
  tail: string
  /** Reads on without a rest: a paused socket hears of its end only then. */
  readOn(): void
}

/** Takes at most so many bytes, rests, and takes so many more; without a rest it stops for good. */
function ask(
  { dialect, stream }: { dialect: DialectName; stream: boolean },
  pace: { bytes: number; restMs: number | null },
): Reader {
  const socket = connect(port, '127.0.0.1')
  let bytes = 0
  let sinceRest = 0
  let rests = true
  const reader: Reader = {
    tail: '',
    get bytes() {
      return bytes
    },
    closed: new Promise((resolve) => socket.on('close', () => resolve())),
    readOn() {
      rests = false
      socket.resume()
    },
  }
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    sinceRest += chunk.length
    reader.tail = (reader.tail + chunk.toString('latin1')).slice(-200)
    if (!rests || sinceRest < pace.bytes) return
    sinceRest = 0
    socket.pause()
    if (pace.restMs !== null) setTimeout(() => socket.resume(), pace.restMs)
  })
  socket.write(request(dialect, { model: 'scripted', stream }, 'connection: close\r\n'))
  return reader
}

function request(dialect: DialectName, fields: object, headers = ''): string {
  const body = JSON.stringify({ ...leastBody, ...fields })
  return (
    `POST ${paths[dialect]} HTTP/1.1\r\nhost: x\r\n${headers}` +
    `authorization: Bearer ${rig.hone.owner.key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}

async function outcomes(outcome: string): Promise<number> {
  const { text } = await rig.hone.call('GET', '/metrics')
  const line = new RegExp(
    `^hone_calls_total\\{model="scripted",outcome="${outcome}"\\} (\\d+)$`,
    'm',
  )
  return Number(line.exec(text)?.[1] ?? 0)
}

for (const kind of kinds) {
  const name = `${kind.dialect}, ${kind.stream ? 'streamed' : 'whole'}`

  test(`a reader that stops is cut off and pays nothing: ${name}`, async () => {
    const wallet = await rig.wallet()
    const aborted = await outcomes('aborted')
    const seen = rig.upstream.calls.length
    const readers = Array.from({ length: 4 }, () => ask(kind, { bytes: 1000, restMs: null }))
    await until(() => rig.upstream.calls.length === seen + 4)
    await until(() => readers.every((reader) => reader.bytes > 0))
    await rig.settled()
    for (const reader of readers) reader.readOn()
    await Promise.all(readers.map(({ closed }) => closed))
    for (const { bytes } of readers) assert.ok(bytes < (piece.length * pieces) / 2)
    if (kind.stream) await until(() => rig.upstream.calls.slice(seen).every((call) => call.left))
    assert.equal(await outcomes('aborted'), aborted + 4)
    assert.deepEqual(await rig.wallet(), wallet)
    // There are four places: had one been kept, somebody would find none.
    const next = await Promise.all(Array.from({ length: 4 }, () => rig.post(kind.dialect, {})))
    assert.deepEqual(
      next.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    await rig.settled()
  })
}

test('a reader that is merely slow gets all of its answer, however long it takes', async () => {
  const completed = await outcomes('completed')
  const readers = kinds.map((kind) => ask(kind, { bytes: 512 * 1024, restMs: 100 }))
  await Promise.all(readers.map(({ closed }) => closed))
  for (const [at, { bytes, tail }] of readers.entries()) {
    assert.ok(bytes > piece.length * pieces, `${bytes} bytes`)
    const { dialect, stream } = kinds[at] ?? {}
    if (!stream) assert.match(tail, /\}\}$/)
    else assert.match(tail, dialect === 'chat' ? /\[DONE\]/ : /message_stop/)
  }
  await rig.settled()
  assert.equal(await outcomes('completed'), completed + kinds.length)
})

test('an answer that waits for the one before it on its connection is not taken for a stalled one', async () => {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let received = ''
  socket.on('data', (text: string) => (received += text))
  const seen = rig.upstream.calls.length
  // The limit on an answer of the platform must not be left behind for the model, which may think for as long as it likes.
  socket.write('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n')
  socket.write(
    request('chat', { model: 'gated_before_first' }) + request('messages', { model: 'ok' }),
  )
  socket.write(request('chat', { model: 'ok', stream: true }, 'connection: close\r\n'))
  await until(() => rig.upstream.calls.length === seen + 1)
  await delay(3 * stallMs)
  assert.equal(rig.upstream.calls.length, seen + 1, 'the others wait for their turn')
  rig.upstream.open()
  await new Promise((resolve) => socket.on('close', resolve))
  assert.equal(received.match(/HTTP\/1\.1 200/g)?.length, 4, received)
  assert.match(received, /\[DONE\]/)
  await rig.settled()
})

test('a stream that says little does not outlast a client that takes nothing of it', async () => {
  const stalls = new StallWatch(200)
  let left = 0
  let ended = false
  const plain = createServer((_, response) => {
    const stream = new EventStream(response, ': keep-alive\n\n', () => [], stalls)
    response.on('close', () => stream.stop())
    void (async () => {
      // As much as the system takes, and then a few bytes now and then: never so many that a write would have to wait.
      while (!response.destroyed && response.writableLength === 0) {
        await stream.write('x'.repeat(16 * 1024))
        await delay(1)
      }
      while (!response.destroyed && !response.writableNeedDrain) {
        await stream.write('x')
        left = Math.max(left, response.writableLength)
        await delay(20)
      }
      ended = true
    })()
  })
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const client = connect((plain.address() as AddressInfo).port, '127.0.0.1').pause()
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await until(() => ended)
  assert.ok(left > 0 && left < 64 * 1024, `${left} bytes waited`)
  client.destroy()
  plain.close()
})
