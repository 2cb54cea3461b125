// Which route serves a call: by weight, the same for one conversation, another one only before the first byte, none that
// rests; and what an upstream is told of the caller.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { orderRoutes } from '#server/inference/order-routes.ts'
import { RouteHealth } from '#server/inference/route-health.ts'
import { createKey, createWorkspace } from '#test/support/accounts.ts'
import {
  type ChaosHone,
  chaosHone,
  dialects,
  dig,
  type DialectName,
  type Json,
} from '#test/support/chaos-hone.ts'
import { chaosRoute, type ChaosUpstream, chaosUpstream } from '#test/support/chaos-upstream.ts'
import { keyOfFirst } from '#test/support/first-route.ts'
import { openStream } from '#test/support/open-stream.ts'
import type { CallOptions } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone
let second: ChaosUpstream
let nowMs = 0

const key = 'sk-upstream-key-from-env'

before(async () => {
  second = await chaosUpstream()
  rig = await chaosHone(
    (first) => {
      /** The first upstream is asked first, but for one conversation in a million; the second is twice as dear. */
      const failingOver = (mode: string): object[] => [
        chaosRoute(first, 'openai', mode, { weight: 1_000_000 }),
        chaosRoute(second, 'openai', 'ok', { weight: 1e-6, pricing: { input: 2, output: 4 } }),
      ]
      return [
        { id: 'two', routes: [first, second].map((at) => chaosRoute(at, 'openai', 'ok')) },
        ...[
          'status_500',
          'rst_before_headers',
          'hang_before_headers',
          'error_event',
          'status_400',
          'statuses',
          'hang_mid_stream',
        ].map((mode) => ({ id: `or-else/${mode}`, routes: failingOver(mode) })),
        { id: 'alone', routes: [chaosRoute(first, 'openai', 'statuses')] },
        { id: 'salted', routes: [chaosRoute(first, 'openai', 'ok', { cache_salt: true })] },
        {
          id: 'new-name',
          routes: [
            chaosRoute(first, 'openai', 'ok', { max_tokens_field: 'max_completion_tokens' }),
          ],
        },
        {
          id: 'keyed',
          routes: [chaosRoute(first, 'openai', 'ok', { api_key_env: 'UPSTREAM_KEY' })],
        },
        {
          id: 'keyed/anthropic',
          routes: [chaosRoute(first, 'anthropic', 'ok', { api_key_env: 'UPSTREAM_KEY' })],
        },
        { id: 'keyless', routes: [chaosRoute(first, 'openai', 'ok', { api_key_env: 'NOT_SET' })] },
      ]
    },
    // As it comes from a file.
    { env: { UPSTREAM_KEY: `${key}\n` } },
  )
  rig.hone.app.calls.answerPorts.monotonicMs = () => nowMs
})
after(async () => {
  await rig.stop()
  await second.close()
})
beforeEach(() => {
  rig.hone.app.calls.answerPorts.health = new RouteHealth()
  rig.upstream.statuses = []
})

/** Which upstream a call reached: the last one, when it failed over. */
async function servedBy(
  dialect: DialectName,
  fields: Json,
  options: CallOptions = {},
): Promise<'first' | 'second'> {
  const seen = rig.upstream.calls.length
  const answer = await rig.post(dialect, { model: 'two', ...fields }, options)
  assert.equal(answer.status, 200, answer.text)
  return rig.upstream.calls.length > seen ? 'first' : 'second'
}

const ask = (content: string): Json => ({ messages: [{ role: 'user', content }] })
const numbers = Array.from({ length: 24 }, (_, i) => i)

test('over many conversations each route gets its share of the weight', () => {
  const routes = [
    { name: 'light', weight: 1 },
    { name: 'heavy', weight: 3 },
  ]
  let heavy = 0
  for (let i = 0; i < 4000; i++) {
    const [best, ...rest] = orderRoutes(routes, ({ name }) => name, `conversation ${i}`)
    assert.equal(rest.length, 1)
    if (best?.name === 'heavy') heavy += 1
  }
  assert.ok(heavy > 2850 && heavy < 3150, `${heavy} of 4000 went to three quarters of the weight`)
})

