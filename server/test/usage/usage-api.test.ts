// Usage over HTTP: every call is counted once, whether it was paid for, free, broken or left, and what it says was paid is
// what the ledger says.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type UsageRow, usageRow } from '#contract/analytics.ts'
import { usageDaysDefault, usageDaysMax } from '#contract/limits.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { Usage } from '#server/core/usage.ts'
import { newId } from '#server/lib/id.ts'
import { formatUsd, parseUsd } from '#server/lib/money.ts'
import { insertUsage } from '#server/usage/usage-store.ts'
import { priceCard } from '#server/wallet/charge.ts'
import { otherOrg } from '#test/support/accounts.ts'
import { type ChaosHone, chaosHone } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone((upstream) => [
    {
      id: 'free',
      routes: [chaosRoute(upstream, 'openai', 'ok', { pricing: { input: 0, output: 0 } })],
    },
    { id: 'timed', routes: [chaosRoute(upstream, 'openai', 'ok')] },
    { id: 'timed/broken', routes: [chaosRoute(upstream, 'openai', 'status_500')] },
  ])
})
after(() => rig.stop())

async function usage(query: string, key = rig.hone.owner.key): Promise<UsageRow[]> {
  const answer = await rig.hone.call('GET', `/api/analytics/usage?${query}`, { key })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json.usage as unknown as UsageRow[]).map((row) => usageRow.strict().parse(row))
}

async function chargedInAll(): Promise<string> {
  const { json } = await rig.hone.call('GET', '/api/wallet/transactions?limit=100', {
    key: rig.hone.owner.key,
  })
  const entries = json.transactions as unknown as { kind: string; amount_usd: string }[]
  let sum = 0n
  for (const { kind, amount_usd } of entries) {
    if (kind === 'charge') sum += parseUsd(amount_usd.replace('-', ''), 12) ?? 0n
  }
  return formatUsd(sum)
}

test('calls of every outcome are counted once, and the cost is the ledger’s', async () => {
  for (const stream of [false, true]) {
    assert.equal((await rig.post('chat', { stream })).status, 200)
    assert.equal((await rig.post('messages', { stream })).status, 200)
  }
  assert.equal((await rig.post('chat', { model: 'free' })).status, 200)
  assert.equal((await rig.post('chat', { model: 'status_500' })).status, 503)
  const leaving = new AbortController()
  const left = fetch(`${rig.hone.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rig.hone.owner.key}` },
    body: JSON.stringify({
      model: 'hang_mid_stream',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
    signal: leaving.signal,
  })
  await (await left).body?.getReader().read()
  leaving.abort()
  await rig.settled()

  const byModel = new Map((await usage('group_by=model')).map((row) => [row.model, row]))
  const of = (model: string) => {
    const { calls = 0, aborted_calls = 0, failed_calls = 0 } = byModel.get(model) ?? {}
    return { calls, aborted_calls, failed_calls }
  }
  assert.deepEqual(of('ok'), { calls: 4, aborted_calls: 0, failed_calls: 0 })
  assert.deepEqual(of('free'), { calls: 1, aborted_calls: 0, failed_calls: 0 })
  assert.deepEqual(of('status_500'), { calls: 1, aborted_calls: 0, failed_calls: 1 })
  assert.deepEqual(of('hang_mid_stream'), { calls: 1, aborted_calls: 1, failed_calls: 0 })
  const paid = byModel.get('ok')
  assert.ok(paid && paid.input_tokens > 0 && paid.output_tokens > 0 && paid.latency_ms_p50 !== null)
  assert.notEqual(paid.cost_usd, '0')
  // Two of them where midnight came meanwhile.
  const days = await usage('group_by=day')
  const [key] = await usage('group_by=key')
  assert.equal(
    days.reduce((sum, { calls }) => sum + calls, 0),
    7,
  )
  assert.equal(key?.calls, 7)
  assert.equal(key.cost_usd, await chargedInAll())
  assert.equal(paid.cost_usd, key.cost_usd)
})

test('records of earlier versions are counted beside the ledger', async () => {
  const { rows } = await sql<{ org_id: string; workspace_id: string }>`
    select distinct wallet_id as org_id, workspace_id from ledger_entry where kind = 'charge'
  `.execute(rig.hone.app.storage.db)
  const whose = rows[0]
  assert.ok(whose)
  await sql`
    insert into usage_record (request_id, org_id, workspace_id, model, route, outcome, input_tokens,
      cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, thinking_tokens,
      cost, latency_ms, created_at)
    values (${newId(new Date())}, ${whose.org_id}, ${whose.workspace_id}, 'old', 'old #1', 'completed',
      5, 0, 0, 0, 6, 0, 1000000, 9, now() - interval '1 millisecond')
  `.execute(rig.hone.app.storage.db)
  const [old] = (await usage('group_by=model')).filter(({ model }) => model === 'old')
  assert.deepEqual(
    [old?.calls, old?.input_tokens, old?.output_tokens, old?.cost_usd],
    [1, 5, 6, '0.000001'],
  )
})

