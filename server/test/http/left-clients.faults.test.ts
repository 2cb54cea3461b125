// Clients that leave before their answer, on the routes that are no calls to a model: each has its one line in the log, with
// the status 499, and none is taken for a failure.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import {
  chosenOwner,
  honeFolder,
  honeProcess,
  type HoneProcess,
  ownerEnv,
} from '#test/support/hone-process.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { callHttp } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

const { key } = chosenOwner

/** Takes every request and never answers. */
let silent: Server
let asked = 0
let database: Awaited<ReturnType<typeof testDatabase>>
let hone: HoneProcess
let url: string
before(async () => {
  silent = createServer(() => (asked += 1)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  database = await testDatabase()
  const dataDir = honeFolder()
  writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalog()))
  const env = { ...ownerEnv, DATABASE_URL: database.url, HONE_LOG_LEVEL: 'trace' }
  hone = honeProcess({ dataDir, env })
  url = await hone.listening()
})
after(async () => {
  hone.kill('SIGTERM')
  await hone.ended
  silent.closeAllConnections()
  silent.close()
})

function catalog(): object {
  const { port } = silent.address() as AddressInfo
  const route = {
    engine: 'anthropic-compatible',
    base_url: `http://127.0.0.1:${port}/v1`,
    pricing: { input: 1, output: 2 },
    probe: 'none',
  }
  const silentModel = {
    id: 'silent',
    context_window: 1000,
    max_output_tokens: 100,
    routes: [route],
  }
  return { ...defaultCatalog, models: [...defaultCatalog.models, silentModel] }
}

type Line = {
  request_id?: string
  msg: string
  level: unknown
  route?: string
  status?: number
  ms?: number
}

/** All that the log says of one request. */
function linesOf(id: string): Line[] {
  return hone.stdout
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.request_id === id)
}

function begin(id: string, line: string, body: string, declared = body.length): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `${line} HTTP/1.1\r\nhost: x\r\nx-request-id: ${id}\r\n` +
      `${line.includes('/v1/') ? `authorization: Bearer ${key}` : `x-api-key: ${key}`}\r\n` +
      `content-length: ${declared}\r\n\r\n${body}`,
  )
  return socket
}

/** Asks for something else, which is answered and so logged after all that came before. */
async function oneLine(id: string, route: string): Promise<void> {
  await until(() => linesOf(id).length > 0)
  await callHttp(url, 'GET', '/healthz', { headers: { 'x-request-id': `after-${id}` } })
  await until(() => linesOf(`after-${id}`).length > 0)
  const lines = linesOf(id)
  assert.equal(lines.length, 1, JSON.stringify(lines))
  const [line] = lines
  assert.equal(line?.msg, 'request')
  assert.equal(line.route, route)
  assert.equal(line.status, 499)
  assert.ok((line.ms ?? 0) > 0, 'and it says how long they had waited')
}

test('while a prompt is counted by the model that comes with Hone', async () => {
  const path = '/v1/messages/count_tokens'
  const ask = (content: string): object => ({
    model: 'hone/hone-mini',
    messages: [{ role: 'user', content }],
  })
  // Enough for the model to count for a while.
  const long = JSON.stringify(ask('Is it open today? '.repeat(200_000)))
  // Nothing tells from outside when the model has begun to count; it counts the same if it has not. Who was answered before they
  // left has to leave sooner.
  let id = ''
  for (const waitMs of [300, 100, 30, 10, 3, 1]) {
    id = `left-bundled-${waitMs}`
    const socket = begin(id, `POST ${path}`, long)
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    socket.destroy()
    // The model counts in turn, so that the first is over when this one is answered.
    const next = await callHttp(url, 'POST', path, { bearer: key, body: ask('Hi') })
    assert.equal(next.status, 200, next.text)
    await until(() => linesOf(id).length > 0)
    if (linesOf(id)[0]?.status !== 400) break
  }
  await oneLine(id, path)
})

test('while a prompt is counted elsewhere', async () => {
  const body = { model: 'silent', messages: [{ role: 'user', content: 'Hi' }] }
  const path = '/v1/messages/count_tokens'
  const socket = begin('left-counting', `POST ${path}`, JSON.stringify(body))
  await until(() => asked > 0)
  socket.destroy()
  await oneLine('left-counting', path)
})

test('while the platform works, whose work then changes nothing in the log', async () => {
  const other = new Client({ connectionString: database.url })
  await other.connect()
  await other.query('begin; lock table audit_event in access exclusive mode')
  const waiting = async (): Promise<boolean> => {
    const found = await other.query(
      `select 1 from pg_locks where not granted and relation = 'audit_event'::regclass
       and database = (select oid from pg_database where datname = current_database())`,
    )
    return found.rowCount === 1
  }
  const socket = begin('left-working', 'GET /api/audit', '')
  await until(waiting)
  socket.destroy()
  await until(() => linesOf('left-working').length > 0)
  await other.query('commit')
  await other.end()
  assert.equal((await callHttp(url, 'GET', '/api/audit', { key })).status, 200)
  await oneLine('left-working', '/api/audit')
})

test('in the middle of their own body', async () => {
  const socket = begin('left-sending', 'POST /api/workspaces', '{"name"', 100)
  // Nothing tells from outside when the server has begun to read; it counts the same if it has not.
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.destroy()
  await oneLine('left-sending', '/api/workspaces')
})

test('those that stay have one line each as well, with what they were told', async () => {
  for (const [id, path, status] of [
    ['stayed', '/healthz', 200],
    ['stayed-nowhere', '/api/nowhere', 404],
    ['stayed-malformed', '/api/%zz', 400],
  ] as const) {
    assert.equal(
      (await callHttp(url, 'GET', path, { headers: { 'x-request-id': id } })).status,
      status,
    )
    await until(() => linesOf(id).length > 0)
    assert.deepEqual(
      linesOf(id).map((line) => line.status),
      [status],
    )
  }
})
