// Engines that no route leads to any more: their connections and weights are given back, and never under a call.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { after, before, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import type { EngineCall } from '#server/engine/engine.ts'
import { bundledModel, type EngineAddress, Engines } from '#server/engine/engines.ts'
import { ModelStore } from '#server/model-store/model-store.ts'
import { closeUnusedEngines } from '#server/task/close-unused-engines.ts'
import { asking, user } from '#test/prompt-cache/requests.ts'
import { testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'
import { wireRecords } from '#test/support/wire-answer.ts'

/** Answers wait for the test. */
const waiting: ServerResponse[] = []
const server = createServer((request, response) => {
  request.resume().on('end', () => waiting.push(response))
})
const connections = promisify(server.getConnections.bind(server))
let address: EngineAddress

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = {
    engine: 'openai-compatible',
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    cache_salt: false,
    passes_thinking: false,
    tokenizes: false,
    continues: false,
    whole_only: false,
    max_tokens_field: 'max_tokens',
    thinking: 'none',
    leaves_out: [],
  }
})
after(() => {
  server.closeAllConnections()
  server.close()
})

const call: EngineCall = {
  request: asking({ messages: [user('Hi')] }),
  engineModel: 'm',
  effort: null,
  thinkingBudgetTokens: null,
  maxTokens: 10,
  requestId: 'r',
  workspaceId: 'w',
}

async function answer(): Promise<void> {
  await until(() => waiting.length > 0)
  for (const response of waiting.splice(0)) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(wireRecords('openai', { text: ['Hello'] }).join(''))
  }
}

async function partsOf(engines: Engines): Promise<number> {
  let parts = 0
  const { signal } = new AbortController()
  for await (const group of engines.at(address).call(call, signal)) parts += group.length
  return parts
}

test('one that is named stays, one that is not is closed once its last call is over', async () => {
  const engines = new Engines({}, new Uint8Array(32), new ModelStore(tmpdir()), 1e9)
  const first = partsOf(engines)
  await answer()
  assert.ok((await first) > 0)
  assert.equal(await connections(), 1)
  await engines.keepOnly([{ ...address }])
  assert.equal(await connections(), 1)

  const second = partsOf(engines)
  await until(() => waiting.length > 0)
  await engines.keepOnly([])
  await answer()
  assert.ok((await second) > 0, 'a call in flight was cut')

  await engines.keepOnly([])
  await until(async () => (await connections()) === 0)
  // Whoever still has the old route is served.
  const third = partsOf(engines)
  await answer()
  assert.ok((await third) > 0)
  await engines.close()
  await until(async () => (await connections()) === 0)
})

test('a model whose folder is named no more gives its memory back', async () => {
  const engines = new Engines({}, new Uint8Array(32), new ModelStore(tmpdir()), 1e9)
  const embedded = { engine: 'embedded' } as const
  const model = engines.at(embedded)
  const { signal } = new AbortController()
  assert.ok(Number(await model.countPromptTokens(call, signal)) > 0)
  await engines.keepOnly([embedded])
  assert.equal(engines.at(embedded), model)
  await engines.keepOnly([])
  await assert.rejects(model.countPromptTokens(call, signal), /closed/)
  assert.notEqual(engines.at(embedded), model)
  await engines.close()
})

test('engines share one memory, and none fails because a model of another is open', async (t) => {
  const engines = new Engines({}, new Uint8Array(32), new ModelStore(tmpdir()), 1)
  t.after(() => engines.close())
  const both: EngineAddress[] = [
    { engine: 'embedded' },
    { engine: 'embedded', model_folder: bundledModel },
  ]
  let live = 0
  const lives: number[] = []
  const count = (thread: Worker): void => {
    lives.push(++live)
    thread.once('exit', () => live--)
  }
  process.on('worker', count)
  const { signal } = new AbortController()
  const counts = await Promise.all(
    [...both, ...both].map((at) => engines.at(at).countPromptTokens(call, signal)),
  )
  assert.equal(new Set(counts).size, 1)
  assert.deepEqual(lives, [1, 1], 'one after the other, each for all of its calls')
  await engines.keepOnly([])
  assert.equal(live, 0)
  process.off('worker', count)
})

test('the background keeps the engines of the catalog', async (t) => {
  const route = { engine: 'judge-basic', pricing: { input: 1, output: 1 } }
  const model = { id: 'm', context_window: 100, max_output_tokens: 10, routes: [route] }
  const hone = await testHone({ tasks: [], catalog: { models: [model] } })
  t.after(() => hone.stop())
  const [named] = [...hone.app.catalog.models].flatMap(({ routes }) => routes)
  const kept = hone.background.engines.at(named!)
  const left = hone.background.engines.at({ engine: 'embedded' })
  await closeUnusedEngines(hone.background.engines).run(hone.app)
  assert.equal(hone.background.engines.at(named!), kept)
  assert.notEqual(hone.background.engines.at({ engine: 'embedded' }), left)
})
