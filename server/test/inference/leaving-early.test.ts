// Clients that leave: before their call has reached a model, and so often that it would be a way to free answers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseChat } from '#server/dialect/chat/parse.ts'
import type { Engine } from '#server/engine/engine.ts'
import { promptTokensMax } from '#server/inference/prompt-tokens-max.ts'
import { type ChaosHone, chaosHone, dialects, leastBody, paths } from '#test/support/chaos-hone.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { openStream } from '#test/support/open-stream.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

test('S21: a client that leaves before it has anything of its answer has hung up on nothing', async () => {
  const { app } = rig.hone
  const engineAt = app.calls.answerPorts.engineAt.bind(app.calls.answerPorts)
  const { abortGuard } = app.calls
  const count = abortGuard.aborted.bind(abortGuard)
  let begun = (): void => {}
  let hungUp = 0
  const hanging: Engine = {
    async *call(_call, signal) {
      yield [{ type: 'text-delta', text: 'Hello' }]
      begun()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      signal.throwIfAborted()
    },
    countPromptTokens: () => Promise.resolve(null),
    busy: false,
    close: () => Promise.resolve(),
  }
  app.calls.answerPorts.engineAt = () => hanging
  abortGuard.aborted = () => void (hungUp += 1)
  try {
    for (const dialect of dialects) {
      for (const stream of [false, true]) {
        hungUp = 0
        const hasBegun = new Promise<void>((resolve) => (begun = resolve))
        const leave = new AbortController()
        const call = fetch(rig.hone.url + paths[dialect], {
          method: 'POST',
          headers: { authorization: `Bearer ${rig.hone.owner.key}` },
          body: JSON.stringify({ ...leastBody, model: 'ok', stream }),
          signal: leave.signal,
        }).then((answer) => answer.text())
        await hasBegun
        leave.abort()
        await assert.rejects(call)
        await rig.settled()
        assert.equal(hungUp, stream ? 1 : 0, `${dialect}, ${stream ? 'streamed' : 'whole'}`)
      }
    }
  } finally {
    app.calls.answerPorts.engineAt = engineAt
    abortGuard.aborted = count
  }
})

test('S21: calls are weighed by what was read of them, alike whether they were hung up on or not, cached or not', async (t) => {
  const { abortGuard } = rig.hone.app.calls
  const counted: [string, number][] = []
  t.mock.method(abortGuard, 'aborted', (_: string, price: number) => {
    counted.push(['unpaid', price])
  })
  t.mock.method(abortGuard, 'completed', (_: string, price: number) => {
    counted.push(['paid', price])
  })
  const stream = await openStream(rig, 'chat', { model: 'hang_mid_stream' })
  await until(() => stream.text.includes('Hello'))
  stream.abort()
  await rig.settled()
  for (const cached_tokens of [0, 7]) {
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens },
    }
    rig.upstream.script = { text: ['Hello'], usage }
    const answer = await rig.post('chat', { model: 'scripted' })
    assert.equal(answer.status, 200, answer.text)
    await rig.settled()
  }
  const { request } = parseChat({ model: 'ok', ...leastBody })
  // Four characters a token, at 1 and 2 millionths of a dollar.
  const price = (Math.ceil(promptTokensMax(request) / 4) + 2 * 2) * 1e6
  assert.deepEqual(counted, [
    ['unpaid', price],
    ['paid', price],
    ['paid', price],
  ])
})

