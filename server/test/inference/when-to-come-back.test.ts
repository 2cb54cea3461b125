// When every route of a model turns a call down, its client is told when to come back: as the servers said, within what
// clients wait for. And what the failures of one call say of the routes it was sent to.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dialects, type DialectName, leastBody, paths } from '#test/support/chaos-hone.ts'
import {
  json,
  type Saying,
  type SayingUpstream,
  sayingUpstream,
  status,
} from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'

let upstream: SayingUpstream
let hone: TestHone
let nowMs = 0

before(async () => {
  upstream = await sayingUpstream()
  const route = (engine: string, model: string, weight: number): object => ({
    engine: `${engine}-compatible`,
    base_url: upstream.baseUrl,
    pricing: { input: 1, output: 2 },
    probe: 'none',
    model,
    weight,
  })
  const model = { context_window: 8192, max_output_tokens: 900 }
  hone = await testHone({
    tasks: [],
    catalog: {
      models: [
        { id: 'openai', ...model, routes: [route('openai', 'one', 1)] },
        { id: 'anthropic', ...model, routes: [route('anthropic', 'one', 1)] },
        // The first is asked first, but for one conversation in a million millions.
        {
          id: 'two',
          ...model,
          routes: [route('openai', 'one', 1e6), route('openai', 'other', 1e-6)],
        },
      ],
    },
  })
  hone.app.calls.answerPorts.monotonicMs = () => nowMs
})
after(async () => {
  await hone.stop()
  await upstream.close()
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
})

function ask(model: string, dialect: DialectName = 'chat'): Promise<Answer> {
  const body = { ...leastBody, model }
  return hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
}

function say(one: Saying, other: Saying = one): void {
  Object.assign(upstream.says, { one, other })
}

const later = (value: string, code = 429): Saying => status(code, { 'retry-after': value })

const told: [value: string, seconds: string][] = [
  ['7', '7'],
  ['7.2', '8'],
  ['0', '1'],
  ['-3', '1'],
  ['3600', '60'],
  ['1e99', '60'],
  ['Fri, 31 Dec 9999 23:59:59 GMT', '60'],
  ['Thu, 01 Jan 1970 00:00:00 GMT', '1'],
  ['soon', '5'],
  ['', '5'],
]
for (const [value, seconds] of told) {
  test(`a server that says ${JSON.stringify(value)} is passed on as ${seconds} seconds`, async () => {
    for (const code of [429, 503, 529]) {
      for (const model of ['openai', 'anthropic']) {
        hone.app.calls.answerPorts.health = new RouteHealth()
        say(later(value, code))
        for (const dialect of dialects) {
          const answer = await ask(model, dialect)
          assert.equal(answer.status, 503)
          assert.equal(answer.headers.get('retry-after'), seconds)
        }
      }
    }
  })
}

test('of several routes the one that is back first counts, and one that says nothing has the usual time', async () => {
  const answers: [Saying, Saying, string][] = [
    [later('30'), later('12'), '12'],
    [later('12'), later('30'), '12'],
    [later('30'), status(429), '5'],
    [later('30'), status(502), '5'],
    [later('2'), status(502), '2'],
  ]
  for (const [one, other, seconds] of answers) {
    hone.app.calls.answerPorts.health = new RouteHealth()
    say(one, other)
    assert.equal((await ask('two')).headers.get('retry-after'), seconds)
  }
})

test('what a server said holds while its route rests, and grows shorter', async () => {
  say(later('30'))
  for (let i = 0; i < 3; i++) await ask('openai')
  const seen = upstream.calls.length
  assert.equal((await ask('openai')).headers.get('retry-after'), '30')
  nowMs += 900
  assert.equal((await ask('openai')).headers.get('retry-after'), '30')
  assert.equal(upstream.calls.length, seen, 'a resting route was asked')
})

test('a request over which every server falls makes no route rest', async () => {
  say(status(500))
  for (let i = 0; i < 5; i++) {
    const seen = upstream.calls.length
    assert.equal((await ask('two')).status, 503)
    assert.equal(upstream.calls.length, seen + 2)
  }
})

test('such a request leaves a route that rests as it was', async () => {
  say(status(502), status(502))
  for (let i = 0; i < 3; i++) await ask('two')
  nowMs += 1000
  say(status(500))
  const seen = upstream.calls.length
  await ask('two')
  assert.equal(upstream.calls.length, seen + 2)
  // Neither has answered, so that one call at a time finds out; that takes no longer than before.
  say(status(502))
  await ask('two')
  assert.equal(upstream.calls.length, seen + 4)
  nowMs += 1999
  await ask('two')
  assert.equal(upstream.calls.length, seen + 4)
  nowMs += 1
  await ask('two')
  assert.equal(upstream.calls.length, seen + 6)
})

test('a server that falls over what another answers rests, and so does one that fails in another way', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 }
  const message = { role: 'assistant', content: 'Hello' }
  const answers = json({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
  const asked = (from: number): unknown[] =>
    upstream.calls.slice(from).map(({ body }) => body.model)
  for (const [other, end] of [
    [answers, 200],
    [status(502), 503],
  ] as const) {
    hone.app.calls.answerPorts.health = new RouteHealth()
    say(status(500), other)
    for (let i = 0; i < 3; i++) assert.equal((await ask('two')).status, end)
    const seen = upstream.calls.length
    await ask('two')
    assert.deepEqual(asked(seen), end === 200 ? ['other'] : [])
  }
})
