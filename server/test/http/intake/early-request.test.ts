// Clients that send on before their answer is over: what comes next never lands inside it.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, leastBody, paths } from '#test/support/chaos-hone.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

function request(fields: object): string {
  const body = JSON.stringify({ ...leastBody, ...fields })
  return (
    `POST ${paths.chat} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${rig.hone.owner.key}\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`
  )
}

test('bytes that are no request end a connection without a word into the stream on it', async () => {
  const wallet = await rig.wallet()
  const { hostname, port } = new URL(rig.hone.url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.on('data', (piece: Buffer) => (received += piece.toString()))
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(request({ model: 'hang_mid_stream', stream: true }))
  await until(() => received.includes('Hello'))
  const seen = rig.upstream.calls.length
  socket.write(request({ model: 'hang_before_headers' }))
  await rig.hone.call('GET', '/healthz')
  socket.write('no request at all\r\n\r\n')
  await closed
  assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1, received)
  await rig.settled()
  assert.equal(rig.upstream.calls.length, seen, 'what waited was never asked')
  assert.ok(rig.upstream.calls.every((call) => call.left))
  assert.deepEqual(await rig.wallet(), wallet)
})
