// A call from request to bill, in both dialects, against a real upstream.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  scriptedCatalog,
  type ScriptedUpstream,
  scriptedUpstream,
  scriptedUsage,
} from '#test/support/scripted-upstream.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let upstream: ScriptedUpstream
let hone: TestHone

before(async () => {
  upstream = await scriptedUpstream()
  hone = await testHone({ catalog: scriptedCatalog(upstream.baseUrl) })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})

const ask = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 10 }
// 7 prompt tokens at 1 USD and 3 output tokens at 2 USD per 1M.
const costUsd = '-0.000013'

async function wallet(): Promise<{ balance_usd: string; held_usd: string }> {
  return (await hone.call('GET', '/api/wallet', { key: hone.owner.key })).json as never
}

async function newestTransaction(): Promise<Record<string, unknown>> {
  const answer = await hone.call('GET', '/api/wallet/transactions?limit=1', { key: hone.owner.key })
  return (
    (answer.json as unknown as { transactions: Record<string, unknown>[] }).transactions[0] ?? {}
  )
}

/** The charge is written right after the last byte, which may be a moment after the client has it. */
async function settled(): Promise<void> {
  await hone.quiet()
}

for (const [dialect, path] of [
  ['chat', '/v1/chat/completions'],
  ['messages', '/v1/messages'],
] as const) {
  test(`a ${dialect} call is answered and billed exactly`, async () => {
    const before = BigInt(Number((await wallet()).balance_usd) * 1e6)
    const answer = await hone.call('POST', path, {
      bearer: hone.owner.key,
      body: { model: 'plain', ...ask },
      headers: { 'x-request-id': `my-${dialect}` },
    })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('x-request-id'), `my-${dialect}`)
    assert.match(answer.text, /Hello world/)
    await settled()
    const after = await wallet()
    assert.equal(before - BigInt(Number(after.balance_usd) * 1e6), 13n)
    assert.equal(after.held_usd, '0')
    const entry = await newestTransaction()
    assert.equal(entry.kind, 'charge')
    assert.equal(entry.amount_usd, costUsd)
    assert.equal(entry.id, entry.request_id)
    assert.deepEqual(entry.detail, {
      model: 'plain',
      client_request_id: `my-${dialect}`,
      usage: {
        input_tokens: scriptedUsage.prompt_tokens,
        cache_read_tokens: 0,
        cache_write_5m_tokens: 0,
        cache_write_1h_tokens: 0,
        output_tokens: scriptedUsage.completion_tokens,
        thinking_tokens: 0,
      },
      prices_usd_per_token: {
        input: '0.000001',
        output: '0.000002',
        cache_read: '0.000001',
        cache_write_5m: '0.000001',
        cache_write_1h: '0.000001',
      },
    })
  })

  test(`I6: a ${dialect} call whose request id holds something sensitive is booked under its fingerprint`, async () => {
    const id = `job:ada.lovelace@example.org:${dialect}`
    const answer = await hone.call('POST', path, {
      bearer: hone.owner.key,
      body: { model: 'plain', ...ask },
      headers: { 'x-request-id': id },
    })
    assert.equal(answer.headers.get('x-request-id'), id)
    await settled()
    const { detail } = await newestTransaction()
    assert.match((detail as { client_request_id: string }).client_request_id, /^sha256:[\w-]{43}$/)
  })

  test(`a streamed ${dialect} call ends with its usage and is billed once`, async () => {
    const answer = await hone.call('POST', path, {
      bearer: hone.owner.key,
      body: { model: 'plain', ...ask, stream: true },
    })
    assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    await settled()
    if (dialect === 'chat') {
      assert.ok(answer.text.endsWith('data: [DONE]\n\n'))
      assert.match(answer.text, new RegExp(`"prompt_tokens":${scriptedUsage.prompt_tokens}`))
    } else {
      assert.ok(answer.text.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n'))
      assert.match(answer.text, /"usage":\{"input_tokens":7,"output_tokens":3\}/)
    }
    assert.equal((await newestTransaction()).amount_usd, costUsd)
  })

  test(`a ${dialect} stream that breaks upstream ends in an error and bills nothing`, async () => {
    const before = await wallet()
    const answer = await hone.call('POST', path, {
      bearer: hone.owner.key,
      body: { model: 'breaks', ...ask, stream: true },
    })
    assert.equal(answer.status, 200)
    assert.doesNotMatch(answer.text, /\[DONE\]|message_stop/)
    assert.match(answer.text, /"error":\{/)
    await settled()
    assert.deepEqual(await wallet(), before)
  })

  test(`a ${dialect} call whose upstream fails is a 503 that shows nothing of it`, async () => {
    const before = await wallet()
    const answer = await hone.call('POST', path, {
      bearer: hone.owner.key,
      body: { model: 'refuses', ...ask },
    })
    assert.equal(answer.status, 503)
    assert.doesNotMatch(answer.text, /secret|127\.0\.0\.1/)
    assert.deepEqual(await wallet(), before)
  })

  test(`a ${dialect} client that leaves cancels the call and pays nothing`, async () => {
    const before = await wallet()
    const seen = upstream.calls.length
    const abort = new AbortController()
    const response = await fetch(hone.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${hone.owner.key}` },
      body: JSON.stringify({ model: 'slow', ...ask, stream: true }),
      signal: abort.signal,
    })
    await response.body?.getReader().read()
    assert.notEqual((await wallet()).held_usd, '0')
    abort.abort()
    await settled()
    await until(() => upstream.calls[seen]?.left === true)
    assert.deepEqual(await wallet(), before)
  })
}
