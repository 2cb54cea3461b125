// Many calls at once on a wallet that can pay for some of them: exactly those are admitted, the rest are refused
// before any model hears of them. On one process and on two, in both dialects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedCatalog, scriptedUpstream } from '#test/support/scripted-upstream.ts'
import { testDatabase } from '#test/support/test-database.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

// The first wallet holds 100 USD; a call of at most 1,000 output tokens at 1,000 USD per 1M may cost 1 USD.
const pricing = { input: 0, output: 1000 }
const covered = 100
const calls = 500

async function callAtOnce(
  hones: TestHone[],
  upstream: Awaited<ReturnType<typeof scriptedUpstream>>,
): Promise<{ admitted: number; refused: number }> {
  let refused = 0
  const answers = Array.from({ length: calls }, async (_, i) => {
    const path = i % 4 < 2 ? '/v1/chat/completions' : '/v1/messages'
    const hone = hones[i % hones.length] as TestHone
    const answer = await hone.call('POST', path, {
      bearer: hone.owner.key,
      body: {
        model: 'gated',
        max_tokens: 1000,
        messages: [{ role: 'user', content: 'Hi' }],
        stream: i % 8 < 4,
      },
    })
    if (answer.status === 402) refused += 1
    return answer.status
  })
  // Nobody who was admitted is let go before everybody else has an answer.
  await until(() => refused + upstream.calls.length >= calls)
  upstream.open()
  const statuses = await Promise.all(answers)
  assert.deepEqual([...new Set(statuses)].sort(), [200, 402])
  return { admitted: upstream.calls.length, refused }
}

async function balance(hone: TestHone): Promise<Record<string, unknown>> {
  return (await hone.call('GET', '/api/wallet', { key: hone.owner.key })).json
}

test('500 calls on a wallet that covers 100: exactly 100 are admitted', async () => {
  const upstream = await scriptedUpstream()
  const hone = await testHone({ catalog: scriptedCatalog(upstream.baseUrl, pricing) })
  try {
    const { admitted, refused } = await callAtOnce([hone], upstream)
    assert.equal(admitted, covered)
    assert.equal(refused, calls - covered)
    await hone.quiet()
    // Three output tokens each.
    assert.deepEqual(await balance(hone), { balance_usd: '99.7', held_usd: '0' })
  } finally {
    await hone.stop()
    await upstream.close()
  }
})

test('the same on two processes that share the wallet', async () => {
  const upstream = await scriptedUpstream()
  const database = await testDatabase()
  const catalog = scriptedCatalog(upstream.baseUrl, pricing)
  const hones = [
    await testHone({ catalog, databaseUrl: database.url }),
    await testHone({ catalog, databaseUrl: database.url }),
  ]
  try {
    const { admitted, refused } = await callAtOnce(hones, upstream)
    assert.equal(admitted, covered)
    assert.equal(refused, calls - covered)
    for (const hone of hones) await hone.quiet()
    assert.equal((await balance(hones[0] as TestHone)).balance_usd, '99.7')
    assert.equal((await balance(hones[1] as TestHone)).balance_usd, '99.7')
  } finally {
    for (const hone of hones) await hone.stop()
    await upstream.close()
  }
})

test('a repeated X-Request-ID is a call of its own and is billed as one, at once and later, in both dialects', async () => {
  const upstream = await scriptedUpstream()
  const hone = await testHone({ catalog: scriptedCatalog(upstream.baseUrl) })
  const ask = (path: string) =>
    hone.call('POST', path, {
      bearer: hone.owner.key,
      headers: { 'x-request-id': 'the-same-twice' },
      body: { model: 'plain', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
    })
  try {
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      await Promise.all([ask(path), ask(path)])
      await ask(path)
    }
    await hone.quiet()
    const { json } = await hone.call('GET', '/api/wallet/transactions', { key: hone.owner.key })
    const { transactions } = json as unknown as {
      transactions: { kind: string; request_id: string; detail: { client_request_id?: string } }[]
    }
    const charges = transactions.filter(({ kind }) => kind === 'charge')
    assert.equal(charges.length, 6)
    assert.equal(new Set(charges.map(({ request_id }) => request_id)).size, 6)
    assert.ok(charges.every(({ detail }) => detail.client_request_id === 'the-same-twice'))
  } finally {
    await hone.stop()
    await upstream.close()
  }
})