test('a route gets its share however many others there are', () => {
  const names = ['a', 'b', 'c', 'd', 'heavy']
  const routes = names.map((name) => ({ name, weight: name === 'heavy' ? 4 : 1 }))
  let heavy = 0
  for (let i = 0; i < 4000; i++) {
    const [best] = orderRoutes(routes, ({ name }) => name, `conversation ${i}`)
    if (best?.name === 'heavy') heavy += 1
  }
  assert.ok(heavy > 1850 && heavy < 2150, `${heavy} of 4000 went to half of the weight`)
})

test('a route that goes away moves only its own conversations', () => {
  const routes = ['a', 'b', 'c'].map((name) => ({ name, weight: 1 }))
  const nameOf = ({ name }: { name: string }): string => name
  for (let i = 0; i < 500; i++) {
    const all = orderRoutes(routes, nameOf, `conversation ${i}`).map(nameOf)
    const fewer = orderRoutes(routes.slice(1), nameOf, `conversation ${i}`).map(nameOf)
    assert.deepEqual(
      fewer,
      all.filter((name) => name !== 'a'),
    )
  }
})

for (const dialect of dialects) {
  test(`${dialect}: a conversation stays on its route as it grows and its marks move`, async () => {
    const used = new Set<string>()
    for (const i of numbers) {
      const text = `Question ${i}`
      const first = await servedBy(dialect, ask(text))
      const marked = [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]
      const grown = [
        { role: 'user', content: text },
        { role: 'assistant', content: 'A' },
        { role: 'user', content: 'More' },
      ]
      assert.equal(await servedBy(dialect, { messages: grown }), first)
      assert.equal(
        await servedBy(dialect, { messages: [{ role: 'user', content: marked }] }),
        first,
      )
      used.add(first)
    }
    assert.equal(used.size, 2, 'all conversations went to one route')
  })

  test(`${dialect}: the system prompt is part of what makes a conversation`, async () => {
    const system = (text: string): Json =>
      dialect === 'messages'
        ? { system: text }
        : {
            messages: [
              { role: 'system', content: text },
              { role: 'user', content: 'Hi' },
            ],
          }
    const used = new Set<string>()
    for (const i of numbers) used.add(await servedBy(dialect, system(`System ${i}`)))
    assert.equal(used.size, 2)
  })

  const names: [
    what: string,
    fields: (id: string) => Json,
    options: (id: string) => CallOptions,
  ][] = [
    ['session_id', (id) => ({ session_id: id }), () => ({})],
    ['x-session-id', () => ({}), (id) => ({ headers: { 'x-session-id': id } })],
  ]
  if (dialect === 'chat')
    names.push(['prompt_cache_key', (id) => ({ prompt_cache_key: id }), () => ({})])
  for (const [what, fields, options] of names) {
    test(`${dialect}: ${what} names the conversation, whatever is said in it`, async () => {
      const used = new Set<string>()
      for (const i of numbers) {
        const id = `${what}-${i}`
        const first = await servedBy(dialect, { ...fields(id), ...ask('One') }, options(id))
        const other = await servedBy(dialect, { ...fields(id), ...ask(`Other ${i}`) }, options(id))
        assert.equal(other, first)
        used.add(first)
      }
      assert.equal(used.size, 2)
    })
  }

  for (const mode of ['status_500', 'rst_before_headers', 'hang_before_headers']) {
    test(`${dialect}: another route answers after ${mode}, at its own price`, async () => {
      await rig.settled()
      const wallet = await rig.wallet()
      const [seen, others] = [rig.upstream.calls.length, second.calls.length]
      const answer = await rig.post(dialect, { model: `or-else/${mode}`, stream: true })
      assert.equal(answer.status, 200)
      assert.match(answer.text, / world/)
      // What was lost with a connection that had been kept is sent once more.
      const mostOften = mode === 'rst_before_headers' ? 2 : 1
      assert.ok(rig.upstream.calls.length > seen)
      assert.ok(rig.upstream.calls.length <= seen + mostOften)
      assert.equal(second.calls.length, others + 1)
      await rig.settled()
      const spent = Number(wallet.balance_usd) - Number((await rig.wallet()).balance_usd)
      assert.equal(Math.round(spent * 1e6), 26)
    })
  }

  test(`${dialect}: once an answer has reached its client no other route is asked`, async () => {
    const others = second.calls.length
    const answer = await rig.post(dialect, { model: 'or-else/error_event', stream: true })
    assert.equal(answer.status, 200)
    assert.equal(second.calls.length, others)
  })

  test(`${dialect}: a whole answer that breaks off is asked for elsewhere, at that price`, async () => {
    await rig.settled()
    const wallet = await rig.wallet()
    const others = second.calls.length
    const answer = await rig.post(dialect, { model: 'or-else/error_event' })
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.text, / world/)
    assert.equal(answer.text.match(/Hello/g)?.length ?? 0, 1, 'the first route is heard too')
    assert.equal(second.calls.length, others + 1)
    await rig.settled()
    const spent = Number(wallet.balance_usd) - Number((await rig.wallet()).balance_usd)
    assert.equal(Math.round(spent * 1e6), 26)
  })

  test(`${dialect}: a request that one route refuses is not tried on another`, async () => {
    const others = second.calls.length
    assert.equal((await rig.post(dialect, { model: 'or-else/status_400' })).status, 400)
    assert.equal(second.calls.length, others)
  })
}

