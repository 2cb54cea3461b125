// What is known of a route belongs to where it leads, and not to its place in the catalog: routes before it come and go.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dialects, paths } from '#test/support/chaos-hone.ts'
import { keyOfFirst } from '#test/support/first-route.ts'
import { json, type SayingUpstream, sayingUpstream, status } from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireWhole } from '#test/support/wire-answer.ts'

let upstream: SayingUpstream
let hone: TestHone

before(async () => {
  upstream = await sayingUpstream()
  for (const name of ['one', 'other', 'third']) {
    upstream.says[name] = json(JSON.parse(wireWhole('openai', { text: ['Hello'] })))
  }
  upstream.says.broken = status(500)
  hone = await testHone({ tasks: [] })
  // No rest is ever over.
  hone.app.calls.answerPorts.monotonicMs = () => 0
})
after(async () => {
  await hone.stop()
  await upstream.close()
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
})

type Route = { model: string; weight?: number; engine?: string }

async function routesAre(routes: Route[], window = 8192): Promise<void> {
  const common = {
    engine: 'openai-compatible',
    base_url: upstream.baseUrl,
    pricing: { input: 1, output: 2 },
    probe: 'none',
  }
  const model = { id: 'model', context_window: window, max_output_tokens: 100 }
  const catalog = { models: [{ ...model, routes: routes.map((one) => ({ ...common, ...one })) }] }
  await writeFile(hone.catalogFile, JSON.stringify(catalog))
  await hone.app.catalog.reload()
}

async function ask(dialect: 'chat' | 'messages', content: string): Promise<Answer> {
  const messages = [{ role: 'user', content }]
  const body = { model: 'model', max_tokens: 100, messages }
  return hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
}

/** By which route a conversation is served. */
async function servedBy(content: string): Promise<unknown> {
  const answer = await ask('chat', content)
  assert.equal(answer.status, 200, answer.text)
  return upstream.calls.at(-1)?.body.model
}

const broken = { model: 'broken', weight: 1e6 }
const spare = { model: 'other', weight: 1e-6 }

for (const dialect of dialects) {
  test(`${dialect}: where a route that rests is taken out, the next one does not rest in its place`, async () => {
    await routesAre([broken, spare])
    for (let i = 0; i < 3; i++) assert.equal((await ask(dialect, 'Hi')).status, 200)
    const { health } = hone.app.calls.answerPorts
    assert.equal(health.admit(keyOfFirst(hone, 'model'), 0), 'rests')
    await routesAre([spare])
    const answer = await ask(dialect, 'Hi')
    assert.equal(answer.status, 200, answer.text)
  })

  test(`${dialect}: a route that is put right is asked at once`, async () => {
    await routesAre([broken])
    for (let i = 0; i < 4; i++) assert.equal((await ask(dialect, 'Hi')).status, 503)
    await routesAre([{ model: 'one' }])
    assert.equal((await ask(dialect, 'Hi')).status, 200)
  })
}

test('a route that rests goes on resting when others are put before it', async () => {
  await routesAre([broken, spare])
  for (let i = 0; i < 3; i++) assert.equal((await ask('chat', 'Hi')).status, 200)
  await routesAre([{ model: 'third', weight: 1e-9 }, broken, spare])
  const seen = upstream.calls.length
  assert.equal((await ask('chat', 'Hi')).status, 200)
  assert.ok(upstream.calls.slice(seen).every(({ body }) => body.model !== 'broken'))
})

test('conversations stay where they are when another route goes away', async () => {
  const all = ['one', 'other', 'third'].map((model) => ({ model }))
  await routesAre(all)
  const numbers = Array.from({ length: 40 }, (_, i) => `Question ${i}`)
  const served = new Map<string, unknown>()
  for (const text of numbers) served.set(text, await servedBy(text))
  await routesAre(all.slice(1))
  for (const text of numbers) {
    if (served.get(text) !== 'one') assert.equal(await servedBy(text), served.get(text))
  }
})

test('a route that rests is not asked how long a prompt is', async () => {
  const counting = { engine: 'anthropic-compatible', ...broken }
  await routesAre([counting, spare], 200)
  const text = 'word '.repeat(30)
  for (let i = 0; i < 3; i++) assert.equal((await ask('chat', text)).status, 200)
  const counted = (): number =>
    upstream.calls.filter(({ path }) => path.endsWith('/count_tokens')).length
  assert.equal(counted(), 3)
  assert.equal((await ask('chat', text)).status, 200)
  assert.equal(counted(), 3)
})
