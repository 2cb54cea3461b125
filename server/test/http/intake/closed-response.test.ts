// A client that has left makes no more events, so whatever begins to wait for one after that must be told at once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { keepAliveSeconds } from '#contract/limits.ts'
import { bodyDefaults, eachChunk } from '#server/http/intake/read-body.ts'
import { EventStream } from '#server/http/v1/event-stream.ts'
import { StallWatch } from '#server/http/v1/stall-watch.ts'
import { endResponse } from '#server/http/v1/write-response.ts'

/** A request whose client has left, and the response to it. */
async function leftAlone(text: string): Promise<[IncomingMessage, ServerResponse]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(text)
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  request.on('error', () => {})
  const closed = once(response, 'close')
  socket.destroy()
  await closed
  server.close()
  return [request, response]
}

test('an answer to a client that has left was not delivered', async () => {
  const [, response] = await leftAlone('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
  assert.equal(await endResponse(response, 'too late', new StallWatch()), false)
})

test('the body of a client that has left is not waited for', async () => {
  for (const body of ['{}', '{']) {
    const [request] = await leftAlone(
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n${body}`,
    )
    await assert.rejects(
      eachChunk(request, bodyDefaults, () => null),
      /closed in the middle/,
    )
  }
})

test('a client that takes nothing gets no keep-alives on top, and nothing piles up to wait for it', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.write('POST / HTTP/1.1\r\nhost: x\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const patient = new StallWatch(24 * 3600 * 1000)
  const stream = new EventStream(response, ': keep-alive\n\n', () => [], patient)
  const written = stream.write('x'.repeat(32 * 1024 * 1024))
  const waiting = response.writableLength
  for (let silence = 0; silence < 20; silence++) t.mock.timers.tick(keepAliveSeconds * 1000)
  assert.equal(response.writableLength, waiting)
  assert.equal(response.listenerCount('drain'), 1)
  socket.destroy()
  await written
  stream.stop()
  server.close()
})
