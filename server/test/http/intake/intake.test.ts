// Budget, pace, connections, `Expect` and what is left unread, on a server whose limits the test sets.
import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { head, type IntakeServer, intakeServer, RawClient } from './intake-server.ts'
import { until } from '#test/support/until.ts'

const key = 'authorization: Bearer k'
let server: IntakeServer
before(async () => {
  server = await intakeServer({ body: { bytesInFlightMax: 4 * 1024 * 1024 } })
})
after(() => server.close())

const clients: RawClient[] = []
const open = (port = server.port): RawClient => {
  const client = new RawClient(port)
  clients.push(client)
  return client
}
after(() => {
  for (const { socket } of clients) socket.destroy()
})

const megabytes = (count: number): string => `"${'a'.repeat(count * 1024 * 1024 - 2)}"`

test('a body comes through whole, however it is cut and sent', async () => {
  const text = JSON.stringify({ text: 'é漢😀\\"'.repeat(30) })
  const bytes = Buffer.from(text)
  for (let cut = 1; cut < bytes.length; cut += 7) {
    const client = open().send(head(key, `content-length: ${bytes.length}`, 'connection: close'))
    client.socket.write(bytes.subarray(0, cut))
    await new Promise((resolve) => setImmediate(resolve))
    client.socket.write(bytes.subarray(cut))
    await client.end
    assert.match(client.received, new RegExp(`{"characters":${text.length}}`))
  }
  const client = open().send(head(key, 'transfer-encoding: chunked', 'connection: close'))
  for (const byte of bytes) {
    client.socket.write(`1\r\n`)
    client.socket.write(Buffer.of(byte))
    client.socket.write('\r\n')
  }
  client.send('0\r\n\r\n')
  await client.end
  assert.match(client.received, new RegExp(`{"characters":${text.length}}`))
})

test('P5: requests one after the other on one connection stay apart', async () => {
  const body = megabytes(1)
  const client = open()
  for (let round = 1; round <= 20; round++) {
    client.send(head(key, `content-length: ${body.length}`) + body)
    await client.until(() => client.statuses.length === round)
  }
  client.send(head(key, 'content-length: 2') + '{}' + head(key, 'content-length: 3') + '{ }')
  await client.until(() => client.statuses.length === 22)
  assert.deepEqual(client.statuses, Array<number>(22).fill(200))
  assert.match(client.received, /"characters":2}[^]*"characters":3}$/)
})

describe('P1: the budget of bytes in flight', () => {
  test('refuses what does not fit with 503 and Retry-After, lets small ones in, and is given back', async () => {
    const hold = head(key, `content-length: ${3 * 1024 * 1024}`).replace('/echo', '/hold')
    const holder = open().send(hold + megabytes(3))
    await holder.until(() => server.holding === 1)

    const declared = open().send(head(key, `content-length: ${2 * 1024 * 1024}`))
    await declared.end
    assert.deepEqual(declared.statuses, [503])
    assert.match(declared.received, /retry-after: 2\r\n/)
    assert.match(declared.received, /"code":"unavailable"/)

    const chunked = open().send(head(key, 'transfer-encoding: chunked'))
    chunked.send(`${(2 * 1024 * 1024).toString(16)}\r\n${megabytes(2)}`)
    await chunked.end
    assert.deepEqual(chunked.statuses, [503])

    const small = open().send(head(key, 'content-length: 2', 'connection: close') + '{}')
    await small.end
    assert.deepEqual(small.statuses, [200])

    server.release()
    await holder.until(() => holder.statuses.length === 1)
    const body = megabytes(4)
    const next = open().send(head(key, `content-length: ${body.length}`, 'connection: close'))
    next.send(body)
    await next.end
    assert.deepEqual(next.statuses, [200], next.received)
  })

  test('gets back the share of a client that goes away', async () => {
    const declared = head(key, `content-length: ${4 * 1024 * 1024}`)
    // Refused for as long as somebody else holds all of it, and then nobody does.
    const refused = async (): Promise<boolean> => {
      const other = open().send(head(key, `content-length: ${1024 * 1024}`, 'connection: close'))
      await other.send(megabytes(1)).end
      return other.statuses[0] === 503
    }
    for (let round = 0; round < 3; round++) {
      const leaver = open().send(declared + megabytes(1))
      await until(refused)
      leaver.socket.destroy()
      await until(async () => !(await refused()))
    }
    const body = megabytes(4)
    const next = open().send(head(key, `content-length: ${body.length}`, 'connection: close'))
    await next.send(body).end
    assert.deepEqual(next.statuses, [200])
  })
})

