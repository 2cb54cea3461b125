// The official clients, as people use them, against a real Hone: both generations of each SDK, and the AI SDK on top.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic1 from '@anthropic-ai/sdk'
import { generateText, Output, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import Anthropic0 from 'anthropic-sdk-0'
import OpenAI7 from 'openai'
import OpenAI6 from 'openai-6'
import { RouteHealth } from '#server/inference/route-health.ts'
import { createKey, otherOrg } from '#test/support/accounts.ts'
import { type ChaosHone, chaosHone, dig, textAt } from '#test/support/chaos-hone.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())
beforeEach(() => {
  rig.hone.app.calls.answerPorts.health = new RouteHealth()
})
// The AI SDK warns of every model it does not know.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

const ask = [{ role: 'user' as const, content: 'Hi' }]
const schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
}
const name = 'weather'

/** What both generations of the OpenAI client have in common, as far as it is used here. */
const openAis: [generation: string, make: (key: string) => OpenAI7][] = [
  ['openai 7', (apiKey) => new OpenAI7({ apiKey, baseURL: `${rig.hone.url}/v1`, maxRetries: 0 })],
  [
    'openai 6',
    (apiKey) =>
      new OpenAI6({
        apiKey,
        baseURL: `${rig.hone.url}/v1`,
        maxRetries: 0,
      }) as unknown as OpenAI7,
  ],
]

