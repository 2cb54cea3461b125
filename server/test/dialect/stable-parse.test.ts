// A request that is read, sent on to an upstream of its own dialect or the other, and read there again means the same.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Block } from '#server/core/block.ts'
import type { CallRequest } from '#server/core/request.ts'
import { parseChat } from '#server/dialect/chat/parse.ts'
import { parseMessagesBody } from '#server/dialect/messages/parse.ts'
import * as anthropic from '#server/engine/anthropic-compatible/build-body.ts'
import { closedSchema } from '#server/engine/anthropic-compatible/closed-schema.ts'
import { ProvenThoughts } from '#server/engine/anthropic-compatible/proven-thought.ts'
import type { EngineCall } from '#server/engine/engine.ts'
import * as openai from '#server/engine/openai-compatible/build-body.ts'
import { CallProofs } from '#server/engine/openai-compatible/call-proofs.ts'
import type { Json } from '#test/support/chaos-hone.ts'

/** What holds nothing but white space is left out on the way to some servers. */
const word = fc.string({ minLength: 1, maxLength: 12 }).filter((of) => of.trim() !== '')
const identifier = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/)
const png = 'iVBORw0KGgo='
const json = fc.dictionary(identifier, fc.oneof(word, fc.integer(), fc.boolean()), { maxKeys: 3 })
const schema = json.map((properties) => ({ type: 'object', properties }))
const toolNames = fc.uniqueArray(identifier, { maxLength: 3 })
const efforts = fc.constantFrom('minimal', 'low', 'medium', 'high', 'xhigh', 'max')

const sampling = {
  max_tokens: fc.integer({ min: 1, max: 1000 }),
  temperature: fc.double({ min: 0, max: 2, noNaN: true }),
  top_p: fc.double({ min: 0, max: 1, noNaN: true }),
  top_k: fc.integer({ min: 0, max: 100 }),
}

