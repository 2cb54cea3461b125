// What is counted of a call whose client left: 499 when it was told nothing, the status it was told when it was.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import {
  type ChaosHone,
  chaosHone,
  type DialectName,
  dialects,
  leastBody,
  paths,
} from '#test/support/chaos-hone.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

/** Answers by status so far. */
async function counted(dialect: DialectName): Promise<Record<string, number>> {
  const { text } = await rig.hone.call('GET', '/metrics')
  const line = /^hone_http_requests_total\{route="([^"]+)",status="(\d+)"\} (\d+)$/gm
  const found = [...text.matchAll(line)].filter(([, route]) => route === paths[dialect])
  return Object.fromEntries(found.map(([, , status, count]) => [status ?? '', Number(count)]))
}

function begin(dialect: DialectName, body: string, declared = body.length) {
  const { hostname, port } = new URL(rig.hone.url)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  let received = ''
  socket.on('data', (text: string) => (received += text))
  socket.write(
    `POST ${paths[dialect]} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${rig.hone.owner.key}\r\n` +
      `content-length: ${declared}\r\n\r\n${body}`,
  )
  return {
    leave: () => void socket.destroy(),
    get received() {
      return received
    },
  }
}

for (const dialect of dialects) {
  test(`a client that leaves before the head counts as 499, after it as what it was told: ${dialect}`, async () => {
    for (const [at, stream] of [true, false].entries()) {
      const seen = rig.upstream.calls.length
      const fields = { model: 'hang_before_headers', stream }
      const client = begin(dialect, JSON.stringify({ ...leastBody, ...fields }))
      await until(() => rig.upstream.calls.length > seen)
      client.leave()
      await rig.settled()
      assert.deepEqual(await counted(dialect), { 499: at + 1 })
    }

    const body = JSON.stringify({ ...leastBody, model: 'hang_mid_stream', stream: true })
    const reading = begin(dialect, body)
    await until(() => reading.received.includes('Hello'))
    reading.leave()
    await rig.settled()
    assert.deepEqual(await counted(dialect), { 200: 1, 499: 2 })

    const uploading = begin(dialect, body.slice(0, 10), body.length)
    await new Promise((resolve) => setTimeout(resolve, 50))
    uploading.leave()
    await until(async () => (await counted(dialect))['499'] === 3)
    assert.deepEqual(await counted(dialect), { 200: 1, 499: 3 })
  })
}

for (const dialect of dialects) {
  test(`what breaks a stream is in the log, and a client that leaves is not: ${dialect}`, async (t) => {
    const error = t.mock.method(rig.hone.app.log, 'error', () => {})
    const { text } = await rig.post(dialect, { model: 'negative_usage', stream: true })
    assert.match(text, /error/)
    assert.equal(error.mock.callCount(), 1)
    const [about, sentence] = error.mock.calls[0]?.arguments as unknown as [object, string]
    assert.ok('request_id' in about && 'err' in about)
    assert.match(sentence, /model/)
    const leaver = begin(
      dialect,
      JSON.stringify({ ...leastBody, model: 'hang_mid_stream', stream: true }),
    )
    await until(() => leaver.received.includes('Hello'))
    leaver.leave()
    await rig.settled()
    assert.equal(error.mock.callCount(), 1)
  })
}
