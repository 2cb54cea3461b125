// The official clients against Hone with the model that comes with it: nothing in between is ours but Hone itself.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic1 from '@anthropic-ai/sdk'
import Anthropic0 from 'anthropic-sdk-0'
import OpenAI7 from 'openai'
import OpenAI6 from 'openai-6'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, streamText, tool } from 'ai'
import { defaultCatalog } from '#server/catalog/default-catalog.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

const model = 'hone/hone-mini'

let hone: TestHone
before(async () => {
  hone = await testHone({ catalog: defaultCatalog })
})
after(() => hone.stop())

const weather = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
}
const question = 'What is the weather in Paris?'
const sum = 'What is 27 + 48?'

const openAiClients = {
  'openai 7': () =>
    new OpenAI7({ baseURL: `${hone.url}/v1`, apiKey: hone.owner.key, maxRetries: 0 }),
  'openai 6': () =>
    new OpenAI6({
      baseURL: `${hone.url}/v1`,
      apiKey: hone.owner.key,
      maxRetries: 0,
    }) as unknown as OpenAI7,
}

for (const [name, client] of Object.entries(openAiClients)) {
  test(`${name}: text, thinking and usage`, async () => {
    const answer = await client().chat.completions.create({
      model,
      messages: [{ role: 'user', content: sum }],
      reasoning_effort: 'high',
    })
    const message = answer.choices[0]?.message as { content: string; reasoning_content?: string }
    assert.match(message.content, /75/)
    assert.ok(message.reasoning_content)
    assert.ok((answer.usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0)
  })

  test(`${name}: a stream, raw and through the helper, says the same as the whole`, async () => {
    const body = { model, messages: [{ role: 'user' as const, content: 'Hello!' }], temperature: 0 }
    const whole = (await client().chat.completions.create(body)).choices[0]?.message.content
    let raw = ''
    for await (const chunk of await client().chat.completions.create({ ...body, stream: true })) {
      raw += chunk.choices[0]?.delta.content ?? ''
    }
    assert.equal(raw, whole)
    const helper = client().chat.completions.stream(body)
    assert.equal((await helper.finalChatCompletion()).choices[0]?.message.content, whole)
  })

  test(`${name}: a tool in two turns`, async () => {
    const tools = [
      {
        type: 'function' as const,
        function: { name: 'get_weather', description: 'Weather of a city', parameters: weather },
      },
    ]
    const first = await client().chat.completions.create({
      model,
      tools,
      tool_choice: 'required',
      messages: [{ role: 'user', content: question }],
    })
    const message = first.choices[0]?.message
    const call = message?.tool_calls?.[0]
    assert.ok(message && call?.type === 'function')
    assert.equal(first.choices[0]?.finish_reason, 'tool_calls')
    assert.equal((JSON.parse(call.function.arguments) as { city: string }).city, 'Paris')
    const second = await client().chat.completions.create({
      model,
      tools,
      messages: [
        { role: 'user', content: question },
        message,
        { role: 'tool', tool_call_id: call.id, content: '{"temperature": 21, "sky": "clear"}' },
      ],
    })
    assert.notEqual(second.choices[0]?.message.content, '')
  })

  test(`${name}: JSON is valid, and fits its schema where there is one`, async () => {
    const messages = [
      {
        role: 'user' as const,
        content: 'My name is Anna and I live in Oslo. Give name and city as JSON.',
      },
    ]
    const free = await client().chat.completions.create({
      model,
      messages,
      response_format: { type: 'json_object' },
    })
    assert.equal(typeof JSON.parse(free.choices[0]?.message.content ?? ''), 'object')
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, city: { type: 'string' } },
      required: ['name', 'city'],
      additionalProperties: false,
    }
    const fitted = await client().chat.completions.create({
      model,
      messages,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'person', schema, strict: true },
      },
    })
    const person = JSON.parse(fitted.choices[0]?.message.content ?? '') as Record<string, unknown>
    assert.deepEqual(Object.keys(person).sort(), ['city', 'name'])
  })

  test(`${name}: errors are of their class, an abort ends the call, models are listed`, async () => {
    await assert.rejects(
      client().chat.completions.create({
        model: 'no/such',
        messages: [{ role: 'user', content: 'x' }],
      }),
      (error: { status?: number; constructor: { name: string } }) =>
        error.status === 404 && error.constructor.name === 'NotFoundError',
    )
    const stream = await client().chat.completions.create({
      model,
      messages: [{ role: 'user', content: sum }],
      reasoning_effort: 'high',
      stream: true,
    })
    for await (const _ of stream) break
    await hone.quiet()
    const ids = (await client().models.list()).data.map(({ id }) => id)
    assert.ok(ids.includes(model))
  })
}

