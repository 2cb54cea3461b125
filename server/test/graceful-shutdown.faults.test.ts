// SIGTERM under load: calls in flight finish and are billed, or are cut after the grace and cost nothing;
// nobody and nothing can keep the process from ending.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { databaseProxy } from '#test/support/database-proxy.ts'
import { inDatabase } from '#test/support/in-database.ts'
import {
  chosenOwner,
  databaseUrlIn,
  honeFolder,
  honeProcess,
  type HoneProcess,
  isQuiet,
  ownerEnv,
  preparedFolder,
} from '#test/support/hone-process.ts'
import { callAndKeep, checkBooks, type Received } from '#test/support/paying-clients.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { until } from '#test/support/until.ts'

const costPicodollars = 13_000_000n
const { key } = chosenOwner

let upstream: ScriptedUpstream
before(async () => {
  upstream = await scriptedUpstream()
})
after(() => upstream.close())

async function started(graceSeconds: number, baseUrl = upstream.baseUrl): Promise<HoneProcess> {
  const dataDir = await preparedFolder()
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(scriptedCatalog(baseUrl)))
  return honeProcess({ dataDir, env: { HONE_GRACE_SECONDS: String(graceSeconds) } })
}

async function endedInOrder(hone: HoneProcess): Promise<void> {
  assert.deepEqual(await hone.ended, { code: 0, signal: null }, hone.stderr)
  assert.equal(hone.stderr, 'Finishing the calls in flight ...\n')
  assert.ok(isQuiet(hone))
}

/** Starts again: every delivered answer is in the books, and no lease was left for anybody to take back. */
async function booksAreInOrder(hone: HoneProcess, answers: Received[]): Promise<void> {
  const next = await hone.restart()
  await next.listening()
  await checkBooks(databaseUrlIn(next.dataDir), answers, { unbilledMax: 0, costPicodollars })
  next.kill('SIGTERM')
  await endedInOrder(next)
  assert.doesNotMatch(next.stdout, /without returning the funds/)
}

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => false),
    new Promise<boolean>((resolve) => socket.once('error', () => resolve(true))),
  ])
  socket.destroy()
  return outcome
}

async function upstreamHas(calls: number): Promise<void> {
  await until(() => upstream.calls.length >= calls)
}

test('calls in flight finish and are billed, new connections are refused', async () => {
  const hone = await started(3600)
  const url = await hone.listening()
  const seen = upstream.calls.length
  const calls = Array.from({ length: 12 }, (_, i) =>
    callAndKeep(url, key, { model: 'slow', stream: i % 2 === 0 }),
  )
  // A connection that would be kept open for its next request must not hold up the end either.
  const kept = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, connection: 'keep-alive' },
    body: JSON.stringify({
      model: 'slow',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  }).then(async (response) => ({ status: response.status, text: await response.text() }))
  await upstreamHas(seen + 13)
  hone.kill('SIGTERM')
  await until(() => isRefused(url))
  const answers = await Promise.all(calls)
  assert.deepEqual(
    answers.map((answer) => answer.complete),
    answers.map(() => true),
  )
  const { status, text } = await kept
  assert.ok(status === 200 && text.endsWith('data: [DONE]\n\n'))
  const requestId = /chatcmpl-([0-9a-f-]{36})/.exec(text)?.[1] ?? null
  await endedInOrder(hone)
  await booksAreInOrder(hone, [
    ...answers,
    { status, text, complete: true, requestId, broken: null },
  ])
})

test('calls whose connections wait to be accepted are answered', async () => {
  const hone = await started(3600)
  const url = await hone.listening()
  process.kill(hone.pid, 'SIGSTOP')
  // The system lets them connect meanwhile.
  const connected = Array.from({ length: 12 }, async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    return socket
  })
  const sockets = await Promise.all(connected)
  hone.kill('SIGTERM')
  const body = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hi' }] })
  const answers = sockets.map((socket) => answerTo(socket, requestOf(body)))
  process.kill(hone.pid, 'SIGCONT')
  for (const text of await Promise.all(answers)) assert.match(text, /^HTTP\/1\.1 200 [^]*"usage"/)
  await endedInOrder(hone)
})

/** All that comes on a connection until it ends; a broken one fails. */
async function answerTo(socket: Socket, request: string): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  socket.write(request)
  await once(socket, 'end')
  return text
}

function requestOf(body: string): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

