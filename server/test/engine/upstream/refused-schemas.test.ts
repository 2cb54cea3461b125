// A server of the messages dialect that does not take the schema of an answer is told it in words, once, and the schema that
// it is sent is such as Claude takes. What is refused for another reason is not asked again.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type DialectName, dialects, dig, leastBody, paths } from '#test/support/chaos-hone.ts'
import {
  type SaidCall,
  type SayingUpstream,
  sayingUpstream,
} from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireRecords, wireWhole } from '#test/support/wire-answer.ts'

let upstream: SayingUpstream
let hone: TestHone
/** The words of a refusal; null where the server answers. */
let refusal: (call: SaidCall) => string | null

const said = '{"n":3}'

before(async () => {
  upstream = await sayingUpstream()
  const models = [
    { id: 'plain' },
    { id: 'thinks', reasoning: { efforts: ['low', 'high'], default: 'high' } },
    { id: 'leaves-out', leaves_out: ['output_config'] },
  ].map(({ id, leaves_out, ...model }) => ({
    id,
    context_window: 100_000,
    max_output_tokens: 8000,
    supports_tools: true,
    routes: [
      {
        engine: 'anthropic-compatible',
        base_url: upstream.baseUrl,
        probe: 'none',
        ...(leaves_out ? { leaves_out } : {}),
        pricing: { input: 1, output: 2 },
      },
    ],
    ...model,
  }))
  for (const { id } of models) {
    upstream.says[id] = ({ response, call }) => {
      const message = refusal(call)
      const error = { type: 'invalid_request_error', message }
      if (message !== null) {
        return void response.writeHead(400).end(JSON.stringify({ type: 'error', error }))
      }
      const isFirst = id === 'thinks' && upstream.calls.length === 1
      const calls = [{ id: 'a', name: 'f', pieces: ['{}'] }]
      const answer = isFirst ? { thinking: ['Hm'], calls } : { text: [said] }
      if (call.body.stream !== true) return void response.end(wireWhole('anthropic', answer))
      const type = { 'content-type': 'text/event-stream' }
      response.writeHead(200, type).end(wireRecords('anthropic', answer).join(''))
    }
  }
  hone = await testHone({ catalog: { models }, tasks: [] })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})
beforeEach(() => {
  upstream.calls.length = 0
  refusal = () => null
})

const schema = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 1 }, o: { properties: { p: {} } } },
}
const closed = {
  type: 'object',
  properties: {
    n: { type: 'integer', minimum: 1 },
    o: { properties: { p: {} }, additionalProperties: false },
  },
  additionalProperties: false,
}
const told = {
  type: 'text',
  text: `Answer with JSON that fits this JSON schema, and nothing else: ${JSON.stringify(schema)}`,
}
const unsupported =
  "output_config.format.schema: For 'integer' type, property 'minimum' is not supported"
const message = 'The model server cannot follow the JSON schema of this request; simplify it.'

