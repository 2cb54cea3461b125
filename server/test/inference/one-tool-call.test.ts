// Spec 1, tools: where parallel calls are switched off a turn has one call at most, and where calls are switched off none, whatever
// the model server sends.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { dig, paths } from '#test/support/chaos-hone.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const call = (index: number) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name: 'look', arguments: `{"at":${index}}` },
})
const calls = [call(0), call(1)]
const tool = { name: 'look', description: 'Looks.' }

let upstream: Server
let hone: TestHone
before(async () => {
  upstream = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { stream } = JSON.parse(Buffer.concat(pieces).toString()) as { stream: boolean }
      const said = { role: 'assistant', content: null, tool_calls: calls }
      const choice = { index: 0, finish_reason: 'tool_calls' }
      const answer = { choices: [{ ...choice, [stream ? 'delta' : 'message']: said }], usage }
      response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
      const text = JSON.stringify(answer)
      response.end(stream ? `data: ${text}\n\ndata: [DONE]\n\n` : text)
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const route = {
    engine: 'openai-compatible',
    base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
    pricing: { input: 1, output: 2 },
  }
  const model = { context_window: 8192, max_output_tokens: 900, supports_tools: true }
  hone = await testHone({ catalog: { models: [{ id: 'two', ...model, routes: [route] }] } })
})
after(async () => {
  await hone.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})

function bodyOf(dialect: 'chat' | 'messages', parallel: boolean): object {
  if (dialect === 'chat') {
    const parameters = { type: 'object' }
    return {
      tools: [{ type: 'function', function: { ...tool, parameters } }],
      parallel_tool_calls: parallel,
    }
  }
  const choice = { type: 'auto', disable_parallel_tool_use: !parallel }
  return { tools: [{ ...tool, input_schema: { type: 'object' } }], tool_choice: choice }
}

function ask(dialect: 'chat' | 'messages', fields: object) {
  const messages = [{ role: 'user', content: 'Look' }]
  return hone.call('POST', paths[dialect], {
    bearer: hone.owner.key,
    body: { model: 'two', max_tokens: 100, messages, ...fields },
  })
}

for (const dialect of ['chat', 'messages'] as const) {
  for (const stream of [false, true]) {
    test(`${dialect}, ${stream ? 'streamed' : 'whole'}: one call where one was asked for, else both`, async () => {
      for (const parallel of [true, false]) {
        const answer = await ask(dialect, { stream, ...bodyOf(dialect, parallel) })
        assert.equal(answer.status, 200, answer.text)
        assert.match(answer.text, /call_0/)
        assert.equal(/call_1/.test(answer.text), parallel)
        if (dialect === 'chat' && !stream) {
          assert.equal(dig(answer.json, 'choices.0.finish_reason'), 'tool_calls')
        }
      }
    })
  }
}

for (const dialect of ['chat', 'messages'] as const) {
  for (const stream of [false, true]) {
    test(`${dialect}, ${stream ? 'streamed' : 'whole'}: no call where none was asked for, and nobody waits for its result`, async () => {
      const none = dialect === 'chat' ? 'none' : { type: 'none' }
      const asked = { stream, ...bodyOf(dialect, true), tool_choice: none }
      const { status, text } = await ask(dialect, asked)
      assert.equal(status, 200, text)
      assert.doesNotMatch(text, /call_0|call_1|tool_calls":\[|tool_use/)
      assert.match(text, dialect === 'chat' ? /"finish_reason":"stop"/ : /"stop_reason":"end_turn"/)
    })
  }
}