const failing = 'or-else/statuses'

test('a route rests after three failures in a row, then one call finds out whether it is back', async () => {
  rig.upstream.statuses = [500, 500, 500]
  for (let i = 0; i < 3; i++) await rig.post('chat', { model: failing })
  const seen = rig.upstream.calls.length
  await rig.post('chat', { model: failing })
  assert.equal(rig.upstream.calls.length, seen, 'a resting route was asked')
  nowMs += 1001
  // Streamed, because such a call is over for its reader before the engine has said so.
  for (let i = 0; i < 3; i++) await rig.post('chat', { model: failing, stream: true })
  assert.equal(rig.upstream.calls.length, seen + 3, 'the route did not come back')
})

test('successes in between keep a route awake', async () => {
  rig.upstream.statuses = [500, 500, 200, 500, 500, 200, 500, 500]
  const seen = rig.upstream.calls.length
  for (let i = 0; i < 8; i++) await rig.post('chat', { model: failing, stream: true })
  assert.equal(rig.upstream.calls.length, seen + 8)
})

test('only one call at a time probes a route, and the rest doubles when it fails', async () => {
  rig.upstream.statuses = [500, 500, 500, 500]
  for (let i = 0; i < 3; i++) await rig.post('chat', { model: failing })
  nowMs += 1001
  const seen = rig.upstream.calls.length
  await Promise.all(numbers.map(() => rig.post('chat', { model: failing })))
  assert.equal(rig.upstream.calls.length, seen + 1)
  nowMs += 1001
  await rig.post('chat', { model: failing })
  assert.equal(rig.upstream.calls.length, seen + 1, 'the rest did not double')
  nowMs += 1000
  await rig.post('chat', { model: failing })
  assert.equal(rig.upstream.calls.length, seen + 2)
})

test('a client that leaves during a probe does not leave the route untried for ever', async () => {
  const health = rig.hone.app.calls.answerPorts.health
  const route = keyOfFirst(rig.hone, 'or-else/hang_mid_stream')
  for (let i = 0; i < 3; i++) health.failed(route, 'broken', nowMs)
  assert.equal(health.admit(route, nowMs), 'rests')
  nowMs += 1001
  const seen = rig.upstream.calls.length
  const stream = await openStream(rig, 'chat', { model: 'or-else/hang_mid_stream' })
  await until(() => stream.text.includes('Hello'))
  assert.equal(rig.upstream.calls.length, seen + 1)
  stream.abort()
  await rig.settled()
  assert.equal(health.admit(route, nowMs), 'fit')
})

test('a route that has begun to answer the call that tries it takes others at once', async () => {
  const health = rig.hone.app.calls.answerPorts.health
  const route = keyOfFirst(rig.hone, 'or-else/hang_mid_stream')
  for (let i = 0; i < 3; i++) health.failed(route, 'broken', nowMs)
  nowMs += 1001
  const seen = rig.upstream.calls.length
  const streams = [await openStream(rig, 'chat', { model: 'or-else/hang_mid_stream' })]
  await until(() => streams.every(({ text }) => text.includes('Hello')))
  assert.equal(health.rests(route, nowMs), false)
  streams.push(await openStream(rig, 'chat', { model: 'or-else/hang_mid_stream' }))
  await until(() => streams.every(({ text }) => text.includes('Hello')))
  assert.equal(rig.upstream.calls.length, seen + 2)
  for (const stream of streams) stream.abort()
  await rig.settled()
  health.failed(route, 'broken', nowMs)
  assert.equal(health.rests(route, nowMs), true, 'one more failure is enough')
})