test('a call is seen at once, on both sides of a span, and by its own workspace only', async () => {
  const from = new Date().toISOString()
  const none = await usage(`from=${from}`)
  assert.deepEqual(none, [])
  await rig.post('chat', {})
  const [row] = await usage(`from=${from}&group_by=key`)
  assert.equal(row?.calls, 1)
  const until = new Date(Date.now() + 60_000).toISOString()
  assert.equal((await usage(`from=${from}&to=${until}&group_by=key`))[0]?.calls, 1)
  assert.deepEqual(await usage(`from=2020-01-01&to=2020-02-01`), [])
  const other = await otherOrg(rig.hone)
  assert.deepEqual(await usage('', other.secret), [])
})

/** Whose calls are counted: the owner's, by the first key. */
async function whose(): Promise<{ orgId: string; workspaceId: string; keyId: string }> {
  const { json } = await rig.hone.call('GET', '/api/api-keys/introspect', {
    key: rig.hone.owner.key,
  })
  const key = json as unknown as {
    org: { id: string }
    workspace: { id: string }
    key_id: string
  }
  return { orgId: key.org.id, workspaceId: key.workspace.id, keyId: key.key_id }
}

const counts: Usage = {
  inputTokens: 11,
  cacheReadTokens: 12,
  cacheWrite5mTokens: 13,
  cacheWrite1hTokens: 14,
  outputTokens: 26,
  thinkingTokens: 15,
}
const took = { latencyMs: 70, firstTokenMs: 30 }

test('every count of a call is shown under its own name, whether it was paid for or free', async () => {
  const { orgId, workspaceId, keyId } = await whose()
  const { app } = rig.hone
  const requestId = newId(app.clock.now())
  const asked = { walletId: orgId, workspaceId, keyId, requestId, amount: 5_000_000n }
  const hold = await app.money.wallets.hold(asked)
  const card = priceCard({ input: '0.000001' })
  await hold.post(3_000_000n, {
    model: 'counted/paid',
    route: 'counted/paid #1',
    clientRequestId: 'its own id',
    usage: counts,
    card,
    ...took,
  })
  app.money.usage.record({
    ...{ orgId, workspaceId, keyId, ...took },
    requestId: newId(app.clock.now()),
    model: 'counted/free',
    route: 'counted/free #1',
    outcome: 'completed',
    usage: counts,
    at: app.clock.now(),
  })
  for (const [model, cost_usd] of [
    ['counted/paid', '0.000003'],
    ['counted/free', '0'],
  ]) {
    const [row] = (await usage('group_by=model')).filter((one) => one.model === model)
    assert.deepEqual(row, {
      model,
      calls: 1,
      aborted_calls: 0,
      failed_calls: 0,
      input_tokens: 11,
      cache_read_tokens: 12,
      cache_write_5m_tokens: 13,
      cache_write_1h_tokens: 14,
      output_tokens: 26,
      thinking_tokens: 15,
      cost_usd,
      latency_ms_p50: 70,
      first_token_ms_p50: 30,
    })
  }
  const { json } = await rig.hone.call('GET', '/api/wallet/transactions?limit=1', {
    key: rig.hone.owner.key,
  })
  const [{ created_at, ...entry } = { created_at: '' }] = json.transactions as unknown as {
    created_at: string
  }[]
  assert.ok(created_at)
  assert.deepEqual(entry, {
    id: requestId,
    kind: 'charge',
    amount_usd: '-0.000003',
    workspace_id: workspaceId,
    key_id: keyId,
    request_id: requestId,
    detail: {
      model: 'counted/paid',
      client_request_id: 'its own id',
      usage: {
        input_tokens: 11,
        cache_read_tokens: 12,
        cache_write_5m_tokens: 13,
        cache_write_1h_tokens: 14,
        output_tokens: 26,
        thinking_tokens: 15,
      },
      prices_usd_per_token: card.prices,
    },
  })
})

test('a span has its first moment and not its last, and days are those of UTC', async () => {
  const of = await whose()
  const { usage: writer } = rig.hone.app.money
  for (const at of [
    '2019-12-31T23:59:59.999Z',
    '2020-01-01T00:00:00.000Z',
    '2020-01-01T23:59:59.999Z',
    '2020-01-02T00:00:00.000Z',
    '2020-01-02T23:59:59.999Z',
    '2020-01-03T00:00:00.000Z',
  ]) {
    writer.record({
      ...of,
      ...took,
      requestId: newId(new Date()),
      model: 'edges',
      route: '',
      outcome: 'completed',
      usage: counts,
      at: new Date(at),
    })
  }
  const days = await usage('from=2020-01-01&to=2020-01-03&group_by=day')
  assert.deepEqual(
    days.map(({ day, calls }) => [day, calls]),
    [
      ['2020-01-01', 2],
      ['2020-01-02', 2],
    ],
  )
  const other = { ...of, workspaceId: newId(new Date()) }
  const [hourMs, defaultMs] = [3_600_000, usageDaysDefault * 24 * 3_600_000]
  for (const [whom, ago] of [
    [of, defaultMs - hourMs],
    [of, defaultMs + 2 * hourMs],
    [other, hourMs],
  ] as const) {
    writer.record({
      ...whom,
      ...took,
      requestId: newId(new Date()),
      model: 'since',
      route: '',
      outcome: 'completed',
      usage: counts,
      at: new Date(Date.now() - ago),
    })
  }
  const [since] = (await usage('group_by=model')).filter(({ model }) => model === 'since')
  assert.equal(since?.calls, 1)
})

