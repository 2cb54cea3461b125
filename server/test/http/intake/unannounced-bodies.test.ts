// Bodies of the platform that do not say how long they are: they count for what has come of them, like those that do.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '#server/core/refusal.ts'
import { PlatformBodies, refuseEncoded } from '#server/http/intake/platform-body.ts'

const MiB = 1024 * 1024

type Sent = { read: Promise<Buffer>; answered: () => void }

function send(
  bodies: PlatformBodies,
  workspaceId: string,
  chunks: Buffer[],
  bodyLimit: number,
): Sent {
  const raw = new PassThrough() as PassThrough & Pick<IncomingMessage, 'headers' | 'complete'>
  Object.assign(raw, { headers: {}, complete: true })
  const response = new EventEmitter()
  const request = { raw, routeOptions: { bodyLimit }, caller: { workspace: { id: workspaceId } } }
  const read = bodies.read(
    request as unknown as FastifyRequest,
    response as unknown as ServerResponse,
  )
  for (const chunk of chunks) raw.write(chunk)
  raw.end()
  return { read, answered: () => response.emit('close') }
}

const refusedWith =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code

test('they are bounded together, for a workspace, and give back what they held', async () => {
  const bodies = new PlatformBodies()
  const half = Buffer.alloc(32 * MiB)
  const held = [send(bodies, 'a', [half], 64 * MiB), send(bodies, 'a', [half], 64 * MiB)]
  for (const { read } of held) assert.equal((await read).length, half.length)
  const small = Buffer.alloc(64 * 1024)
  const over = Buffer.alloc(64 * 1024 + 1)
  await assert.rejects(send(bodies, 'a', [over], MiB).read, refusedWith('UNAVAILABLE'))
  await assert.rejects(send(bodies, 'a', [small, over], MiB).read, refusedWith('UNAVAILABLE'))
  assert.equal((await send(bodies, 'a', [small], MiB).read).length, small.length)
  assert.equal((await send(bodies, 'b', [half], 64 * MiB).read).length, half.length)
  held[0]?.answered()
  assert.equal((await send(bodies, 'a', [over], MiB).read).length, over.length)
})

test('they are bounded each, by what has come of them together', async () => {
  const bodies = new PlatformBodies()
  const part = Buffer.from('0123456789')
  assert.equal((await send(bodies, 'a', [part, part], 20).read).toString(), '01234567890123456789')
  await assert.rejects(send(bodies, 'a', [part, part], 19).read, refusedWith('PAYLOAD_TOO_LARGE'))
})

test('an encoding that changes nothing is taken in every spelling', () => {
  for (const encoding of ['', 'identity', 'Identity']) {
    refuseEncoded({ 'content-encoding': encoding })
  }
  refuseEncoded({})
  assert.throws(() => refuseEncoded({ 'content-encoding': 'gzip' }), refusedWith('BAD_REQUEST'))
})
