// What a server of the messages dialect counts before it answers: clients of that dialect get it at the start of their own
// stream, where alone they look for it, and it changes neither the bill nor which server is asked.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { type ChaosHone, chaosHone, dig, type Json, readEvents } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import { event, wireRecords } from '#test/support/wire-answer.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone((upstream) => {
    const pricing = {
      input: 1,
      output: 2,
      cache_read: 0.1,
      cache_write_5m: 1.25,
      cache_write_1h: 2,
    }
    const route = chaosRoute(upstream, 'anthropic', 'scripted', { pricing, weight: 1000 })
    const prompt_caching = { type: 'explicit', min_tokens: 64 }
    const spare = chaosRoute(upstream, 'anthropic', 'ok', { weight: 0.000001 })
    return [
      { id: 'one', prompt_caching, routes: [route] },
      { id: 'two', routes: [route, spare] },
    ]
  })
})
after(() => rig.stop())
beforeEach(() => {
  rig.hone.app.calls.answerPorts.health = new RouteHealth()
})

const system = [
  {
    type: 'text',
    text: 'be kind and short. '.repeat(40),
    cache_control: { type: 'ephemeral', ttl: '1h' },
  },
]
const counted = {
  input_tokens: 20,
  cache_read_input_tokens: 50,
  cache_creation_input_tokens: 100,
  cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 },
}

/** The answer `Yes` with one usage at its start and another at its end; none where it is undefined. */
function script(atStart: unknown, atEnd: object): void {
  const records = wireRecords('anthropic', { text: ['Yes'] }).slice(1, -2)
  const message = { id: 'msg_up', type: 'message', role: 'assistant', content: [], usage: atStart }
  rig.upstream.script = {
    openai: [],
    anthropic: [
      event('message_start', { message }),
      ...records,
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: atEnd }),
      event('message_stop'),
    ],
  }
}

async function stream(model = 'one'): Promise<{ start: unknown; end: unknown; cost: number }> {
  await rig.settled()
  const wallet = await rig.wallet()
  const answer = await rig.post('messages', { model, system, stream: true })
  assert.equal(answer.status, 200, answer.text)
  const events = readEvents(answer.text)
  await rig.settled()
  const spent = Number(wallet.balance_usd) - Number((await rig.wallet()).balance_usd)
  return {
    start: dig(events[0]?.data, 'message.usage'),
    end: dig(events.at(-2)?.data, 'usage'),
    cost: Math.round(spent * 1e7),
  }
}

// In tenths of a millionth dollar: 20 in, 50 read, 30 and 70 written, 4 out.
const cost = 200 + 50 + 375 + 1400 + 80

test('a stream begins with the counts that its bill ends with', async () => {
  script({ ...counted, output_tokens: 1 }, { output_tokens: 4 })
  const told = await stream()
  assert.deepEqual(told.start, { ...counted, output_tokens: 0 })
  assert.deepEqual(told.end, { ...counted, output_tokens: 4 })
  assert.equal(told.cost, cost)
})

test('a start that counts more than the window holds is not told, and the end is billed', async () => {
  script({ ...counted, input_tokens: 90_000 }, { ...counted, output_tokens: 4 })
  const told = await stream()
  assert.deepEqual(told.start, { input_tokens: 0, output_tokens: 0 })
  assert.deepEqual(told.end, { ...counted, output_tokens: 4 })
  assert.equal(told.cost, cost)
})

test('where start and end disagree, the end is told last and billed', async () => {
  script({ ...counted, output_tokens: 1 }, { ...counted, input_tokens: 30, output_tokens: 4 })
  const told = await stream()
  assert.equal((told.start as Json).input_tokens, 20)
  assert.equal((told.end as Json).input_tokens, 30)
  assert.equal(told.cost, cost + 100)
})

test('a server that fails behind its count has said nothing yet, so that another is asked', async () => {
  const message = { type: 'message', role: 'assistant', content: [], usage: counted }
  const error = { type: 'overloaded_error', message: 'Overloaded' }
  rig.upstream.script = {
    openai: [],
    anthropic: [event('message_start', { message }), event('error', { error })],
  }
  const told = await stream('two')
  assert.deepEqual(told.start, { input_tokens: 7, output_tokens: 0 })
  assert.deepEqual(told.end, { input_tokens: 7, output_tokens: 3 })
  assert.equal(told.cost, 130)
})