const formed = {
  chat: { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
  messages: { output_config: { format: { type: 'json_schema', schema } } },
}

function post(dialect: DialectName, fields: object = {}): Promise<Answer> {
  const body = { model: 'plain', ...leastBody, ...formed[dialect], ...fields }
  return hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
}

const sentSchema = ({ body }: SaidCall): unknown => dig(body, 'output_config.format.schema')
const schemasSent = (): unknown[] => upstream.calls.map(sentSchema)
const systems = (): unknown[] => upstream.calls.map(({ body }) => body.system)

function ifFormed(words: string): void {
  refusal = (call) => (sentSchema(call) === undefined ? null : words)
}

for (const dialect of dialects) {
  for (const stream of [false, true]) {
    const manner = `${dialect}, ${stream ? 'streamed' : 'whole'}`

    test(`${manner}: objects of a schema are closed, and a server that takes it is asked once`, async () => {
      const answer = await post(dialect, { stream })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(schemasSent(), [closed])
      assert.deepEqual(systems(), [undefined])
    })

    test(`${manner}: a schema that is refused goes again as the last sentence of the system prompt`, async () => {
      ifFormed(unsupported)
      const system = { type: 'text', text: 'Be brief.' }
      const fields =
        dialect === 'chat'
          ? { messages: [{ role: 'system', content: system.text }, ...leastBody.messages] }
          : { system: system.text }
      const answer = await post(dialect, { stream, ...fields })
      assert.equal(answer.status, 200, answer.text)
      assert.ok(answer.text.includes(JSON.stringify(said).slice(1, -1)), answer.text)
      assert.deepEqual(schemasSent(), [closed, undefined])
      assert.deepEqual(systems(), [[system], [system, told]])
    })
  }
}

for (const words of [
  "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  'output_config.format.schema: Invalid schema: The compiled grammar is too large. Simplify your tool schemas or reduce the number of strict tools.',
  'The compiled grammar is too large. Simplify your tool schemas or reduce the number of strict tools.',
  'Schema is too complex for compilation.',
  'output_config.format: Extra inputs are not permitted',
  'output_config.format.schema.properties.image: not supported',
]) {
  test(`"${words}" is about the schema`, async () => {
    ifFormed(words)
    const answer = await post('chat')
    assert.equal(answer.status, 200, answer.text)
    assert.equal(upstream.calls.length, 2)
  })
}

test('the level of thinking is told to a server that refused the schema beside it', async () => {
  ifFormed(unsupported)
  const answer = await post('messages', {
    model: 'thinks',
    output_config: { ...formed.messages.output_config, effort: 'low' },
  })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(dig(upstream.calls[1]?.body, 'output_config'), { effort: 'low' })
})

test('the words have the schema with all of its digits', async () => {
  ifFormed(unsupported)
  const bounds = '{"type":"integer","minimum":-9223372036854775808}'
  const format = `{"type":"json_schema","schema":${bounds}}`
  const fields = JSON.stringify({ model: 'plain', ...leastBody }).slice(0, -1)
  const raw = `${fields},"output_config":{"format":${format}}}`
  const answer = await hone.call('POST', paths.messages, { bearer: hone.owner.key, raw })
  assert.equal(answer.status, 200, answer.text)
  assert.ok(String(dig(upstream.calls[1]?.body, 'system.0.text')).endsWith(`: ${bounds}`))
})

test('where both are refused, the refusal of the second is told', async () => {
  refusal = (call) => (sentSchema(call) ? unsupported : 'prompt is too long: 9 tokens > 8 maximum')
  const long = await post('chat')
  assert.equal(dig(long.json, 'error.code'), 'context_length_exceeded')
  assert.deepEqual(schemasSent(), [closed, undefined])
  upstream.calls.length = 0
  refusal = () => unsupported
  const answer = await post('chat')
  assert.equal(answer.status, 400)
  assert.equal(dig(answer.json, 'error.message'), message)
  assert.equal(dig(answer.json, 'error.param'), null)
  assert.deepEqual(schemasSent(), [closed, undefined])
})

for (const words of [
  'max_tokens: 9000 > 8192, which is the maximum',
  'tools.0.custom.input_schema: JSON schema is invalid',
  'output_config.effort: Input should be low, medium or high',
  'prompt is too long: 9 tokens > 8 maximum',
]) {
  test(`"${words}" is not about the schema, and told at once`, async () => {
    refusal = () => words
    const answer = await post('chat')
    assert.equal(answer.status, 400)
    assert.notEqual(dig(answer.json, 'error.message'), message)
    assert.deepEqual(schemasSent(), [closed])
  })
}

test('where no schema was sent, none was refused', async () => {
  refusal = () => unsupported
  for (const fields of [{ response_format: { type: 'json_object' } }, { model: 'leaves-out' }]) {
    upstream.calls.length = 0
    const answer = await post('chat', fields)
    assert.equal(answer.status, 400)
    assert.equal(upstream.calls.length, 1)
  }
})

test('thoughts that the server signed stay what they are where only the schema is refused', async () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  const fields = { model: 'thinks', max_tokens: 4000, tools }
  const first = await post('messages', fields)
  upstream.calls.length = 1
  ifFormed(unsupported)
  const answer = await post('messages', {
    ...fields,
    messages: [
      ...leastBody.messages,
      { role: 'assistant', content: dig(first.json, 'content') },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
    ],
  })
  assert.equal(answer.status, 200, answer.text)
  const asked = upstream.calls.slice(1)
  assert.deepEqual(asked.map(sentSchema), [closed, undefined])
  for (const { body } of asked) {
    assert.equal(dig(body, 'messages.1.content.0.type'), 'thinking')
  }
})

test('stop strings and a schema that are both refused are both told otherwise', async () => {
  refusal = ({ body }) => {
    if (dig(body, 'stop_sequences.0') === '\n\n') {
      return 'stop_sequences: each stop sequence must contain non-whitespace'
    }
    return dig(body, 'output_config.format') ? unsupported : null
  }
  const answer = await post('messages', { stop_sequences: ['\n\n'] })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(schemasSent(), [closed, closed, undefined])
})