test('one workspace holds its share of the budget at most, and the others still get in', async () => {
  const megabyte = 1024 * 1024
  const shared = await intakeServer({
    body: { bytesInFlightMax: 4 * megabyte, bytesPerOwnerMax: 2 * megabyte },
  })
  const holding = (owner: string, size: number): RawClient => {
    const lines = [`authorization: ${owner}`, `content-length: ${size * megabyte}`]
    return open(shared.port).send(head(...lines).replace('/echo', '/hold') + megabytes(size))
  }
  try {
    const greedy = [holding('one', 1), holding('one', 1)]
    await greedy[0]?.until(() => shared.holding === 2)
    const third = holding('one', 1)
    await third.end
    assert.deepEqual(third.statuses, [503])
    const small = ['authorization: one', 'content-length: 2', 'connection: close']
    const spared = open(shared.port).send(head(...small) + '{}')
    await spared.end
    assert.deepEqual(spared.statuses, [200])

    const other = holding('two', 2)
    await other.until(() => shared.holding === 3)
    const late = holding('three', 1)
    await late.end
    assert.deepEqual(late.statuses, [503], 'all together have their limit too')

    shared.release()
    for (const client of [...greedy, other]) {
      await client.until(() => client.statuses.length === 1)
      assert.deepEqual(client.statuses, [200])
    }
    const again = holding('one', 2)
    await again.until(() => again.statuses.length === 1)
    assert.deepEqual(again.statuses, [200])
  } finally {
    await shared.close()
  }
})

test('P5: a body slower than the minimum is given up after the grace', async () => {
  const hurried = await intakeServer({ body: { graceMs: 300, bytesPerSecondMin: 1024 } })
  const slow = open(hurried.port).send(head(key, 'content-length: 100000'))
  const drip = setInterval(() => slow.send(' '), 100)
  await slow.end
  clearInterval(drip)
  assert.deepEqual(slow.statuses, [400])
  assert.match(slow.received, /too slowly/)
  await hurried.close()
})

describe('P6: Expect: 100-continue', () => {
  test('is answered 401 without a key, and the body never asked for', async () => {
    const client = open().send(head('content-length: 33554432', 'expect: 100-continue'))
    await client.end
    assert.deepEqual(client.statuses, [401])
    assert.match(client.received, /connection: close\r\n/i)
  })

  test('is answered 413 when the body would be too large', async () => {
    const client = open().send(head(key, 'content-length: 33554433', 'expect: 100-continue'))
    await client.end
    assert.deepEqual(client.statuses, [413])
  })

  for (const [how, lines, body] of [
    ['of so many bytes', ['content-length: 2', 'expect: 100-continue'], '{}'],
    ['in other letters', ['content-length: 2', 'expect: 100-Continue'], '{}'],
    ['in chunks', ['transfer-encoding: chunked', 'expect: 100-continue'], '2\r\n{}\r\n0\r\n\r\n'],
  ] as const) {
    test(`asks for the body of who may send one: ${how}`, async () => {
      const client = open().send(head(key, ...lines))
      await client.until(() => client.statuses.length === 1)
      assert.deepEqual(client.statuses, [100])
      client.send(body)
      await client.until(() => client.statuses.length === 2)
      assert.deepEqual(client.statuses, [100, 200])
    })
  }
})

