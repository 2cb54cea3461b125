// Answers that nobody reads before their end are asked for whole where that is the same answer; everything else about
// them is as with a stream. And what happens to the connection once an answer is over, or its client is gone.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import {
  type ChaosHone,
  chaosHone,
  dialects,
  dig,
  paths,
  readEvents,
} from '#test/support/chaos-hone.ts'
import { upstreamSecret } from '#test/support/chaos-upstream.ts'
import { loopTurns } from '#test/support/loop-turns.ts'
import { openStream } from '#test/support/open-stream.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())
beforeEach(() => {
  rig.hone.app.calls.answerPorts.health = new RouteHealth()
})

const wires = ['', 'anthropic/']
const tools = {
  chat: { tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }] },
  messages: { tools: [{ name: 'weather', input_schema: { type: 'object' } }] },
}

for (const dialect of dialects) {
  test(`${dialect}: a short answer is asked for whole, a stream or a long one is not`, async () => {
    const streams = async (fields: object): Promise<unknown> =>
      (await rig.reached(dialect, fields)).body.stream
    for (const wire of wires) {
      const model = `${wire}ok`
      assert.equal(await streams({ model }), false)
      assert.equal(await streams({ model, stream: true }), true)
      // It might take longer than a server has for its first byte.
      assert.equal(await streams({ model, max_tokens: 8000 }), true)
    }
    // llama.cpp repeats in a whole answer what it goes on with.
    const begun = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hel' },
    ]
    for (const wire of wires) {
      assert.equal(await streams({ model: `${wire}ok`, messages: begun }), true)
    }
    // Only a stream of that dialect has the arguments as the model wrote them.
    assert.equal(await streams({ model: 'ok', ...tools[dialect] }), false)
    assert.equal(await streams({ model: 'anthropic/ok', ...tools[dialect] }), true)
    assert.equal('stream_options' in (await rig.reached(dialect, { model: 'ok' })).body, false)
  })

  // What an answer says in either form is shown with the readers; here that nobody else can tell.
  for (const mode of ['reasoning', 'one_call']) {
    test(`${dialect}: ${mode} is the same answer and the same bill, whole or streamed upstream`, async () => {
      for (const wire of wires) {
        const model = wire + mode
        const told: unknown[] = []
        for (const max_tokens of [100, 8000]) {
          await rig.settled()
          const wallet = await rig.wallet()
          const { status, json } = await rig.post(dialect, { model, max_tokens })
          assert.equal(status, 200)
          await rig.settled()
          const spent = Number(wallet.balance_usd) - Number((await rig.wallet()).balance_usd)
          assert.equal(Math.round(spent * 1e6), 13)
          const { id, created, ...rest } = json as Record<string, unknown>
          assert.ok(id)
          told.push(
            JSON.parse(JSON.stringify(rest).replaceAll(/"signature":"[^"]*"/g, '"signature":""')),
          )
          assert.ok(dialect === 'messages' || created)
        }
        assert.deepEqual(told[0], told[1])
      }
    })
  }

  for (const mode of ['whole_cut', 'whole_error']) {
    test(`${dialect}: ${mode} is an error in dialect and costs nothing`, async () => {
      await rig.settled()
      const wallet = await rig.wallet()
      for (const wire of wires) {
        const answer = await rig.post(dialect, { model: wire + mode })
        assert.equal(answer.status, 503)
        assert.ok(dig(answer.json, 'error.message'))
        assert.doesNotMatch(answer.text, new RegExp(upstreamSecret))
      }
      await rig.settled()
      assert.deepEqual(await rig.wallet(), wallet)
    })
  }

  test(`${dialect}: the connection is used again when the end of an answer comes late`, async () => {
    const isUsedAgain = async (model: string, stream: boolean): Promise<boolean> => {
      const used = new Set<number | undefined>()
      let left = false
      for (let i = 0; i < 3; i++) {
        const seen = rig.upstream.calls.length
        assert.equal((await rig.post(dialect, { model, stream })).status, 200)
        const call = rig.upstream.calls[seen]
        used.add(call?.connection)
        await rig.settled()
        await until(() => call?.ended === true || call?.left === true)
        await loopTurns()
        left ||= call?.left !== false
      }
      return used.size === 1 && !left
    }
    for (const model of ['late_end', 'anthropic/late_end']) {
      for (const stream of [true, false]) {
        // A machine that stands still makes the end later than anybody waits for it.
        let again = await isUsedAgain(model, stream)
        for (let i = 0; i < 4 && !again; i++) again = await isUsedAgain(model, stream)
        assert.ok(again, `${model} ${stream}`)
      }
    }
  })

  test(`${dialect}: a server that goes on after its answer is let go, and the answer is paid`, async () => {
    for (const model of ['never_ends', 'anthropic/never_ends']) {
      await rig.settled()
      const wallet = await rig.wallet()
      const seen = rig.upstream.calls.length
      const answer = await rig.post(dialect, { model, stream: true })
      assert.equal(answer.status, 200)
      assert.notEqual(readEvents(answer.text).at(-1)?.event, 'error')
      await until(() => rig.upstream.calls[seen]?.left === true)
      await rig.settled()
      const spent = Number(wallet.balance_usd) - Number((await rig.wallet()).balance_usd)
      assert.equal(Math.round(spent * 1e6), 13)
    }
  })

  for (const stream of [true, false]) {
    test(`${dialect}: when a client leaves, ${stream ? 'streamed' : 'whole'}, the upstream knows before the next call is answered`, async () => {
      for (const model of ['hang_mid_stream', 'anthropic/hang_mid_stream']) {
        const seen = rig.upstream.calls.length
        if (stream) {
          const open = await openStream(rig, dialect, { model })
          await until(() => open.text.includes('Hello'))
          open.abort()
        } else {
          const abort = new AbortController()
          const call = fetch(rig.hone.url + paths[dialect], {
            method: 'POST',
            headers: { authorization: `Bearer ${rig.hone.owner.key}` },
            body: JSON.stringify({
              model,
              max_tokens: 9,
              messages: [{ role: 'user', content: 'x' }],
            }),
            signal: abort.signal,
          })
          await until(() => rig.upstream.calls.length > seen)
          abort.abort()
          await assert.rejects(call)
        }
        const next = await rig.post(dialect, { model: 'ok' })
        assert.equal(next.status, 200)
        assert.equal(rig.upstream.calls[seen]?.left, true)
      }
    })
  }
}