test('S21: a call that reads what one that was hung up on left in the cache does not make up for it', async (t) => {
  const upstream = await scriptedUpstream()
  const pricing = { input: 10, output: 2, cache_read: 1, cache_write_5m: 12.5, cache_write_1h: 20 }
  const { models } = scriptedCatalog(upstream.baseUrl, pricing) as { models: object[] }
  const caching = { prompt_caching: { type: 'explicit', min_tokens: 1 } }
  const hone = await testHone({
    catalog: { models: models.map((one) => ({ ...one, ...caching })) },
  })
  t.after(async () => {
    await hone.stop()
    await upstream.close()
  })
  const counted: [string, number][] = []
  const { abortGuard } = hone.app.calls
  t.mock.method(abortGuard, 'aborted', (_: string, price: number) => {
    counted.push(['unpaid', price])
  })
  t.mock.method(abortGuard, 'completed', (_: string, price: number) => {
    counted.push(['paid', price])
  })
  const cache_control = { type: 'ephemeral' }
  const content = [{ type: 'text', text: 'word '.repeat(800), cache_control }]
  const body = { model: 'slow', max_tokens: 9, messages: [{ role: 'user', content }] }
  const hangUp = async (): Promise<void> => {
    const stream = await openStream({ hone }, 'messages', body)
    await until(() => stream.text.includes('Hello'))
    stream.abort()
    const before = counted.length
    await until(() => counted.length > before)
  }
  await hangUp()
  const answer = await hone.call('POST', '/v1/messages', { bearer: hone.owner.key, body })
  assert.equal(answer.status, 200, answer.text)
  await hangUp()
  assert.deepEqual(
    counted.map(([kind]) => kind),
    ['unpaid', 'paid', 'unpaid'],
  )
  const [cold = 0, read = 0, warm = 0] = counted.map(([, price]) => price)
  // A tenth of the prompt's price, and some for the few words of the answer.
  assert.ok(read < cold / 7, `${read} beside ${cold}`)
  assert.ok(warm < cold / 7, `${warm} beside ${cold}`)
})

test('S21: reading streams and hanging up before their end is not a way to free answers', async () => {
  const wallet = await rig.wallet()
  let told = 0
  for (let i = 0; i < 130 && told === 0; i++) {
    const dialect = dialects[i % 2] ?? 'chat'
    const stream = await openStream(rig, dialect, { model: 'hang_mid_stream' })
    if (stream.status === 429) told = i
    else await until(() => stream.text.includes('Hello'))
    stream.abort()
    await rig.settled()
  }
  assert.ok(told > 100, 'a hundred may be the doing of a network')
  for (const dialect of dialects) {
    const refused = await rig.post(dialect, { model: 'ok' })
    assert.equal(refused.status, 429, refused.text)
    assert.match(refused.text, /disconnected before the end/)
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  }
  await rig.settled()
  assert.deepEqual(await rig.wallet(), wallet)
})

test('U7: a call whose client leaves while it still waits its turn never reaches the model', async () => {
  const database: TestDatabase = await testDatabase()
  const proxy: DatabaseProxy = await databaseProxy(database.url)
  const upstream: ScriptedUpstream = await scriptedUpstream()
  const hone: TestHone = await testHone({
    databaseUrl: proxy.url,
    storage: {},
    // With so few places each call asks the database for one, and waits while that stalls.
    catalog: { ...scriptedCatalog(upstream.baseUrl), limits: { concurrent_calls: 1 } },
  })
  const ask = (path: string, signal?: AbortSignal): Promise<Response> =>
    fetch(hone.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${hone.owner.key}` },
      body: JSON.stringify({
        model: 'plain',
        max_tokens: 10,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
      ...(signal ? { signal } : {}),
    })
  try {
    /** False where the database was found silent before the call came to wait for a place. */
    const leavesInItsTurn = async (path: string): Promise<boolean> => {
      // From then on the key is known without the database.
      const { changes } = hone.app.storage
      await until(async () => changes.connected && (await ask(path)).status === 200)
      await hone.quiet()
      const seen = upstream.calls.length
      await proxy.set('stall')
      const abort = new AbortController()
      let over = false
      const call = ask(path, abort.signal).finally(() => (over = true))
      const left = call.then(
        () => false,
        () => true,
      )
      await until(() => over || hone.app.calls.underWay.size === 1)
      abort.abort()
      await until(() => [...hone.app.calls.underWay].every((one) => one.signal.aborted))
      await proxy.set('pass')
      await hone.quiet()
      assert.equal(upstream.calls.length, seen)
      return left
    }
    for (const path of Object.values(paths)) await until(() => leavesInItsTurn(path))
    await until(async () => (await ask(paths.chat)).status === 200)
    await hone.quiet()
    const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
    assert.equal((json as { held_usd?: string }).held_usd, '0')
  } finally {
    await hone.stop()
    await upstream.close()
    await proxy.close()
  }
})