for (const [generation, make] of openAis) {
  const client = (): OpenAI7 => make(rig.hone.owner.key)
  const chatTools = [{ type: 'function' as const, function: { name, parameters: schema } }]

  test(`${generation}: text`, async () => {
    const answer = await client().chat.completions.create({ model: 'ok', messages: ask })
    assert.equal(answer.choices[0]?.message.content, 'Hello world')
    assert.equal(answer.choices[0]?.finish_reason, 'stop')
    assert.equal(answer.usage?.total_tokens, 10)
    assert.ok(answer._request_id)
  })

  test(`${generation}: stream, raw`, async () => {
    const body = { model: 'ok', messages: ask, stream: true as const }
    const stream = await client().chat.completions.create({
      ...body,
      stream_options: { include_usage: true },
    })
    let [text, usages] = ['', 0]
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      if (chunk.usage) usages += 1
    }
    assert.equal(text, 'Hello world')
    assert.equal(usages, 1)
  })

  for (const model of [
    'ok',
    'reasoning',
    'one_call',
    'calls_without_index',
    'anthropic/two_calls',
  ]) {
    test(`${generation}: the stream helper puts ${model} together`, async () => {
      const stream = client().chat.completions.stream({ model, messages: ask, tools: chatTools })
      const final = await stream.finalChatCompletion()
      assert.equal(final.usage?.total_tokens, 10)
      const [choice] = final.choices
      if (/call/.test(model)) {
        assert.equal(choice?.finish_reason, 'tool_calls')
        for (const call of choice?.message.tool_calls ?? []) {
          assert.equal(call.type, 'function')
          if (call.type === 'function') JSON.parse(call.function.arguments)
        }
        const calls = /two|without/.test(model) ? 2 : 1
        assert.equal(choice?.message.tool_calls?.length, calls)
      } else {
        assert.equal(choice?.message.content, 'Hello world')
      }
    })
  }

  test(`${generation}: tools in two turns`, async () => {
    const first = await client().chat.completions.create({
      model: 'one_call',
      messages: ask,
      tools: chatTools,
      tool_choice: 'auto',
    })
    const message = first.choices[0]?.message
    const call = message?.tool_calls?.[0]
    assert.ok(message && call)
    const second = await client().chat.completions.create({
      model: 'ok',
      tools: chatTools,
      messages: [...ask, message, { role: 'tool', tool_call_id: call.id, content: 'rain' }],
    })
    assert.equal(second.choices[0]?.message.content, 'Hello world')
    const sent = rig.upstream.calls.at(-1)?.body
    assert.equal(dig(sent, 'messages.1.tool_calls.0.function.arguments'), '{"city":"Oslo"}')
    assert.deepEqual(dig(sent, 'messages.2'), {
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'rain',
    })
  })

  test(`${generation}: an answer without words, passed back in the next turn`, async () => {
    rig.upstream.script = { text: [], finish: 'length' }
    const stream = client().chat.completions.stream({ model: 'scripted', messages: ask })
    const silent = await stream.finalMessage()
    const messages = [...ask, silent, ...ask]
    const next = await client().chat.completions.create({ model: 'ok', messages })
    assert.equal(next.choices[0]?.message.content, 'Hello world')
  })

  test(`${generation}: JSON`, async () => {
    const bySchema = {
      type: 'json_schema' as const,
      json_schema: { name: 'x', strict: true, schema },
    }
    for (const response_format of [{ type: 'json_object' as const }, bySchema]) {
      const body = { model: 'json', messages: ask, response_format }
      const answer = await client().chat.completions.create(body)
      assert.deepEqual(JSON.parse(answer.choices[0]?.message.content ?? ''), { answer: 42 })
      assert.equal(
        dig(rig.upstream.calls.at(-1)?.body, 'response_format.type'),
        response_format.type,
      )
    }
    const parsed = await client().chat.completions.parse({
      model: 'json',
      messages: ask,
      response_format: bySchema,
    })
    assert.equal(parsed.choices[0]?.message.content, '{"answer":42}')
  })

  test(`${generation}: thinking`, async () => {
    const body = { model: 'reasoning', messages: ask, reasoning_effort: 'low' as const }
    const answer = await client().chat.completions.create(body)
    assert.equal(textAt(answer, 'choices.0.message.reasoning_content'), 'Let me think.')
    let thought = ''
    for await (const chunk of await client().chat.completions.create({ ...body, stream: true })) {
      thought += textAt(chunk, 'choices.0.delta.reasoning_content')
    }
    assert.equal(thought, 'Let me think.')
  })

  test(`${generation}: each status is its error`, async () => {
    const poor = (await otherOrg(rig.hone)).secret
    const rows: [status: number, of: string, model: string, key: string][] = [
      [400, 'BadRequestError', 'status_400', rig.hone.owner.key],
      [401, 'AuthenticationError', 'ok', 'no-such-key'],
      [402, 'APIError', 'ok', poor],
      [404, 'NotFoundError', 'nope', rig.hone.owner.key],
      [502, 'InternalServerError', 'error_event', rig.hone.owner.key],
      [503, 'InternalServerError', 'status_500', rig.hone.owner.key],
    ]
    for (const [status, of, model, key] of rows) {
      const error = await failure(make(key).chat.completions.create({ model, messages: ask }))
      assert.equal(error.constructor.name, of, `${status}`)
      assert.equal(dig(error, 'status'), status)
      assert.equal(typeof dig(error, 'code'), 'string')
      assert.ok(dig(error, 'requestID'))
    }
  })

  test(`${generation}: an error in the stream is thrown`, async () => {
    const body = { model: 'error_event', messages: ask, stream: true as const }
    const reading = async (): Promise<void> => {
      for await (const chunk of await client().chat.completions.create(body)) void chunk
    }
    const error = await failure(reading())
    assert.ok(error instanceof (generation === 'openai 7' ? OpenAI7 : OpenAI6).APIError)
    assert.equal(dig(error, 'code'), 'upstream_failed')
  })

  test(`${generation}: abort`, async () => {
    const seen = rig.upstream.calls.length
    const body = { model: 'hang_mid_stream', messages: ask, stream: true as const }
    const stream = await client().chat.completions.create(body)
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
    await until(() => rig.upstream.calls[seen]?.left === true)
    const abort = new AbortController()
    const waiting = client().chat.completions.create(
      { model: 'hang_mid_stream', messages: ask },
      { signal: abort.signal },
    )
    const failing = failure(waiting)
    await until(() => rig.upstream.calls.length > seen + 1)
    abort.abort()
    assert.equal((await failing).constructor.name, 'APIUserAbortError')
    await until(() => rig.upstream.calls[seen + 1]?.left === true)
  })

  test(`${generation}: model list`, async () => {
    const ids: string[] = []
    for await (const model of client().models.list()) ids.push(model.id)
    assert.ok(ids.includes('anthropic/ok'))
    const model = await client().models.retrieve('anthropic/ok')
    assert.equal(model.object, 'model')
    assert.equal(dig(model, 'supports_vision'), true)
  })
}