test('a client that leaves an older answer lets nobody else at a route that is being tried', async () => {
  const health = rig.hone.app.calls.answerPorts.health
  const model = 'or-else/hang_mid_stream'
  const route = keyOfFirst(rig.hone, model)
  const older = await openStream(rig, 'chat', { model })
  await until(() => older.text.includes('Hello'))
  for (let i = 0; i < 3; i++) health.failed(route, 'broken', nowMs)
  nowMs += 1001
  assert.equal(health.admit(route, nowMs), 'on-trial')
  older.abort()
  await rig.settled()
  assert.equal(health.admit(route, nowMs), 'rests')
  health.trialOver(route)
  assert.equal(health.admit(route, nowMs), 'on-trial')
})

test('503 when no route is healthy, and the upstream is left in peace', async () => {
  rig.upstream.statuses = [500, 500, 500]
  for (const dialect of dialects) {
    for (let i = 0; i < 3; i++) {
      const answer = await rig.post(dialect, { model: 'alone' })
      assert.equal(answer.status, 503)
    }
    const seen = rig.upstream.calls.length
    const answer = await rig.post(dialect, { model: 'alone' })
    assert.equal(answer.status, 503)
    assert.match(answer.text, /No route to alone is healthy: The model server .+\./)
    assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    assert.equal(answer.headers.get('x-should-retry'), null)
    assert.equal(rig.upstream.calls.length, seen)
  }
})

test('the ceiling of an answer goes by the name that the route says', async () => {
  for (const dialect of ['chat', 'messages'] as const) {
    const { body: plain } = await rig.reached(dialect, { max_tokens: 7 })
    assert.deepEqual([plain.max_tokens, 'max_completion_tokens' in plain], [7, false])
    const { body } = await rig.reached(dialect, { model: 'new-name', max_tokens: 7 })
    assert.deepEqual([body.max_completion_tokens, 'max_tokens' in body], [7, false])
  }
})

test('cache_salt goes only where it is configured, one for each workspace', async () => {
  assert.equal('cache_salt' in (await rig.reached('chat', {})).body, false)
  const own = (await rig.reached('chat', { model: 'salted' })).body.cache_salt
  assert.equal(typeof own, 'string')
  assert.equal((await rig.reached('messages', { model: 'salted' })).body.cache_salt, own)
  const workspaceId = await createWorkspace(rig.hone, 'Other')
  const headers = await rig.hone.login(rig.hone.owner.email, rig.hone.owner.password)
  const inOther = { ...headers, 'x-workspace-id': workspaceId }
  const { secret } = await createKey(rig.hone, inOther)
  const { body } = await rig.reached('chat', { model: 'salted' }, { bearer: secret })
  assert.equal(typeof body.cache_salt, 'string')
  assert.notEqual(body.cache_salt, own)
  assert.doesNotMatch(JSON.stringify(body), new RegExp(workspaceId))
})

test("an upstream's key comes from the environment and goes in its header only", async () => {
  const bearer = await rig.reached('chat', { model: 'keyed' })
  assert.equal(bearer.headers.authorization, `Bearer ${key}`)
  const header = await rig.reached('messages', { model: 'keyed/anthropic' })
  assert.equal(header.headers['x-api-key'], key)
  assert.equal(header.headers.authorization, undefined)
  assert.equal(typeof header.headers['anthropic-version'], 'string')
  const keyless = await rig.reached('chat', {})
  assert.equal(keyless.headers.authorization, undefined)
  for (const call of [bearer, header, keyless]) {
    assert.doesNotMatch(JSON.stringify(call.body), new RegExp(key))
    assert.doesNotMatch(JSON.stringify(call.headers), new RegExp(rig.hone.owner.key))
  }
  assert.doesNotMatch((await rig.hone.call('GET', '/v1/models')).text, /UPSTREAM_KEY|127\.0\.0\.1/)
})

test('a route whose key is not set is 503, names neither key nor variable, and is not worth a retry', async () => {
  for (const dialect of dialects) {
    // More often than it takes a route to rest: waiting would not help.
    for (let i = 0; i < 4; i++) {
      const answer = await rig.post(dialect, { model: 'keyless' })
      assert.equal(answer.status, 503)
      assert.doesNotMatch(answer.text, /NOT_SET|127\.0\.0\.1/)
      assert.equal(answer.headers.get('x-should-retry'), 'false')
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
      if (dialect === 'chat') assert.equal(dig(answer.json, 'error.code'), 'no_healthy_route')
    }
  }
})