test('times are those in the middle, and records that come twice count once', async () => {
  const of = await whose()
  const at = new Date('2021-06-01T00:00:00Z')
  const records = [90, 10, 20].map((latencyMs) => ({
    ...of,
    requestId: newId(new Date()),
    model: 'middle',
    route: '',
    outcome: 'completed' as const,
    usage: counts,
    latencyMs,
    firstTokenMs: latencyMs / 2,
    at,
  }))
  const { storage } = rig.hone.app
  await insertUsage(storage, records.slice(0, 2))
  // As after an answer of the database that was lost.
  await insertUsage(storage, records)
  const rows = await usage('from=2021-06-01&to=2021-06-02&group_by=model')
  assert.deepEqual(
    rows.map((row) => [row.calls, row.latency_ms_p50, row.first_token_ms_p50]),
    [[3, 20, 10]],
  )
})

test('a span may have as many days as the contract says', async () => {
  const from = new Date('2024-01-01T00:00:00Z')
  const to = new Date(from.getTime() + usageDaysMax * 24 * 3600 * 1000).toISOString()
  assert.deepEqual(await usage(`from=${from.toISOString()}&to=${to}`), [])
  const over = to.replace('.000Z', '.001Z')
  const answer = await rig.hone.call(
    'GET',
    `/api/analytics/usage?from=${from.toISOString()}&to=${over}`,
    { key: rig.hone.owner.key },
  )
  assert.equal(answer.status, 400)
  assert.match(answer.json.error?.message ?? '', new RegExp(`${usageDaysMax} days`))
})

for (const [query, why] of [
  ['from=2026-01-02&to=2026-01-01', 'from must be earlier than to.'],
  ['from=2026-01-01&to=2026-01-01', 'from must be earlier than to.'],
  ['from=2024-01-01&to=2026-01-01', 'The span from..to must not be longer than 400 days.'],
]) {
  test(`a span that cannot be is refused: ${query}`, async () => {
    const answer = await rig.hone.call('GET', `/api/analytics/usage?${query}`, {
      key: rig.hone.owner.key,
    })
    assert.equal(answer.status, 400)
    assert.equal(answer.json.error?.message, why)
  })
}

test('without an end, a span may begin at this very moment and not after it', async (t) => {
  const { clock } = rig.hone.app
  const now = clock.now()
  t.mock.method(clock, 'now', () => now)
  const from = (ms: number): string => `from=${new Date(now.getTime() + ms).toISOString()}`
  await usage(from(0))
  const answer = await rig.hone.call('GET', `/api/analytics/usage?${from(1)}`, {
    key: rig.hone.owner.key,
  })
  assert.equal(answer.status, 400)
  assert.equal(answer.json.error?.message, 'from must be earlier than to.')
})

test('who is turned away because too much is read at once is told that, and not to ask for less', async (t) => {
  const turnedAway = new Refusal('RATE_LIMITED', 'Wait a second.', { retryAfterSeconds: 1 })
  t.mock.method(rig.hone.app.samples.longReads, 'run', () => Promise.reject(turnedAway))
  const { key } = rig.hone.owner
  const { status, json } = await rig.hone.call('GET', '/api/analytics/usage', { key })
  assert.deepEqual([status, json.error?.message], [429, 'Wait a second.'])
})

test('what was billed by a clock that is ahead is shown, as the balance has it too', async (t) => {
  assert.equal((await rig.post('chat', {})).status, 200)
  await rig.settled()
  const shown = await usage('group_by=model')
  assert.ok(shown.some(({ model }) => model === 'ok'))
  const { clock } = rig.hone.app
  const now = clock.now.bind(clock)
  t.mock.method(clock, 'now', () => new Date(now().getTime() - 3_600_000))
  assert.deepEqual(await usage('group_by=model'), shown)
})

test('D8: the time of a call is counted from its own start, and one without a word has no first', async () => {
  const began = performance.now()
  assert.equal((await rig.post('chat', { model: 'timed' })).status, 200)
  assert.equal((await rig.post('chat', { model: 'timed/broken' })).status, 503)
  const tookMs = Math.ceil(performance.now() - began)
  await rig.settled()
  const byModel = new Map((await usage('group_by=model')).map((row) => [row.model, row]))
  const [timed, broken] = [byModel.get('timed'), byModel.get('timed/broken')]
  const [first, whole] = [timed?.first_token_ms_p50 ?? -1, timed?.latency_ms_p50 ?? -1]
  assert.ok(0 <= first && first <= whole && whole <= tookMs, `${first}, ${whole} of ${tookMs} ms`)
  assert.equal(broken?.first_token_ms_p50, null)
  const failedAfter = broken.latency_ms_p50 ?? 0
  assert.ok(0 <= failedAfter && failedAfter <= tookMs, `${failedAfter} of ${tookMs} ms`)
})
