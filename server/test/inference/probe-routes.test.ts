// Routes that failed are looked after in the background: a caller meets one again only once it answers.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { probeRoutes } from '#server/inference/probe-routes.ts'
import { RouteHealth } from '#server/inference/route-health.ts'
import { addPerson, createKey, createWorkspace } from '#test/support/accounts.ts'
import { keyOfFirst } from '#test/support/first-route.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireRecords } from '#test/support/wire-answer.ts'
import { until } from '#test/support/until.ts'

let hone: TestHone
let server: Server
/** What reached the model server, in order. */
let seen: { line: string; key: string | undefined; maxTokens: unknown }[] = []
/** How it answers: calls and the list of models each with their status. */
let calls = 200
let list = 200

const models = ['models', 'call', 'none'] as const

before(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = parts.length > 0 ? (JSON.parse(Buffer.concat(parts).toString()) as object) : {}
      seen.push({
        line: `${request.method} ${request.url}`,
        key: request.headers.authorization ?? (request.headers['x-api-key'] as string | undefined),
        maxTokens: 'max_tokens' in body ? body.max_tokens : undefined,
      })
      const wire = request.url?.endsWith('/messages') ? 'anthropic' : 'openai'
      const status = request.method === 'GET' ? list : calls
      if (status !== 200) return void response.writeHead(status).end()
      if (request.method === 'GET') return void response.end('{"data":[]}')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(wireRecords(wire, { text: ['Hello'] }).join(''))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const route = (engine: string, probe: string): object => ({
    engine,
    base_url,
    api_key_env: 'MODEL_KEY',
    probe,
    pricing: { input: 1, output: 1 },
  })
  hone = await testHone({
    env: { MODEL_KEY: 'key-of-the-model-server' },
    catalog: {
      models: [
        ...models.map((probe) => ({ id: probe, routes: [route('openai-compatible', probe)] })),
        { id: 'messages', routes: [route('anthropic-compatible', 'models')] },
      ].map((model) => ({ context_window: 8192, max_output_tokens: 100, ...model })),
    },
  })
})
after(async () => {
  await hone.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
  seen = []
  calls = 200
  list = 200
})

const ask = (model: string, bearer = hone.owner.key): Promise<Answer> =>
  hone.call('POST', '/v1/chat/completions', {
    bearer,
    body: { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 },
  })

/** With seven failures it rests so long that the background leaves it alone meanwhile, with three it comes at once. */
async function rests(model: string, failures = 7): Promise<void> {
  const ports = hone.app.calls.answerPorts
  for (let i = 0; i < failures; i++) {
    ports.health.failed(keyOfFirst(hone, model), 'broken', ports.monotonicMs())
  }
  if (failures < 7) return
  calls = 502
  assert.equal((await ask(model)).status, 503)
  assert.deepEqual(seen, [], 'a resting route was asked')
}

/** As the background does, without waiting for it. */
const look = (): Promise<void> => probeRoutes(hone.app, 3_600_000)

for (const [model, line, key] of [
  ['models', 'GET /v1/models', 'Bearer key-of-the-model-server'],
  ['messages', 'GET /v1/models', 'key-of-the-model-server'],
  ['call', 'POST /v1/chat/completions', 'Bearer key-of-the-model-server'],
] as const) {
  test(`a route of ${model} comes back by ${line}, and no caller waits for it`, async () => {
    await rests(model)
    calls = 200
    await look()
    assert.deepEqual(seen, [{ line, key, maxTokens: model === 'call' ? 1 : undefined }])
    assert.equal((await ask(model)).status, 200)
  })

  test(`a route of ${model} that does not answer keeps resting`, async () => {
    await rests(model)
    list = 500
    await look()
    assert.equal(seen.length, 1)
    assert.equal((await ask(model)).status, 503)
    assert.equal(seen.length, 1, 'the caller was sent there')
  })
}

test('a server that refuses the call it is probed with is there', async () => {
  await rests('call')
  calls = 400
  await look()
  calls = 200
  assert.equal((await ask('call')).status, 200)
})

test('a route without probes is left to its callers', async () => {
  await rests('none')
  await look()
  assert.deepEqual(seen, [])
})

test('a server without a list of models says nothing by it', async () => {
  await rests('models')
  list = 404
  await look()
  assert.equal((await ask('models')).status, 503)
  const health = hone.app.calls.answerPorts.health
  const key = keyOfFirst(hone, 'models')
  assert.equal(health.admit(key, Number.MAX_SAFE_INTEGER), 'on-trial', 'a call may find out')
})

test('a server that is there but fails calls rests again after one of them', async () => {
  await rests('models')
  await look()
  seen = []
  assert.equal((await ask('models')).status, 503)
  assert.equal((await ask('models')).status, 503)
  assert.equal(seen.length, 1)
})

test('a workspace whose requests its only server falls over is kept from it, and no other is', async (t) => {
  const ports = hone.app.calls.answerPorts
  const nowMs = ports.monotonicMs()
  t.mock.method(ports, 'monotonicMs', () => nowMs)
  const workspace = await createWorkspace(hone, 'Others')
  const { headers } = await addPerson(hone, 'member', { workspace_ids: [workspace] })
  const { secret } = await createKey(hone, headers)
  calls = 500
  for (let i = 0; i < 5; i++) assert.equal((await ask('none')).status, 503)
  assert.equal(seen.length, 3)
  calls = 200
  assert.equal((await ask('none', secret)).status, 200)
  assert.equal((await ask('none')).status, 503)
  assert.equal(seen.length, 4)
})

test('callers are kept away while a probe is under way', () => {
  const health = new RouteHealth()
  for (let i = 0; i < 3; i++) health.failed('r', 'broken', 0)
  assert.deepEqual(health.takeResting(999), [])
  assert.deepEqual(health.takeResting(1000), ['r'])
  assert.deepEqual(health.takeResting(1000), [])
  assert.equal(health.admit('r', 5000), 'rests')
  health.probed('r', false, 5000)
  assert.equal(health.admit('r', 6999), 'rests')
  assert.deepEqual(health.takeResting(7000), ['r'])
  health.probed('r', true, 7000)
  assert.equal(health.admit('r', 7000), 'fit')
})

test('the background does it by itself', async () => {
  await rests('models', 3)
  await until(() => seen.length !== 0)
  await until(async () => (await ask('models')).status === 200)
  assert.equal(seen[0]?.line, 'GET /v1/models')
})

test('an unknown name, from a catalog that has changed, is forgotten', async () => {
  const health = hone.app.calls.answerPorts.health
  for (let i = 0; i < 3; i++) health.failed('gone', 'broken', 0)
  await look()
  assert.deepEqual(health.takeResting(Number.MAX_SAFE_INTEGER), [])
})