/** 1.x sends its key as a bearer token; 0.x does so for its auth token only. */
const anthropics: [generation: string, make: (key: string) => Anthropic1][] = [
  ['anthropic 1', (apiKey) => new Anthropic1({ apiKey, baseURL: rig.hone.url, maxRetries: 0 })],
  [
    'anthropic 0',
    (authToken) =>
      new Anthropic0({
        authToken,
        apiKey: null,
        baseURL: rig.hone.url,
        maxRetries: 0,
      }) as unknown as Anthropic1,
  ],
]

for (const [generation, make] of anthropics) {
  const client = (): Anthropic1 => make(rig.hone.owner.key)
  const tools = [{ name, input_schema: schema }]
  const least = { messages: ask, max_tokens: 100 }

  test(`${generation}: text`, async () => {
    const answer = await client().messages.create({ model: 'ok', ...least })
    assert.deepEqual(answer.content, [{ type: 'text', text: 'Hello world' }])
    assert.equal(answer.stop_reason, 'end_turn')
    assert.equal(answer.usage.input_tokens, 7)
    assert.ok(answer._request_id)
  })

  test(`${generation}: stream, raw`, async () => {
    const stream = await client().messages.create({ model: 'ok', ...least, stream: true })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    assert.deepEqual(types, [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
  })

  for (const model of ['ok', 'reasoning', 'split_arguments', 'two_calls', 'anthropic/two_calls']) {
    test(`${generation}: the stream helper puts ${model} together`, async () => {
      const thinking = { type: 'adaptive' as const, display: 'summarized' as const }
      const final = await client()
        .messages.stream({ model, ...least, tools, thinking })
        .finalMessage()
      assert.equal(final.usage.output_tokens, 3)
      const types = final.content.map((block) => block.type)
      if (model === 'reasoning') assert.deepEqual(types, ['thinking', 'text'])
      if (/two_calls/.test(model)) {
        assert.deepEqual(types, ['text', 'tool_use', 'tool_use'])
        assert.deepEqual(dig(final, 'content.2.input'), { zone: 'UTC', exact: true })
      }
      if (model === 'split_arguments') {
        const input = { city: 'Oslo', days: [1, 2], note: 'a,"b}' }
        assert.deepEqual(dig(final, 'content.0.input'), input)
      }
    })
  }

  test(`${generation}: tools in two turns`, async () => {
    const first = await client().messages.create({ model: 'one_call', ...least, tools })
    assert.equal(first.stop_reason, 'tool_use')
    const [use] = first.content
    assert.ok(use?.type === 'tool_use')
    const second = await client().messages.create({
      model: 'ok',
      max_tokens: 100,
      tools,
      messages: [
        ...ask,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: use.id, content: 'rain' }],
        },
      ],
    })
    assert.equal(textAt(second, 'content.0.text'), 'Hello world')
    const sent = rig.upstream.calls.at(-1)?.body
    assert.equal(dig(sent, 'messages.2.tool_call_id'), 'call_1')
  })

  test(`${generation}: the tool runner, which asks for a thread where it knows of them`, async () => {
    const runner = client().beta.messages.toolRunner({
      model: 'one_call',
      ...least,
      max_iterations: 2,
      tools: [
        {
          name,
          type: 'custom',
          input_schema: schema,
          parse: (input: unknown) => input,
          run: () => 'rain',
        },
      ],
    })
    await runner.runUntilDone()
    const sent = rig.upstream.calls.at(-1)?.body
    assert.equal(dig(sent, 'messages.2.content'), 'rain')
  })

  test(`${generation}: JSON by schema`, async () => {
    const answer = await client().messages.create({
      model: 'json',
      ...least,
      output_config: { format: { type: 'json_schema', schema } },
    })
    assert.deepEqual(JSON.parse(textAt(answer, 'content.0.text')), { answer: 42 })
    const sent = rig.upstream.calls.at(-1)?.body
    assert.deepEqual(dig(sent, 'response_format.json_schema.schema'), schema)
  })

  test(`${generation}: thinking, passed back in the next turn`, async () => {
    const first = await client().messages.create({
      model: 'reasoning',
      ...least,
      thinking: { type: 'adaptive', display: 'summarized' },
    })
    assert.equal(textAt(first, 'content.0.thinking'), 'Let me think.')
    const messages = [...ask, { role: 'assistant' as const, content: first.content }, ...ask]
    const next = await client().messages.create({ model: 'anthropic/ok', max_tokens: 9, messages })
    assert.equal(next.stop_reason, 'end_turn')
    assert.match(JSON.stringify(rig.upstream.calls.at(-1)?.body), /Let me think\./)
  })

  test(`${generation}: each status is its error`, async () => {
    const poor = (await otherOrg(rig.hone)).secret
    const newer = generation === 'anthropic 1'
    const rows: [status: number, of: string, type: string, model: string, key: string][] = [
      [400, 'BadRequestError', 'invalid_request_error', 'status_400', rig.hone.owner.key],
      [401, 'AuthenticationError', 'authentication_error', 'ok', 'no-such-key'],
      [402, 'APIError', 'billing_error', 'ok', poor],
      [404, 'NotFoundError', 'not_found_error', 'nope', rig.hone.owner.key],
      [502, 'InternalServerError', 'api_error', 'error_event', rig.hone.owner.key],
      [
        503,
        newer ? 'ServiceUnavailableError' : 'InternalServerError',
        'overloaded_error',
        'status_500',
        rig.hone.owner.key,
      ],
    ]
    for (const [status, of, type, model, key] of rows) {
      const error = await failure(make(key).messages.create({ model, ...least }))
      assert.equal(dig(error, 'status'), status)
      assert.equal(error.constructor.name, of, `${status}`)
      assert.equal(dig(error, 'type'), type)
      assert.ok(dig(error, 'requestID'))
    }
  })

  test(`${generation}: an error in the stream is thrown`, async () => {
    const stream = client().messages.stream({ model: 'error_event', ...least })
    const error = await failure(stream.finalMessage())
    assert.match(error.message, /api_error/)
  })

  test(`${generation}: abort`, async () => {
    const seen = rig.upstream.calls.length
    const stream = client().messages.stream({ model: 'hang_mid_stream', ...least })
    const failing = failure(stream.finalMessage())
    await new Promise<void>((resolve) => stream.on('text', () => resolve()))
    stream.abort()
    assert.equal((await failing).constructor.name, 'APIUserAbortError')
    await until(() => rig.upstream.calls[seen]?.left === true)
  })

  test(`${generation}: model list`, async () => {
    const ids: string[] = []
    for await (const model of client().models.list()) ids.push(model.id)
    assert.ok(ids.includes('anthropic/ok'))
    const model = await client().models.retrieve('anthropic/ok')
    assert.equal(model.type, 'model')
    assert.equal(model.display_name, 'anthropic/ok')
  })
}

