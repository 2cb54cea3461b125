// Calls that Hone makes itself: they are answered like a member's, say what they cost, and leave no trace in the wallet, the usage,
// the samples or the ceilings of their workspace.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '#server/account/caller.ts'
import { Refusal } from '#server/core/refusal.ts'
import type { CallRequest } from '#server/core/request.ts'
import { parseChat } from '#server/dialect/chat/parse.ts'
import { type Engine, EngineError } from '#server/engine/engine.ts'
import { identifyInference } from '#server/http/v1/identify-inference.ts'
import { runPlatformCall } from '#server/inference/run-call.ts'
import {
  type ScriptedUpstream,
  scriptedCatalog,
  scriptedUpstream,
} from '#test/support/scripted-upstream.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'
import { until } from '#test/support/until.ts'

let upstream: ScriptedUpstream
let hone: TestHone
let caller: Caller
before(async () => {
  upstream = await scriptedUpstream()
  const limits = { requests_per_minute: 2, tokens_per_minute: 20_000_000, concurrent_calls: 512 }
  hone = await testHone({ catalog: { ...scriptedCatalog(upstream.baseUrl), limits } })
  caller = await identifyInference(hone.app, { authorization: `Bearer ${hone.owner.key}` })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})

const asking = (model: string): CallRequest =>
  parseChat({ model, messages: [{ role: 'user', content: 'Hi' }] }).request

const run = (model: string, abort = new AbortController()) =>
  runPlatformCall(hone.app, { caller, request: asking(model), abort })

const callAsMember = (model: string) => {
  const body = { model, messages: [{ role: 'user', content: 'Hi' }] }
  return hone.call('POST', '/v1/chat/completions', { bearer: hone.owner.key, body })
}

/** All that calls may leave in the database. */
async function traces(): Promise<unknown> {
  await hone.quiet()
  await hone.app.money.usage.flush()
  const { pool } = hone.app.storage
  const count = (table: string) =>
    pool.query(`count_${table}`, `select count(*)::integer as count from ${table}`, [])
  return Promise.all(
    ['ledger_entry', 'usage_record', 'wallet_lease', 'sample', 'call_claim'].map(count),
  )
}

test('a call says what it cost, and charges, holds and records nothing', async () => {
  const source = encodeURIComponent('plain')
  const configured = await hone.call('PUT', `/api/loop/configs/${source}`, {
    key: hone.owner.key,
    body: { enabled: true, sample_rate: 1, tags: [] },
  })
  assert.equal(configured.status, 200, configured.text)
  const before = await traces()
  const { parts, usage, cost } = await run('plain')
  const text = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
  assert.equal(text, 'Hello world')
  assert.deepEqual([usage.inputTokens, usage.outputTokens], [7, 3])
  assert.equal(cost, 7n * 1_000_000n + 3n * 2_000_000n)
  assert.deepEqual(await traces(), before)
})

test('a call asks neither the wallet nor the ceilings, the allowance or the recorder', async (t) => {
  const { limits, abortGuard, recorder } = hone.app.calls
  const taken = (): never => assert.fail('a platform call took something')
  t.mock.method(hone.app.money.wallets, 'hold', taken)
  t.mock.method(limits, 'admit', taken)
  t.mock.method(abortGuard, 'check', taken)
  t.mock.method(recorder, 'begin', taken)
  for (let n = 0; n < 4; n++) assert.equal((await run('plain')).usage.outputTokens, 3)
  t.mock.restoreAll()
  assert.equal((await callAsMember('plain')).headers.get('x-ratelimit-remaining-requests'), '1')
})

test('it waits in the queue of an engine apart from the calls of its workspace', async (t) => {
  const { answerPorts } = hone.app.calls
  const engineAt = answerPorts.engineAt.bind(answerPorts)
  const queues: string[] = []
  t.mock.method(answerPorts, 'engineAt', (route: Parameters<typeof engineAt>[0]): Engine => {
    const engine = engineAt(route)
    return {
      busy: false,
      countPromptTokens: () => Promise.resolve(null),
      close: () => Promise.resolve(),
      call(call, signal) {
        queues.push(call.workspaceId)
        return engine.call(call, signal)
      },
    }
  })
  await run('plain')
  await callAsMember('plain')
  assert.deepEqual(queues, [`platform calls of ${caller.workspace.id}`, caller.workspace.id])
})

test('an aborted call stops its model, and counts neither as aborted nor as failed use', async (t) => {
  const before = await traces()
  t.mock.method(hone.app.calls.abortGuard, 'aborted', () => assert.fail('it took of the allowance'))
  const seen = upstream.calls.length
  const abort = new AbortController()
  const call = run('hangs', abort)
  const failed = assert.rejects(call, { name: 'AbortError' })
  await until(() => upstream.calls.length > seen)
  assert.equal(hone.app.calls.underWay.has(abort), true, 'so that a shutdown can end it')
  abort.abort()
  await failed
  await until(() => upstream.calls.at(-1)?.left === true)
  assert.deepEqual(await traces(), before)
})

test('a call that fails says why: the refusal of a client, or what broke the answer', async () => {
  await assert.rejects(run('unknown'), (error) => {
    return error instanceof Refusal && error.code === 'model_not_found'
  })
  await assert.rejects(run('breaks'), (error) => {
    // Nobody was handed any of it, so that other routes would have been tried.
    return error instanceof Refusal || error instanceof EngineError
  })
  assert.equal(hone.app.calls.underWay.size, 0)
})
