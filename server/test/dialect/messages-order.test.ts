// A whole message of the messages dialect has its blocks in the order in which the model server had them, as a stream has.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type Json, leastBody, paths, readEvents } from '#test/support/chaos-hone.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let upstream: Server
let hone: TestHone

const content = [
  { type: 'thinking', thinking: 'one', signature: 's' },
  { type: 'text', text: 'two' },
  { type: 'thinking', thinking: 'three', signature: 's' },
  { type: 'text', text: 'four' },
]
const usage = { input_tokens: 7, output_tokens: 4 }
const end = { stop_reason: 'end_turn', stop_sequence: null }

const events: Json[] = [
  { type: 'message_start', message: { usage } },
  ...content.flatMap((block, index): Json[] => [
    { type: 'content_block_start', index, content_block: { type: block.type } },
    {
      type: 'content_block_delta',
      index,
      delta:
        block.type === 'text'
          ? { type: 'text_delta', text: block.text }
          : { type: 'thinking_delta', thinking: block.thinking },
    },
    { type: 'content_block_stop', index },
  ]),
  { type: 'message_delta', delta: end, usage },
  { type: 'message_stop' },
]

before(async () => {
  upstream = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { stream } = JSON.parse(Buffer.concat(pieces).toString()) as { stream: boolean }
      response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json')
      if (!stream) return response.end(JSON.stringify({ type: 'message', content, ...end, usage }))
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const route = {
    engine: 'anthropic-compatible',
    base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
    pricing: { input: 1, output: 2 },
  }
  const model = { id: 'one', context_window: 8192, max_output_tokens: 900, routes: [route] }
  hone = await testHone({ catalog: { models: [model] } })
})
after(async () => {
  await hone.stop()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})

async function ask(stream: boolean) {
  const thinking = { type: 'adaptive', display: 'summarized' }
  const body = { model: 'one', ...leastBody, thinking, stream }
  return hone.call('POST', paths.messages, { bearer: hone.owner.key, body })
}

test('thoughts between texts stay where they are, whole and streamed', async () => {
  const whole = (await ask(false)).json as unknown as { content: Json[] }
  assert.deepEqual(
    whole.content.map(({ type, text, thinking }) => [type, text ?? thinking]),
    content.map(({ type, text, thinking }) => [type, text ?? thinking]),
  )
  const started = readEvents((await ask(true)).text).flatMap(({ data }) =>
    data !== '[DONE]' && data.type === 'content_block_start' ? [data.content_block as Json] : [],
  )
  assert.deepEqual(
    started.map(({ type }) => type),
    content.map(({ type }) => type),
  )
})
