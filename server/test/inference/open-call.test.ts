// What an open call does with its engine, the cache and the counts: the engine is told to stop wherever its reader does, a call
// that nobody saw begin leaves nothing in the cache, and what was written to the cache is counted.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { noUsage } from '#server/core/usage.ts'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'
import type { Engine } from '#server/engine/engine.ts'
import { identifyInference } from '#server/http/v1/identify-inference.ts'
import { runCall } from '#server/inference/run-call.ts'
import { WalletBilling } from '#server/inference/wallet-billing.ts'
import { type ChaosHone, chaosHone, dialects, dig, leastBody } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import { until } from '#test/support/until.ts'

const pricing = { input: 1, output: 2, cache_read: 0.1, cache_write_5m: 1.25, cache_write_1h: 2 }

let rig: ChaosHone
let asUsual: ChaosHone['hone']['app']['calls']['answerPorts']['engineAt']
before(async () => {
  rig = await chaosHone((upstream) => [
    {
      id: 'caches',
      prompt_caching: { type: 'explicit', min_tokens: 1 },
      routes: [chaosRoute(upstream, 'openai', 'ok', { pricing })],
    },
    {
      id: 'reports',
      prompt_caching: { type: 'explicit', min_tokens: 1 },
      routes: [chaosRoute(upstream, 'anthropic', 'scripted', { pricing })],
    },
  ])
  const { answerPorts } = rig.hone.app.calls
  asUsual = answerPorts.engineAt.bind(answerPorts)
})
afterEach(() => {
  rig.hone.app.calls.answerPorts.engineAt = asUsual
})
after(() => rig.stop())

function answerWith(call: Engine['call']): void {
  const engine: Engine = {
    call,
    countPromptTokens: () => Promise.resolve(null),
    busy: false,
    close: () => Promise.resolve(),
  }
  rig.hone.app.calls.answerPorts.engineAt = () => engine
}

const finish = (outputTokens: number): StreamPart => ({
  type: 'finish',
  reason: { kind: 'end' },
  usage: { ...noUsage, inputTokens: 7, outputTokens },
})

for (const [what, outputTokens, stream] of [
  ['that is complete', 3, true],
  ['that is complete and went out whole', 3, false],
  ['whose count makes no sense', 90_000_000, true],
] as const) {
  test(`an engine that has more to say after an answer ${what} is told to stop`, async () => {
    for (const dialect of dialects) {
      let stopped = 0
      answerWith(async function* () {
        try {
          yield [{ type: 'text-delta', text: 'Hello' }]
          yield [finish(outputTokens)]
          // Only somebody who asks for more than the end comes here.
          if (stream) yield [{ type: 'text-delta', text: 'And another thing' }]
        } finally {
          stopped += 1
        }
      })
      const answer = await rig.post(dialect, { stream })
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /Hello/)
      assert.doesNotMatch(answer.text, /another/)
      await rig.settled()
      await until(() => stopped === 1)
    }
  })
}

test('a call that is voided before its answer begins writes nothing to the cache, though its engine begins all the same', async () => {
  const { app, owner } = rig.hone
  const body = { ...leastBody, model: 'caches', system: markedSystem('5m') }
  const late = Promise.withResolvers<void>()
  answerWith(async function* () {
    await late.promise
    yield [{ type: 'text-delta', text: 'Too late' }]
  })
  const caller = await identifyInference(app, { authorization: `Bearer ${owner.key}` })
  const recording = { off: true, tags: [], requestId: null }
  const billing = new WalletBilling({ clientRequestId: 'given up', recording })
  const { request } = parseMessagesBody(body)
  const begins: Promise<unknown>[] = []
  const dialect = 'messages' as const
  const call = { caller, request, dialect, whole: false, billing, abort: new AbortController() }
  await runCall(app, call, (answer) => {
    begins.push(answer.next())
    return Promise.resolve(false)
  })
  late.resolve()
  await Promise.all(begins)
  await app.calls.promptCache.drained()
  app.calls.answerPorts.engineAt = asUsual
  const answer = await rig.post('messages', body)
  assert.equal(dig(answer.json, 'usage.cache_read_input_tokens'), undefined, answer.text)
  assert.ok(Number(dig(answer.json, 'usage.cache_creation_input_tokens')) > 0, answer.text)
})

test('the metrics count what was read from the cache and written to it, for either time', async () => {
  rig.upstream.script = {
    text: ['Hello'],
    usage: {
      input_tokens: 5,
      cache_read_input_tokens: 11,
      cache_creation_input_tokens: 1020,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 1000 },
      output_tokens: 3,
    },
  }
  const system = [...markedSystem('1h'), ...markedSystem('5m')]
  const messages = [{ role: 'user', content: 'word '.repeat(1000) }]
  const answer = await rig.post('messages', { model: 'reports', system, messages })
  assert.equal(answer.status, 200, answer.text)
  await rig.settled()
  const { text } = await rig.hone.call('GET', '/metrics')
  const counted = text.split('\n').filter((line) => line.startsWith('hone_tokens_total{model="rep'))
  assert.deepEqual(
    new Set(counted),
    new Set([
      'hone_tokens_total{model="reports",kind="input"} 5',
      'hone_tokens_total{model="reports",kind="cache_read"} 11',
      'hone_tokens_total{model="reports",kind="cache_write"} 1020',
      'hone_tokens_total{model="reports",kind="output"} 3',
    ]),
  )
})

function markedSystem(ttl: '5m' | '1h'): object[] {
  const cache_control = { type: 'ephemeral', ttl }
  return [{ type: 'text', text: 'Be kind and short.', cache_control }]
}
