// Clients that leave: before their call has reached a model, and so often that it would be a way to free answers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dialects, paths, until } from '#test/support/chaos-hone.ts'
import { type DatabaseProxy, databaseProxy } from '#test/support/database-proxy.ts'
import { openStream } from '#test/support/open-stream.ts'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { type TestDatabase, testDatabase } from '#test/support/test-database.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

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
    assert.match(refused.text, /disconnected before their end/)
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
    for (const path of Object.values(paths)) {
      assert.equal((await ask(path)).status, 200)
      await until(() => hone.app.calls.size === 0)
      const seen = upstream.calls.length
      await proxy.set('stall')
      const abort = new AbortController()
      const call = ask(path, abort.signal)
      await until(() => hone.app.calls.size === 1)
      abort.abort()
      await assert.rejects(call)
      await proxy.set('pass')
      await until(() => hone.app.calls.size === 0)
      assert.equal(upstream.calls.length, seen)
      while ((await ask(path)).status !== 200) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
    assert.equal((json as { held_usd?: string }).held_usd, '0')
  } finally {
    await hone.stop()
    await upstream.close()
    await proxy.close()
    await database.drop()
  }
})
