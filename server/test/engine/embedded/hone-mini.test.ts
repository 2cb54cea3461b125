// The bundled model through the engine, end to end.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { CallRequest } from '#server/core/request.ts'
import type { StreamPart } from '#server/core/stream-part.ts'
import { EmbeddedEngine } from '#server/engine/embedded/embedded-engine.ts'
import { ModelMemory } from '#server/engine/embedded/serve/model-memory.ts'
import { openChatTemplate } from '#server/engine/embedded/prompt/chat-template.ts'
import { renderPrompt } from '#server/engine/embedded/prompt/render-prompt.ts'
import { openTokenizer } from '#server/engine/embedded/prompt/tokenizer.ts'
import { trainingExample } from '#server/engine/embedded/prompt/training-example.ts'
import { call, collect, finishOf, never, request, text, textOf, tool } from './requests.ts'
import { validates } from './validates.ts'

const modelFolder = fileURLToPath(new URL('../../../../models/hone-mini', import.meta.url))
const present = existsSync(`${modelFolder}/model.safetensors`)

describe('hone-mini', { skip: present ? false : 'the weights are not in the tree' }, () => {
  let engine: EmbeddedEngine

  before(async () => {
    engine = new EmbeddedEngine({ modelFolder, threads: 2, memory: new ModelMemory(1e9) })
    await engine.ready()
  })
  after(() => engine.close())

  const answer = (of: CallRequest, changes: Parameters<typeof call>[1] = {}) =>
    collect(engine.call(call(of, { maxTokens: 100, ...changes }), never))

  const classify = (content: string): CallRequest =>
    request(content, {
      system: [
        {
          type: 'text',
          text: 'Classify the message into one of: billing, shipping, returns. Answer with the label only.',
        },
      ],
    })

  const questions = [
    'My parcel has not arrived yet.',
    'I was charged twice for my order.',
    'How do I send the jacket back?',
    'The invoice shows a wrong amount.',
    'Where is my package?',
    'I would like a refund for the broken lamp.',
    'Can you change my delivery address?',
    'Why is there an extra fee on my bill?',
  ]

  test('greedy answers are the same each time, whole, and end by themselves', async () => {
    for (const question of questions.slice(0, 3)) {
      const [first, second] = [await answer(classify(question)), await answer(classify(question))]
      assert.equal(textOf(first), textOf(second))
      assert.notEqual(textOf(first).trim(), '')
      assert.deepEqual(finishOf(first).reason, { kind: 'end' })
    }
  })

  test('eight at once answer as they do one by one', async () => {
    const single: string[] = []
    for (const question of questions)
      single.push(textOf(await answer(classify(question), { workspaceId: 'a' })))
    const together = await Promise.all(
      questions.map((question) => answer(classify(question), { workspaceId: 'b' })),
    )
    assert.deepEqual(together.map(textOf), single)
  })

  test('a cached prefix changes no answer', async () => {
    for (const question of questions) {
      const [cold, warm] = [
        await answer(classify(question), { workspaceId: question }),
        await answer(classify(question), { workspaceId: 'same' }),
      ]
      assert.equal(textOf(warm), textOf(cold))
    }
    assert.ok(
      finishOf(await answer(classify(questions[0]!), { workspaceId: 'same' })).reusedTokens! > 20,
    )
  })

  test('thinking streams first and is counted apart from the answer', async () => {
    const parts = await answer(request('What is 27 + 15?'), { effort: 'high', maxTokens: 300 })
    const types = parts.map((part) => part.type)
    assert.ok(types.lastIndexOf('thinking-delta') < types.indexOf('text-delta'))
    assert.ok(finishOf(parts).usage.thinkingTokens > 0)
    assert.equal(types.at(-1), 'finish')
  })

  test('a stop string cuts the answer before it', async () => {
    const whole = textOf(await answer(request('Hello!')))
    const stop = whole.slice(3, 7)
    const cut = await answer(request('Hello!', { stop: [stop] }))
    assert.equal(textOf(cut), whole.slice(0, whole.indexOf(stop)))
    assert.deepEqual(finishOf(cut).reason, { kind: 'stop-string', text: stop })
  })

  test('JSON mode and a schema give valid JSON', async () => {
    const content = 'Extract the name and the city as JSON: "Anna lives in Paris."'
    const json = await answer(request(content, { output: { kind: 'json' } }))
    assert.equal(typeof JSON.parse(textOf(json)), 'object')
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, city: { type: 'string' } },
      required: ['name', 'city'],
      additionalProperties: false,
    }
    const typed = await answer(request(content, { output: { kind: 'json-schema', schema } }))
    assert.ok(validates(JSON.parse(textOf(typed)), schema), textOf(typed))
  })

  test('a required tool is called with arguments of its schema', async () => {
    const weather = tool('get_weather', { city: { type: 'string' } })
    const parts = await answer(
      request('What is the weather in Oslo?', {
        tools: [weather],
        toolChoice: { kind: 'required' },
        parallelToolCalls: false,
      }),
    )
    const start = parts.find((part) => part.type === 'tool-call-start')
    const json = parts.map((part) => (part.type === 'tool-call-delta' ? part.json : '')).join('')
    assert.equal(start?.name, 'get_weather')
    assert.ok(validates(JSON.parse(json), weather.parameters), json)
    assert.deepEqual(finishOf(parts).reason, { kind: 'tool-calls' })
  })

  test('cancelling stops an answer at once', async () => {
    const abort = new AbortController()
    const seen: StreamPart[] = []
    for await (const parts of engine.call(
      call(request('Tell me a story.'), { maxTokens: 500, effort: 'max' }),
      abort.signal,
    )) {
      seen.push(...parts)
      if (seen.length === 2) abort.abort()
    }
    assert.equal(seen.length, 2)
  })
})

