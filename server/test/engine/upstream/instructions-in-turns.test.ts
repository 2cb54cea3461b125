// Instructions amid a conversation, as agents send them, at servers whose model takes a system prompt only before it: the call
// is answered all the same, and a server that refuses them is not asked in vain again.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Message } from '#server/core/block.ts'
import { instructionsInTurns } from '#server/engine/openai-compatible/instructions-in-turns.ts'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dig, type Json, leastBody, paths, readEvents, textAt } from '#test/support/chaos-hone.ts'
import { request as asking } from '#test/engine/embedded/requests.ts'
import { type Saying, type SayingUpstream, sayingUpstream } from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireRecords, wireWhole } from '#test/support/wire-answer.ts'

const asked = asking('')
let upstream: SayingUpstream
let hone: TestHone
const ids = ['refuses', 'falls-over', 'takes', 'refuses-all', 'breaks']

before(async () => {
  upstream = await sayingUpstream()
  const route = {
    engine: 'openai-compatible',
    base_url: upstream.baseUrl,
    pricing: { input: 1, output: 2 },
    probe: 'none',
  }
  const window = { context_window: 8192, max_output_tokens: 900 }
  hone = await testHone({
    tasks: [],
    catalog: { models: ids.map((id) => ({ id, ...window, routes: [route] })) },
  })
  const error = { message: 'System message must be at the beginning.', code: 400 }
  Object.assign(upstream.says, {
    refuses: unlessInstructed(400, error),
    'falls-over': unlessInstructed(500, error),
    takes: answer,
    'refuses-all': failing(400, { message: 'no' }),
    breaks: broken,
  })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
  upstream.calls.length = 0
})

const hello = { text: ['Hello', ' world'] }

const answer: Saying = ({ response, call }) => {
  const isStreamed = call.body.stream === true
  const type = isStreamed ? 'text/event-stream' : 'application/json'
  response.writeHead(200, { 'content-type': type })
  response.end(isStreamed ? wireRecords('openai', hello).join('') : wireWhole('openai', hello))
}

/** Fails once it has begun to answer. */
const broken: Saying = ({ response }) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const [first = '', second = ''] = wireRecords('openai', hello)
  const error = { code: 500, message: 'out of memory' }
  response.end(`${first}${second}data: ${JSON.stringify({ error })}\n\n`)
}

function failing(status: number, error: object): Saying {
  return ({ response }) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error }))
}

/** As the template of Qwen does. */
function unlessInstructed(status: number, error: object): Saying {
  return (exchange) => {
    const [, ...later] = exchange.call.body.messages as Json[]
    const say = later.some(({ role }) => role === 'system') ? failing(status, error) : answer
    say(exchange)
  }
}

const user = (content: unknown): object => ({ role: 'user', content })
const instruction = { role: 'system', content: 'Agents: none.' }
const use = { type: 'tool_use', id: 't', name: 'f', input: {} }
const conversation = {
  system: 'Be kind.',
  messages: [
    user('Hi'),
    instruction,
    { role: 'assistant', content: [use] },
    user([{ type: 'tool_result', tool_use_id: 't', content: 'found' }]),
    instruction,
  ],
}

function post(model: string, fields: object = conversation): Promise<Answer> {
  return hone.call('POST', paths.messages, {
    bearer: hone.owner.key,
    body: { model, ...leastBody, ...fields },
  })
}

function roles(): unknown[] {
  return upstream.calls.map(({ body }) => (body.messages as Json[]).map(({ role }) => role))
}

const asSent = ['system', 'user', 'system', 'assistant', 'tool', 'system']
const inTurns = ['system', 'user', 'assistant', 'tool', 'user']

test('a server that refuses them is asked with words of the turns, and from then on at once', async () => {
  const first = await post('refuses')
  assert.equal(dig(first.json, 'content.0.text'), 'Hello world', first.text)
  assert.deepEqual(roles(), [asSent, inTurns])
  const sent = upstream.calls[1]?.body
  assert.equal(dig(sent, 'messages.1.content'), 'Hi\nAgents: none.')
  assert.equal(dig(sent, 'messages.4.content'), 'Agents: none.')

  upstream.calls.length = 0
  const { text } = await post('refuses', { ...conversation, stream: true })
  const words = readEvents(text).map(({ data }) => textAt(data, 'delta.text'))
  assert.equal(words.join(''), 'Hello world', text)
  assert.deepEqual(roles(), [inTurns])
})

test('a server that falls over them is asked in both ways each time', async () => {
  for (let time = 0; time < 2; time++) {
    upstream.calls.length = 0
    const { status, text } = await post('falls-over')
    assert.equal(status, 200, text)
    assert.deepEqual(roles(), [asSent, inTurns])
  }
})

test('a server that takes them is sent them as they are', async () => {
  assert.equal((await post('takes')).status, 200)
  assert.deepEqual(roles(), [asSent])
})

test('a refusal for another reason is told, and nothing is learned from it', async () => {
  for (let time = 0; time < 2; time++) {
    upstream.calls.length = 0
    const { status, text } = await post('refuses-all')
    assert.equal(status, 400, text)
    assert.deepEqual(roles(), [asSent, inTurns])
  }
})

test('without them, or once an answer has begun, nothing is asked twice', async () => {
  const { status } = await post('refuses-all', {})
  assert.equal(status, 400)
  assert.deepEqual(roles(), [['user']])
  upstream.calls.length = 0
  const { text } = await post('breaks', { ...conversation, stream: true })
  assert.match(text, /event: error/)
  assert.deepEqual(roles(), [asSent])
})

test('any number of turns in a row becomes one, and the request stays as it was', () => {
  const messages = Array.from({ length: 200_000 }, (_, at): Message => ({
    role: at % 2 === 0 ? 'user' : 'system',
    blocks: Array.from({ length: 3 }, (_, part) => ({ type: 'text', text: `${at}.${part}` })),
  }))
  // All that had come before was copied for every turn: some minutes.
  const [turn, ...others] = instructionsInTurns({ ...asked, messages }).messages
  assert.equal(others.length, 0)
  assert.equal(turn?.blocks.length, 600_000)
  assert.ok(messages.every(({ blocks }) => blocks.length === 3))
})
