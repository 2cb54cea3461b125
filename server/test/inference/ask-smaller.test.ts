// Spec 1, reasoning rule 8, where nobody counts the prompt: a server that finds prompt and answer too long together is asked once
// more for what its refusal leaves, and the client is told where it asked for more.
import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { dialects, dig, leastBody, paths } from '#test/support/chaos-hone.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { type Wire, wireRecords, wireWhole } from '#test/support/wire-answer.ts'

const window = 1000
const promptTokens = 60
let upstream: Server
let hone: TestHone
let asked: number[]
/** How the server words it. */
let refusal: (maxTokens: number) => string

function answer(wire: Wire, body: { stream?: boolean }, response: ServerResponse): void {
  const said = { text: ['Hello'] }
  response.setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json')
  response.end(body.stream ? wireRecords(wire, said).join('') : wireWhole(wire, said))
}

before(async () => {
  upstream = createServer((request, response) => {
    if (request.url?.endsWith('count_tokens')) return void response.writeHead(404).end()
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
      const maxTokens = Number(body.max_tokens)
      asked.push(maxTokens)
      if (promptTokens + maxTokens > window) {
        response.writeHead(400).end(JSON.stringify({ error: { message: refusal(maxTokens) } }))
      } else answer(request.url?.endsWith('messages') ? 'anthropic' : 'openai', body, response)
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  hone = await testHone({
    catalog: {
      models: ['openai', 'anthropic'].map((id) => ({
        id,
        context_window: window,
        max_output_tokens: window,
        routes: [
          {
            engine: `${id}-compatible`,
            base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
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
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})
beforeEach(() => {
  asked = []
  refusal = (maxTokens) =>
    `This model's maximum context length is ${window} tokens. However, you requested ${promptTokens + maxTokens} tokens (${promptTokens} in the messages, ${maxTokens} in the completion).`
})

async function ask(dialect: 'chat' | 'messages', fields: object): Promise<Answer> {
  const body = { ...leastBody, ...fields }
  const said = await hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
  await hone.quiet()
  return said
}

for (const model of ['openai', 'anthropic']) {
  for (const dialect of dialects) {
    for (const stream of [false, true]) {
      test(`${model}, ${dialect}, ${stream ? 'streamed' : 'whole'}: what does not fit is asked for smaller, and that is said`, async () => {
        const said = await ask(dialect, { model, stream, max_tokens: 980 })
        assert.equal(said.status, 200, said.text)
        assert.match(said.text, /Hello/)
        assert.equal(said.headers.get('x-service-params-adjusted'), 'max_tokens')
        assert.equal(asked.length, 2)
        assert.equal(asked[1], window - promptTokens)
      })

      test(`${model}, ${dialect}, ${stream ? 'streamed' : 'whole'}: a server that refuses that too is not asked again`, async () => {
        refusal = (maxTokens) => `context length: ${maxTokens + 5} - 10 < ${maxTokens}`
        const said = await ask(dialect, { model, stream, max_tokens: 980 })
        assert.equal(said.status, 400, said.text)
        assert.match(
          String(dig(said.json, 'error.message')),
          /prompt is too long: it exceeds the context window/,
        )
        assert.equal(asked.length, 2)
      })
    }
  }

  test(`${model}: who asked for no ceiling is told of none`, async () => {
    const said = await ask('chat', { model, max_tokens: undefined })
    assert.equal(said.status, 200, said.text)
    assert.equal(said.headers.get('x-service-params-adjusted'), null)
    assert.equal(asked[1], window - promptTokens)
  })

  test(`${model}: a refusal without numbers is one`, async () => {
    refusal = () => 'The context length is exceeded.'
    assert.equal((await ask('chat', { model, max_tokens: 980 })).status, 400)
    assert.equal(asked.length, 1)
  })

  test(`${model}: what fits is asked for as it is`, async () => {
    const said = await ask('chat', { model, max_tokens: window - promptTokens })
    assert.equal(said.headers.get('x-service-params-adjusted'), null)
    assert.deepEqual(asked, [window - promptTokens])
  })
}