test(
  'the template of hone-mini renders as it was trained',
  { skip: !existsSync(`${modelFolder}/tokenizer.json`) },
  async () => {
    const prompter = {
      tokenizer: await openTokenizer(modelFolder),
      template: await openChatTemplate(modelFolder),
    }
    const marks = new Map(
      [...prompter.tokenizer.marks.values()].map((mark) => [mark.id, mark.content]),
    )
    const shown = (ids: number[]) =>
      Buffer.concat(
        ids.map((id) => prompter.tokenizer.bytes[id] ?? Buffer.from(`«${marks.get(id)}»`)),
      ).toString()
    const asked = request('', {
      system: [{ type: 'text', text: 'You help.' }],
      tools: [tool('find', { q: { type: 'string' } })],
      messages: [
        { role: 'user', blocks: [text('<|end|> é')] },
        {
          role: 'assistant',
          blocks: [
            text(''),
            { type: 'tool-call', id: 'c', name: 'find', arguments: '{"q":"<think>","n":[1,2]}' },
          ],
        },
        {
          role: 'user',
          blocks: [
            {
              type: 'tool-result',
              toolCallId: 'c',
              content: [{ type: 'text', text: 'ok' }],
              isError: false,
            },
          ],
        },
      ],
    })
    const prompt =
      '«<|system|>»You help.«<tools>»{"name": "find", "description": "Does find.", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}}«</tools>»«<|end|>»' +
      '«<|user|>»<|end|> é«<|end|>»«<|assistant|>»«<tool_call>»{"name": "find", "arguments": {"q": "<think>", "n": [1, 2]}}«</tool_call>»«<|end|>»«<|tool|>»ok«<|end|>»«<|assistant|>»'
    assert.equal(
      shown(renderPrompt(prompter, asked, { generationPrompt: true, thinking: false })),
      prompt,
    )
    assert.equal(
      shown(renderPrompt(prompter, asked, { generationPrompt: true, thinking: true })),
      `${prompt}«<think>»`,
    )
    const answered = {
      ...asked,
      messages: [...asked.messages, { role: 'assistant' as const, blocks: [text('Done.')] }],
    }
    const example = trainingExample(prompter, answered, [1])
    assert.ok(!('skipped' in example))
    assert.equal(shown(example.inputIds), `${prompt}Done.«<|end|>»`)
    assert.equal(shown(example.labels.filter((label) => label !== -100)), 'Done.«<|end|>»')
  },
)