const anthropicClients = {
  '@anthropic-ai/sdk 1': () =>
    new Anthropic1({ baseURL: hone.url, apiKey: hone.owner.key, maxRetries: 0 }),
  '@anthropic-ai/sdk 0': () =>
    new Anthropic0({
      baseURL: hone.url,
      authToken: hone.owner.key,
      apiKey: null,
      maxRetries: 0,
    }) as unknown as Anthropic1,
}

for (const [name, client] of Object.entries(anthropicClients)) {
  test(`${name}: text and a stream, counted alike`, async () => {
    const body = {
      model,
      max_tokens: 64,
      temperature: 0,
      messages: [{ role: 'user' as const, content: 'Hello!' }],
    }
    const whole = await client().messages.create(body)
    assert.equal(whole.content[0]?.type, 'text')
    const streamed = await client().messages.stream(body).finalMessage()
    assert.deepEqual(streamed.content, whole.content)
    assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens)
    const counted = await client().messages.countTokens({ model, messages: body.messages })
    assert.equal(counted.input_tokens, whole.usage.input_tokens)
  })

  test(`${name}: thinking is shown when asked for, and can be passed back`, async () => {
    const asked = { role: 'user' as const, content: sum }
    const first = await client().messages.create({
      model,
      max_tokens: 256,
      thinking: { type: 'adaptive', display: 'summarized' } as never,
      messages: [asked],
    })
    const [thought] = first.content
    assert.ok(thought?.type === 'thinking' && thought.thinking !== '' && thought.signature !== '')
    const second = await client().messages.create({
      model,
      max_tokens: 64,
      messages: [
        asked,
        { role: 'assistant', content: first.content },
        { role: 'user', content: 'Thanks!' },
      ],
    })
    assert.equal(second.stop_reason, 'end_turn')
  })

  test(`${name}: a tool in two turns, streamed`, async () => {
    const tools = [{ name: 'get_weather', description: 'Weather of a city', input_schema: weather }]
    const asked = { role: 'user' as const, content: question }
    const first = await client()
      .messages.stream({
        model,
        max_tokens: 128,
        tools,
        tool_choice: { type: 'any' },
        messages: [asked],
      })
      .finalMessage()
    const use = first.content.find((block) => block.type === 'tool_use')
    assert.ok(use?.type === 'tool_use')
    assert.equal((use.input as { city: string }).city, 'Paris')
    const second = await client().messages.create({
      model,
      max_tokens: 128,
      tools,
      messages: [
        asked,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: use.id, content: '21 degrees, clear' }],
        },
      ],
    })
    assert.notEqual(second.content.length, 0)
  })

  test(`${name}: errors are of their class and models are listed`, async () => {
    await assert.rejects(
      client().messages.create({
        model: 'no/such',
        max_tokens: 5,
        messages: [{ role: 'user', content: 'x' }],
      }),
      (error: { status?: number; constructor: { name: string } }) =>
        error.status === 404 && error.constructor.name === 'NotFoundError',
    )
    const ids: string[] = []
    for await (const row of client().models.list()) ids.push(row.id)
    assert.ok(ids.includes(model))
  })
}

const aiSdkModels = {
  'AI SDK, chat dialect': () =>
    createOpenAICompatible({ name: 'hone', baseURL: `${hone.url}/v1`, apiKey: hone.owner.key })(
      model,
    ),
  'AI SDK, messages dialect': () =>
    createAnthropic({ baseURL: `${hone.url}/v1`, authToken: hone.owner.key })(model),
}

for (const [name, languageModel] of Object.entries(aiSdkModels)) {
  test(`${name}: text, a stream and a tool`, async () => {
    const { text, usage } = await generateText({
      model: languageModel(),
      prompt: 'Hello!',
      maxRetries: 0,
    })
    assert.notEqual(text, '')
    assert.ok((usage.outputTokens ?? 0) > 0)
    let streamed = ''
    for await (const piece of streamText({
      model: languageModel(),
      prompt: 'Hello!',
      maxRetries: 0,
    }).textStream) {
      streamed += piece
    }
    assert.equal(streamed, text)
    const called = await generateText({
      model: languageModel(),
      maxRetries: 0,
      prompt: question,
      toolChoice: 'required',
      tools: {
        get_weather: tool({
          description: 'Weather of a city',
          inputSchema: jsonSchema<{ city: string }>(weather),
        }),
      },
    })
    assert.equal((called.toolCalls[0]?.input as { city: string }).city, 'Paris')
  })
}