const chatText = fc.oneof(
  word,
  fc.array(
    word.map((text) => ({ type: 'text', text })),
    { minLength: 1, maxLength: 3 },
  ),
)
const chatImage = fc.constantFrom(
  { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
  { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
)
const chatUser = fc.oneof(
  chatText,
  fc.tuple(word, chatImage).map(([text, image]) => [{ type: 'text', text }, image]),
)
const chatCalls = fc.uniqueArray(identifier, { minLength: 1, maxLength: 2 }).chain((ids) =>
  fc.tuple(...ids.map(() => fc.tuple(identifier, json))).map((made) =>
    made.map(([name, args], i) => ({
      id: ids[i],
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  ),
)
const chatTurn: fc.Arbitrary<Json[]> = fc.oneof(
  chatUser.map((content) => [{ role: 'user', content }]),
  chatText.map((content) => [{ role: 'assistant', content }]),
  fc
    .tuple(chatCalls, word, fc.option(word))
    .map(([calls, result, content]) => [
      { role: 'assistant', content, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: result })),
    ]),
)
const chatBody: fc.Arbitrary<Json> = fc
  .tuple(
    fc.option(word.map((content) => ({ role: 'system', content }))),
    fc.array(chatTurn, { minLength: 1, maxLength: 4 }),
    toolNames,
    fc.record(
      {
        ...sampling,
        seed: fc.integer(),
        stop: fc.array(word, { maxLength: 3 }),
        frequency_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
        reasoning_effort: efforts,
        parallel_tool_calls: fc.boolean(),
        response_format: fc.oneof(
          fc.constant({ type: 'json_object' }),
          schema.map((of) => ({ type: 'json_schema', json_schema: { name: 'x', schema: of } })),
        ),
      },
      { requiredKeys: ['max_tokens'] },
    ),
    fc.constantFrom('auto', 'none', 'required'),
  )
  .map(([system, turns, names, fields, choice]) => ({
    model: 'm',
    messages: [...(system ? [system] : []), { role: 'user', content: 'Hi' }, ...turns.flat()],
    ...fields,
    ...(names.length > 0
      ? {
          tools: names.map((name) => ({ type: 'function', function: { name, description: name } })),
          tool_choice: choice,
        }
      : {}),
  }))
  .map(asSent)

const text = word.map((of) => ({ type: 'text', text: of }))
const image = fc.constantFrom(
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
  { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
)
const result = fc
  .tuple(identifier, fc.array(text, { maxLength: 2 }))
  .map(([id, content]) => ({ type: 'tool_result', tool_use_id: id, content }))
const use = fc
  .tuple(identifier, identifier, json)
  .map(([id, name, input]) => ({ type: 'tool_use', id, name, input }))
const messagesTurn: fc.Arbitrary<Json[]> = fc
  .tuple(
    fc.array(text, { minLength: 1, maxLength: 2 }),
    fc.array(use, { maxLength: 2 }),
    fc.array(result, { maxLength: 2 }),
    fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 2 }),
  )
  .map(([said, uses, results, content]) => [
    { role: 'assistant', content: [...said, ...uses] },
    { role: 'user', content: [...results, ...content] },
  ])
const messagesBody: fc.Arbitrary<Json> = fc
  .tuple(
    fc.option(fc.oneof(word, fc.array(text, { minLength: 1, maxLength: 3 }))),
    fc.array(messagesTurn, { maxLength: 3 }),
    fc.array(fc.tuple(identifier, schema), { maxLength: 3 }),
    fc.record(
      { ...sampling, stop_sequences: fc.array(word, { maxLength: 3 }) },
      { requiredKeys: ['max_tokens'] },
    ),
    fc.record(
      { effort: efforts, format: schema.map((of) => ({ type: 'json_schema', schema: of })) },
      { requiredKeys: [] },
    ),
    fc.record({
      type: fc.constantFrom('auto', 'any', 'none'),
      disable_parallel_tool_use: fc.boolean(),
    }),
  )
  .map(([system, turns, tools, fields, config, choice]) => {
    const byName = new Map(tools)
    return {
      model: 'm',
      system,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }, ...turns.flat()],
      ...fields,
      output_config: config,
      ...(byName.size > 0
        ? {
            tools: [...byName].map(([name, of]) => ({ name, description: name, input_schema: of })),
            tool_choice: choice,
          }
        : {}),
    }
  })
  .map(asSent)

/** As the server gets it: what JSON does not carry is gone. */
function asSent(body: object): Json {
  return JSON.parse(JSON.stringify(body)) as Json
}

function engineCall(request: CallRequest): EngineCall {
  return {
    request,
    engineModel: request.model,
    effort: request.reasoning.kind === 'effort' ? request.reasoning.effort : null,
    thinkingBudgetTokens: null,
    maxTokens: request.maxTokens ?? 1,
    requestId: 'r',
    workspaceId: 'w',
  }
}

/** What a request means, whichever way its blocks are cut. */
function meaning(request: CallRequest) {
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }))
  return {
    model: request.model,
    system: request.system.map((block) => block.text).join('\n\n'),
    conversation: joined(
      request.messages.flatMap(({ role, blocks }) => blocks.map((block) => said(role, block))),
    ),
    tools,
    choice: tools.length > 0 ? request.toolChoice : null,
    // Where no tool may be called, how many at once is no question.
    parallel:
      tools.length > 0 && request.toolChoice.kind !== 'none' ? request.parallelToolCalls : null,
    maxTokens: request.maxTokens,
    stop: request.stop,
    sampling: request.sampling,
    reasoning: request.reasoning,
    // An upstream wants a name for the schema, which only one of the dialects gives.
    output: request.output.kind === 'json-schema' ? request.output.schema : request.output,
  }
}

type Said = [role: string, kind: string, of: unknown]