describe('P6: a refusal', () => {
  const unknown = 'authorization: Bearer unknown'
  const chunked = 'transfer-encoding: chunked'
  for (const [name, headers, body, status] of [
    ['401 of a declared body', ['content-length: 33554432'], ' '.repeat(32 << 20), 401],
    ['401 of a chunked body', ['transfer-encoding: chunked'], `2000000\r\n${megabytes(32)}`, 401],
    ['401 after a look-up', [unknown, 'content-length: 33554432'], ' '.repeat(32 << 20), 401],
    ['401 after a look-up, chunked', [unknown, chunked], `2000000\r\n${megabytes(32)}`, 401],
    ['413', [key, 'content-length: 33554433'], ' '.repeat(32 << 20), 413],
    ['400 of the first bytes', [key, 'content-length: 3000000'], '['.repeat(3_000_000), 400],
  ] as const) {
    test(`${name} reaches a client that goes on sending, and leaves the rest unread`, async () => {
      const fresh = await intakeServer()
      const client = open(fresh.port).send(head(...headers) + body)
      await client.end
      assert.deepEqual(client.statuses, [status])
      assert.match(client.received, /connection: close\r\n[^]*}$/i)
      await client.until(() => fresh.bytesRead.length > 0)
      // One read of the socket, and one more where the body was begun.
      const most = status === 400 ? 2 * 65_536 : 65_536
      assert.ok((fresh.bytesRead[0] ?? 0) <= most, String(fresh.bytesRead))
      await fresh.close()
    })
  }
})

test('a content encoding is refused by name, identity is not one', async () => {
  const gzip = open().send(head(key, 'content-length: 9', 'content-encoding: gzip') + '123456789')
  await gzip.until(() => gzip.statuses.length === 1)
  assert.deepEqual(gzip.statuses, [400])
  assert.match(gzip.received, /Content-Encoding/)
  for (const encoding of ['identity', 'Identity']) {
    const lines = [key, 'content-length: 2', `content-encoding: ${encoding}`]
    const plain = open().send(head(...lines) + '{}')
    await plain.until(() => plain.statuses.length === 1)
    assert.deepEqual(plain.statuses, [200])
  }
})

test('what is no JSON is told from what is too much of it', async () => {
  for (const [body, code] of [
    ['[]]', 'invalid_json'],
    ['['.repeat(101), 'invalid_body'],
  ] as const) {
    const client = open().send(head(key, `content-length: ${body.length}`) + body)
    await client.until(() => client.statuses.length === 1)
    assert.deepEqual(client.statuses, [400])
    assert.match(client.received, new RegExp(`"code":"${code}"`))
  }
})

test('bytes that are no UTF-8 are no JSON, in the middle or at the end', async () => {
  for (const bytes of [
    [0x22, 0xc3, 0x28, 0x22],
    [0x22, 0x61, 0xe6, 0xbc],
  ]) {
    const client = open().send(head(key, 'content-length: 4', 'connection: close'))
    client.socket.write(Buffer.from(bytes))
    await client.end
    assert.deepEqual(client.statuses, [400])
    assert.match(client.received, /"code":"invalid_json"/)
  }
})

test('P5: an address gets so many connections and no more, and gets them back', async () => {
  const capped = await intakeServer({ connections: { perAddressMax: 5, capLoopback: true } })
  try {
    const first = Array.from({ length: 5 }, () => open(capped.port))
    for (const client of first) client.send(head(key, 'content-length: 2') + '{}')
    for (const client of first) await client.until(() => client.statuses.length === 1)
    const sixth = open(capped.port).send(head(key, 'content-length: 2') + '{}')
    await sixth.end
    assert.deepEqual(sixth.statuses, [])
    first[0]?.socket.destroy()
    // Its place is free once the server has seen it go.
    for (let answered = false; !answered;) {
      const next = open(capped.port).send(head(key, 'content-length: 2') + '{}')
      await next.until(() => next.closed || next.statuses.length === 1)
      answered = next.statuses[0] === 200
    }
  } finally {
    await capped.close()
  }
})

test('P5: a proxy that the operator trusts speaks for many, and has no such limit', async () => {
  const trustedProxies = new BlockList()
  trustedProxies.addAddress('127.0.0.1')
  const connections = { perAddressMax: 2, capLoopback: true, trustedProxies }
  const behind = await intakeServer({ connections })
  try {
    const all = Array.from({ length: 5 }, () => open(behind.port))
    for (const client of all) client.send(head(key, 'content-length: 2') + '{}')
    for (const client of all) await client.until(() => client.closed || client.statuses.length > 0)
    assert.deepEqual(
      all.map(({ statuses }) => statuses[0]),
      [200, 200, 200, 200, 200],
    )
  } finally {
    await behind.close()
  }
})
