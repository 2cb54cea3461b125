// Connections to a model server are kept, and may be closed at the moment the next call is sent on one: nobody has seen that
// call, so it is sent once more. Whatever else breaks is a failure of the route.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dialects, type DialectName, leastBody, paths } from '#test/support/chaos-hone.ts'
import { type Saying, type SayingUpstream, sayingUpstream } from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { type Wire, wireRecords, wireWhole } from '#test/support/wire-answer.ts'

const wires: Wire[] = ['openai', 'anthropic']
/** One for each wire, so that each has connections of its own. */
let upstreams: Record<Wire, SayingUpstream>
let hone: TestHone

before(async () => {
  upstreams = { openai: await sayingUpstream(), anthropic: await sayingUpstream() }
  hone = await testHone({
    tasks: [],
    catalog: {
      models: wires.map((wire) => ({
        id: wire,
        context_window: 32_768,
        max_output_tokens: 8192,
        routes: [
          {
            engine: `${wire}-compatible`,
            base_url: upstreams[wire].baseUrl,
            pricing: { input: 1, output: 2 },
            probe: 'none',
          },
        ],
      })),
    },
  })
})
after(async () => {
  await hone.stop()
  await Promise.all(wires.map((wire) => upstreams[wire].close()))
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
})

async function ask(wire: Wire, dialect: DialectName, stream: boolean): Promise<Answer> {
  const body = { ...leastBody, model: wire, stream }
  const answer = await hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
  await hone.quiet()
  return answer
}

const hello = { text: ['Hello', ' world'] }

function answering(wire: Wire): Saying {
  return ({ response, call }) => {
    const streams = call.body.stream === true
    const type = streams ? 'text/event-stream' : 'application/json'
    const text = streams ? wireRecords(wire, hello).join('') : wireWhole(wire, hello)
    response.writeHead(200, { 'content-type': type }).end(text)
  }
}

/** Has calls answered until one has come on a connection that was kept, and so will the next. */
async function keepOne(wire: Wire): Promise<void> {
  const { calls, says } = upstreams[wire]
  const seen = new Set<number>()
  says[wire] = answering(wire)
  for (;;) {
    assert.equal((await ask(wire, 'chat', false)).status, 200)
    const { connection = 0 } = calls.at(-1) ?? {}
    if (seen.has(connection)) return
    seen.add(connection)
  }
}

const losses: Record<string, Saying> = {
  closed: ({ socket }) => void socket.destroy(),
  reset: ({ socket }) => void socket.resetAndDestroy(),
}
for (const wire of wires) {
  for (const [what, lose] of Object.entries(losses)) {
    test(`${wire}: a call on a connection that was ${what} is sent again, and is no failure of the route`, async () => {
      const { calls, says } = upstreams[wire]
      // More often than it takes a route to rest.
      for (let round = 0; round < 2; round++) {
        for (const dialect of dialects) {
          for (const stream of [false, true]) {
            await keepOne(wire)
            const seen = calls.length
            says[wire] = (exchange) => (exchange.nth > 1 ? lose : answering(wire))(exchange)
            const answer = await ask(wire, dialect, stream)
            assert.equal(answer.status, 200, answer.text)
            assert.match(answer.text, / world/)
            const [lost, again, ...more] = calls.slice(seen)
            assert.deepEqual(again?.body, lost?.body)
            assert.notEqual(again?.connection, lost?.connection)
            assert.equal(more.length, 0)
          }
        }
      }
    })

    test(`${wire}: a call that is ${what} again is not sent a third time`, async () => {
      await keepOne(wire)
      const { calls, says } = upstreams[wire]
      const seen = calls.length
      says[wire] = lose
      assert.equal((await ask(wire, 'chat', true)).status, 503)
      assert.equal(calls.length, seen + 2)
    })
  }

  test(`${wire}: a call of which an answer has come is not sent again`, async () => {
    const { calls, says } = upstreams[wire]
    const heads: Saying[] = [
      ({ response, socket }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        setImmediate(() => socket.destroy())
      },
      ({ response, socket }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(wireRecords(wire, hello)[0], () => socket.destroy())
      },
    ]
    for (const head of heads) {
      await keepOne(wire)
      const seen = calls.length
      says[wire] = head
      const answer = await ask(wire, 'chat', true)
      assert.doesNotMatch(answer.text, /\[DONE\]/)
      assert.equal(calls.length, seen + 1)
    }
  })
}

test('a call whose connection is new is not sent again: that is a failure of the server', async () => {
  const fresh = await sayingUpstream()
  const { catalogFile, app } = hone
  const route = { engine: 'openai-compatible', base_url: fresh.baseUrl, probe: 'none' }
  const model = { id: 'fresh', context_window: 8192, max_output_tokens: 900 }
  const routes = [{ ...route, pricing: { input: 1, output: 2 } }]
  await writeFile(catalogFile, JSON.stringify({ models: [{ ...model, routes }] }))
  await app.catalog.reload()
  fresh.says.fresh = losses.reset!
  for (let sent = 1; sent <= 3; sent++) {
    const body = { ...leastBody, model: 'fresh' }
    const answer = await hone.call('POST', paths.chat, { bearer: hone.owner.key, body })
    assert.equal(answer.status, 503)
    assert.equal(fresh.calls.length, sent)
  }
  await fresh.close()
})