test('calls that outlast the grace are cut, and cost nothing', async () => {
  const hone = await started(1)
  const url = await hone.listening()
  const seen = upstream.calls.length
  const hanging = Array.from({ length: 6 }, (_, i) =>
    callAndKeep(url, key, { model: 'hangs', stream: i % 2 === 0 }),
  )
  await upstreamHas(seen + 6)
  hone.kill('SIGTERM')
  const answers = await Promise.all(hanging)
  for (const [i, { status, text, complete }] of answers.entries()) {
    assert.ok(!complete)
    assert.equal(status, i % 2 === 0 ? 200 : 503, text)
    assert.match(text, /"error":\{/)
    assert.doesNotMatch(text, /\[DONE\]/)
  }
  await endedInOrder(hone)
  await until(() => upstream.calls.slice(seen).every((call) => call.left))
  await booksAreInOrder(hone, answers)
})

test('clients that neither read nor write cannot hold up the end', async () => {
  const flood = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const delta = { choices: [{ index: 0, delta: { content: 'x'.repeat(10_000) } }] }
    const record = `data: ${JSON.stringify(delta)}\n\n`
    const pour = (): void => {
      while (!response.destroyed && response.write(record));
    }
    response.on('drain', pour)
    pour()
  })
  await new Promise<void>((resolve) => flood.listen(0, '127.0.0.1', resolve))
  const hone = await started(0, `http://127.0.0.1:${(flood.address() as AddressInfo).port}/v1`)
  const url = await hone.listening()
  const body = JSON.stringify({
    model: 'plain',
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: ${body.length}\r\n\r\n`
  const sockets = [head + body, head + body.slice(0, 10), head.slice(0, 30), ''].map((text) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
    return socket.on('error', () => {}).pause()
  })
  await once(sockets[0] ?? assert.fail(), 'readable')
  hone.kill('SIGTERM')
  await endedInOrder(hone)
  for (const socket of sockets) socket.destroy()
  flood.closeAllConnections()
  flood.close()
  await booksAreInOrder(hone, [])
})

test('connections on which nothing was asked hold up nobody, however long the grace is', async () => {
  const hone = await started(3600)
  const port = Number(new URL(await hone.listening()).port)
  const asked = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
  const sockets = ['', 'GET /hea', asked, `${asked}GET /hea`].map((text) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    return socket.on('error', () => {})
  })
  // What was asked is answered, so all of it has arrived.
  await Promise.all(sockets.slice(2).map((socket) => once(socket, 'data')))
  hone.kill('SIGTERM')
  await endedInOrder(hone)
  for (const socket of sockets) socket.destroy()
})

/** Two requests on one connection, the second once nobody new is let in; null where the connection was gone by then. */
async function askedAgain(url: string, stop: () => void): Promise<string | null> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const body = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hi' }] })
  const request = requestOf(body)
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => {})
  socket.write(request)
  await until(() => text.includes('"usage"'))
  text = ''
  stop()
  await until(() => isRefused(url))
  if (!socket.writable) return null
  socket.write(request)
  await gone
  return text === '' ? null : text
}

test('a request that comes on an open connection while Hone stops is answered, and told to be the last', async () => {
  // A machine that stands still for a second leaves no time for it, and proves nothing.
  for (let tries = 1; tries <= 5; tries++) {
    const hone = await started(3600)
    const text = await askedAgain(await hone.listening(), () => hone.kill('SIGTERM'))
    await endedInOrder(hone)
    if (text === null) continue
    assert.match(text, /^HTTP\/1\.1 200 /)
    assert.match(text, /\r\nconnection: close\r\n/i)
    return assert.match(text, /"usage"/)
  }
  assert.fail('every one of five was cut off')
})

test('without its database the process still ends, and what it could not charge is charged at the next start', async (t) => {
  const endsWithout = async (mode: 'refuse' | 'stall'): Promise<void> => {
    const database = await testDatabase()
    const proxy = await databaseProxy(database.url)
    t.after(async () => {
      await proxy.close()
    })
    const dataDir = honeFolder()
    writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(scriptedCatalog(upstream.baseUrl)))
    const hone = honeProcess({ dataDir, env: { ...ownerEnv, DATABASE_URL: proxy.url } })
    const url = await hone.listening()
    const begun = Promise.withResolvers<void>()
    const call = callAndKeep(url, key, { model: 'slow', stream: true }, begun.resolve)
    await begun.promise
    await proxy.set(mode)
    hone.kill('SIGTERM')
    const answer = await call
    assert.ok(answer.complete)
    await endedInOrder(hone)
    assert.match(hone.stdout, /"charges":1,.*charges wait in the data folder for the next start/)
    await proxy.set('pass')
    const next = await hone.restart()
    await next.listening()
    assert.deepEqual(
      await inDatabase(
        database.url,
        'select request_id, amount from ledger_entry where request_id is not null',
      ),
      [{ request_id: answer.requestId, amount: '-13000000' }],
    )
    next.kill('SIGTERM')
    await endedInOrder(next)
  }
  await Promise.all([endsWithout('refuse'), endsWithout('stall')])
})