test('anthropic 0 with an API key instead of an auth token is told what to do', async () => {
  const apiKey = rig.hone.owner.key
  const client = new Anthropic0({ apiKey, authToken: null, baseURL: rig.hone.url, maxRetries: 0 })
  const error = await failure(client.messages.create({ model: 'ok', messages: ask, max_tokens: 9 }))
  assert.equal(dig(error, 'status'), 401)
  assert.match(error.message, /auth-token/)
})

test('a key without the scope is an authentication error in every client', async () => {
  const headers = await rig.hone.login(rig.hone.owner.email, rig.hone.owner.password)
  const { secret } = await createKey(rig.hone, headers, { scopes: ['models:read'] })
  for (const [, make] of openAis) {
    const error = await failure(
      make(secret).chat.completions.create({ model: 'ok', messages: ask }),
    )
    assert.equal(error.constructor.name, 'AuthenticationError')
  }
  for (const [, make] of anthropics) {
    const body = { model: 'ok', messages: ask, max_tokens: 9 }
    const error = await failure(make(secret).messages.create(body))
    assert.equal(error.constructor.name, 'AuthenticationError')
  }
})

const answerSchema = {
  type: 'object' as const,
  properties: { answer: { type: 'number' as const } },
  required: ['answer'],
  additionalProperties: false,
}