function said(role: string, block: Block): Said {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return [role, block.type, block.text]
    case 'image':
      return [role, 'image', block.source]
    case 'tool-call':
      return [
        role,
        'call',
        { id: block.id, name: block.name, arguments: JSON.parse(block.arguments) as unknown },
      ]
    case 'tool-result':
      return [
        role,
        'result',
        { id: block.toolCallId, content: joined(block.content.map((part) => said('', part))) },
      ]
  }
}

function joined(parts: Said[]): Said[] {
  const all: Said[] = []
  for (const [role, kind, of] of parts) {
    const last = all.at(-1)
    if (kind === 'text' && last?.[0] === role && last[1] === 'text')
      last[2] = `${String(last[2])}\n${String(of)}`
    else all.push([role, kind, of])
  }
  return all.filter(([, kind, of]) => kind !== 'text' || of !== '')
}

const profile = {
  cacheSaltKey: null,
  passesThinking: true,
  tokenizes: false,
  continues: false,
  wholeOnly: false,
  maxTokensField: 'max_tokens',
  thinking: 'reasoning_effort',
  leavesOut: [],
  proofs: new CallProofs('http://127.0.0.1/v1'),
} as const

test('chat, to an upstream of the same dialect, and read again', () => {
  fc.assert(
    fc.property(chatBody, (body) => {
      const { request } = parseChat(body)
      const again = parseChat(openai.buildBody(engineCall(request), profile)).request
      assert.deepEqual(meaning(again), meaning(request))
    }),
    { numRuns: 500 },
  )
})

const messagesProfile: anthropic.BodyProfile = { thinking: 'adaptive', leavesOut: [] }
const proven = new ProvenThoughts('http://u', 'm')

test('messages, to an upstream of the same dialect, and read again', () => {
  fc.assert(
    fc.property(messagesBody, (body) => {
      const { request } = parseMessagesBody(body)
      const { temperature = 1, topP: share } = request.sampling
      // The scale of temperatures ends at 1 there, and a share of the tokens is told only where there is no other.
      if (request.sampling.temperature !== undefined) {
        request.sampling.temperature = Math.min(temperature, 1)
      }
      if (share !== undefined) {
        delete request.sampling[temperature < 1 ? 'topP' : 'temperature']
      }
      // A model that thinks picks its tokens as it likes, and does not think where it has to call a tool or to go on.
      const isBegun = request.messages.at(-1)?.role === 'assistant'
      const isForced = request.toolChoice.kind === 'required'
      if (request.reasoning.kind === 'effort' && !isForced && !isBegun) {
        request.sampling = share === undefined || share < 0.95 ? {} : { topP: share }
      }
      const sent = anthropic.buildBody(engineCall(request), messagesProfile, { proven })
      if (request.output.kind === 'json-schema') {
        request.output.schema = closedSchema(request.output.schema)
      }
      // The upstream is asked for summaries whenever it thinks, which says nothing about the level.
      const again = parseMessagesBody({ ...sent, thinking: null }).request
      assert.deepEqual(meaning(again), meaning(request))
    }),
    { numRuns: 500 },
  )
})

test('messages, to an upstream of the chat dialect, and read again', () => {
  fc.assert(
    fc.property(messagesBody, (body) => {
      const { request } = parseMessagesBody(body)
      const again = parseChat(openai.buildBody(engineCall(request), profile)).request
      assert.deepEqual(meaning(again), meaning(request))
    }),
    { numRuns: 500 },
  )
})

test('reading is pure: the same body gives the same request, and is left as it was', () => {
  fc.assert(
    fc.property(chatBody, messagesBody, (chat, messages) => {
      const copies = structuredClone([chat, messages])
      assert.deepEqual(parseChat(chat), parseChat(chat))
      assert.deepEqual(parseMessagesBody(messages), parseMessagesBody(messages))
      assert.deepEqual([chat, messages], copies)
    }),
    { numRuns: 100 },
  )
})