// These SDKs have no call for the list of models.
const aiSdks = {
  'AI SDK openai-compatible': (model: string) =>
    createOpenAICompatible({
      name: 'hone',
      apiKey: rig.hone.owner.key,
      baseURL: `${rig.hone.url}/v1`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(model),
  'AI SDK anthropic': (model: string) =>
    createAnthropic({ authToken: rig.hone.owner.key, baseURL: `${rig.hone.url}/v1` })(model),
}

for (const [sdk, model] of Object.entries(aiSdks)) {
  const weather = tool({
    description: 'The weather.',
    inputSchema: jsonSchema<{ city: string }>(schema),
    execute: ({ city }) => Promise.resolve(`rain in ${city}`),
  })

  test(`${sdk}: text and usage`, async () => {
    const answer = await generateText({ model: model('ok'), prompt: 'Hi', maxRetries: 0 })
    assert.equal(answer.text, 'Hello world')
    assert.equal(answer.usage.inputTokens, 7)
    assert.equal(answer.usage.outputTokens, 3)
  })

  test(`${sdk}: stream`, async () => {
    const answer = streamText({ model: model('ok'), prompt: 'Hi', maxRetries: 0 })
    let text = ''
    for await (const part of answer.textStream) text += part
    assert.equal(text, 'Hello world')
    assert.equal((await answer.usage).outputTokens, 3)
    assert.equal(await answer.finishReason, 'stop')
  })

  test(`${sdk}: thinking`, async () => {
    const answer = streamText({
      model: model('reasoning'),
      prompt: 'Hi',
      maxRetries: 0,
      providerOptions: { anthropic: { thinking: { type: 'adaptive', display: 'summarized' } } },
    })
    await answer.consumeStream()
    assert.equal(await answer.reasoningText, 'Let me think.')
    assert.equal(await answer.text, 'Hello world')
  })

  test(`${sdk}: tools in two turns`, async () => {
    rig.upstream.script = { calls: [{ id: 'call_1', name, pieces: ['{"city":', '"Oslo"}'] }] }
    const seen = rig.upstream.calls.length
    const answer = streamText({
      model: model('scripted'),
      prompt: 'Hi',
      tools: { weather },
      stopWhen: stepCountIs(2),
      maxRetries: 0,
      onStepFinish: () => {
        rig.upstream.script = { text: ['It rains.'] }
      },
    })
    assert.equal(await answer.text, 'It rains.')
    assert.equal(rig.upstream.calls.length, seen + 2)
    assert.match(JSON.stringify(rig.upstream.calls.at(-1)?.body.messages), /rain in Oslo/)
  })

  test(`${sdk}: JSON by schema, whole and streamed`, async () => {
    const output = Output.object({ schema: jsonSchema<{ answer: number }>(answerSchema) })
    const options = {
      model: model('json'),
      prompt: 'The answer as JSON.',
      maxRetries: 0,
      output,
      providerOptions: { anthropic: { structuredOutputMode: 'outputFormat' } },
    } as const
    const whole = await generateText(options)
    assert.deepEqual(whole.output, { answer: 42 })
    const sent = dig(rig.upstream.calls.at(-1)?.body, 'response_format')
    assert.equal(dig(sent, 'type'), 'json_schema')
    assert.deepEqual(dig(sent, 'json_schema.schema.required'), ['answer'])
    const streamed = streamText(options)
    assert.deepEqual(await streamed.output, { answer: 42 })
  })

  test(`${sdk}: an error has its status, and one in the stream is reported`, async () => {
    const error = await failure(generateText({ model: model('nope'), prompt: 'Hi', maxRetries: 0 }))
    assert.equal(dig(error, 'statusCode'), 404)
    const errors: unknown[] = []
    const stream = streamText({
      model: model('error_event'),
      prompt: 'Hi',
      maxRetries: 0,
      onError: ({ error: reported }) => void errors.push(reported),
    })
    await stream.consumeStream()
    assert.equal(errors.length > 0, true)
  })

  test(`${sdk}: abort`, async () => {
    const seen = rig.upstream.calls.length
    const abort = new AbortController()
    const stream = streamText({
      model: model('hang_mid_stream'),
      prompt: 'Hi',
      maxRetries: 0,
      abortSignal: abort.signal,
    })
    for await (const part of stream.textStream) if (part !== '') abort.abort()
    await until(() => rig.upstream.calls[seen]?.left === true)
  })
}

test('AI SDK openai-compatible without structured outputs: JSON mode', async () => {
  const plain = createOpenAICompatible({
    name: 'hone',
    apiKey: rig.hone.owner.key,
    baseURL: `${rig.hone.url}/v1`,
  })
  const answer = await generateText({
    model: plain('json'),
    prompt: 'The answer as JSON.',
    maxRetries: 0,
    output: Output.json(),
  })
  assert.deepEqual(answer.output, { answer: 42 })
  const sent = dig(rig.upstream.calls.at(-1)?.body, 'response_format')
  assert.deepEqual(sent, { type: 'json_object' })
})

async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    assert.ok(error instanceof Error)
    return error
  }
  throw new assert.AssertionError({ message: 'it did not fail' })
}
