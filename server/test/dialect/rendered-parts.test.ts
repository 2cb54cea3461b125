// What the parts of an answer become, streamed and whole, without a server in between: clients put together from a stream
// what they would have got at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StopReason } from '#server/core/stop-reason.ts'
import type { StreamPart } from '#server/core/stream-part.ts'
import { noUsage } from '#server/core/usage.ts'
import { ChatStream } from '#server/dialect/chat/render-stream.ts'
import { ChatCompletion } from '#server/dialect/chat/render.ts'
import type { ThinkingDisplay } from '#server/dialect/messages/parse.ts'
import { MessagesStream } from '#server/dialect/messages/render-stream.ts'
import { MessageAnswer, type MessageHead } from '#server/dialect/messages/render.ts'
import { ThinkingSeal } from '#server/dialect/messages/thinking-seal.ts'
import type { Json } from '#server/lib/json-object.ts'
import { dig, readEvents, textAt } from '#test/support/chaos-hone.ts'

const seal = new ThinkingSeal(Buffer.alloc(32, 1), 'w')

const think = (text: string): StreamPart => ({ type: 'thinking-delta', text })
const prove = (proof: string, redacted = false): StreamPart => ({
  type: 'thinking-proof',
  proof,
  redacted,
})
const say = (text: string): StreamPart => ({ type: 'text-delta', text })
const call = (index: number, ...pieces: string[]): StreamPart[] => [
  { type: 'tool-call-start', index, id: `c${index}`, name: 'find' },
  ...pieces.map((json): StreamPart => ({ type: 'tool-call-delta', index, json })),
  { type: 'tool-call-end', index },
]
const finish = (kind: Exclude<StopReason['kind'], 'stop-string'>): StreamPart => ({
  type: 'finish',
  reason: { kind },
  usage: noUsage,
})

/** The blocks of a message, with what their signatures hold. */
function opened(blocks: Json[]): Json[] {
  return blocks.map((block) => {
    if (block.type === 'thinking')
      return { ...block, signature: seal.open(String(block.signature)) }
    if (block.type === 'redacted_thinking') return { ...block, data: seal.open(String(block.data)) }
    return block
  })
}

function streamedMessage(parts: StreamPart[], head: MessageHead, eager: string[] = []): Json[] {
  const stream = new MessagesStream(head, new Set(eager))
  const first = parts[0] as StreamPart
  const text = stream.start(first) + parts.map((part) => stream.record(part)).join('')
  const blocks: Json[] = []
  const inputs: string[] = []
  let open = -1
  for (const { event, data } of readEvents(text)) {
    const { index, content_block, delta } = data as Json
    if (event === 'content_block_start') {
      assert.equal(index, ++open)
      blocks.push(content_block as Json)
      inputs.push('')
    } else if (event === 'content_block_delta') {
      assert.equal(index, open)
      const { type, ...fields } = delta as Json
      const block = blocks[open] as Json
      if (type === 'input_json_delta') inputs[open] += String(fields.partial_json)
      else
        for (const name of Object.keys(fields))
          block[name] = textAt(block, name) + textAt(fields, name)
    } else if (event === 'content_block_stop') assert.equal(index, open)
  }
  return opened(
    blocks.map((block, index) =>
      block.type === 'tool_use'
        ? { ...block, input: JSON.parse(inputs[index] || '{}') as unknown }
        : block,
    ),
  )
}

function wholeMessage(parts: StreamPart[], head: MessageHead): Json[] {
  const answer = new MessageAnswer()
  for (const part of parts) answer.take(part)
  return opened(dig(JSON.parse(answer.write(head) ?? ''), 'content') as Json[])
}

for (const display of ['omitted', 'summarized'] as ThinkingDisplay[]) {
  test(`messages: a signature holds the whole thought and its proof, thinking ${display}`, () => {
    const parts = [
      think('Let me'),
      think(' think.'),
      prove('p'),
      think('More.'),
      say('Hi'),
      say(' there'),
      prove('r', true),
      prove('wordless'),
      say('.'),
      finish('end'),
    ]
    const head = { id: 'm', model: 'test', display, seal }
    const thought = (text: string, proof: string): Json => ({
      type: 'thinking',
      thinking: display === 'summarized' ? text : '',
      signature: { text, proof },
    })
    const expected = [
      thought('Let me think.', 'p'),
      thought('More.', ''),
      { type: 'text', text: 'Hi there' },
      { type: 'redacted_thinking', data: { text: '', proof: 'r' } },
      thought('', 'wordless'),
      { type: 'text', text: '.' },
    ]
    assert.deepEqual(wholeMessage(parts, head), expected)
    assert.deepEqual(streamedMessage(parts, head), expected)
  })
}

/** What a model wrote, and the input that a client of the messages dialect has of it. */
const inputs: [pieces: string[], input: Json][] = [
  [['{"a"', ':1}'], { a: 1 }],
  [[], {}],
  [[' ', '\n'], {}],
  [[' ', '{"a":1}'], { a: 1 }],
]

for (const [pieces, input] of inputs) {
  test(`messages: the input of ${JSON.stringify(pieces)} is ${JSON.stringify(input)}`, () => {
    const parts = [...call(0, ...pieces), ...call(1, '{"b":2}'), finish('tool-calls')]
    const head: MessageHead = { id: 'm', model: 'test', display: 'omitted', seal }
    const expected = [
      { type: 'tool_use', id: 'c0', name: 'find', input },
      { type: 'tool_use', id: 'c1', name: 'find', input: { b: 2 } },
    ]
    assert.deepEqual(wholeMessage(parts, head), expected)
    assert.deepEqual(streamedMessage(parts, head), expected)
    assert.deepEqual(streamedMessage(parts, head, ['find']), expected)
  })
}

const plainHead: MessageHead = { id: 'm', model: 'test', display: 'omitted', seal }

for (const pieces of [
  ['not ', 'json'],
  ['[1', ']'],
  [' [1]'],
  ['"a"'],
  ['3'],
  ['null'],
  ['{"city'],
  ['{"a":1,"b":', '"ha'],
  ['{"a":1} x'],
  ['{"a":1}', ']'],
]) {
  const parts = [say('Now'), ...call(0, ...pieces), ...call(1, '{"b":2}'), say('.')]
  const name = JSON.stringify(pieces)

  test(`messages: an answer with the input ${name} fails, and the block is never closed`, () => {
    const failure = { code: 'upstream_failed', message: /find .* not a JSON object/ }
    const ended = [...parts, finish('tool-calls')]
    assert.throws(() => wholeMessage(ended, plainHead), failure)
    for (const eager of [[], ['find']]) {
      const stream = new MessagesStream(plainHead, new Set(eager))
      const text = parts.map((part) => stream.record(part)).join('')
      assert.match(text, /"content_block_stop","index":0/)
      assert.doesNotMatch(text, /"content_block_stop","index":1/)
      assert.throws(() => stream.record(finish('tool-calls')), failure)
    }
  })

  test(`messages: an answer that was cut is kept with the input ${name}`, () => {
    for (const kind of ['length', 'refusal'] as const) {
      const ended = [...parts, finish(kind)]
      const whole = wholeMessage(ended, plainHead)
      const input = pieces[0]?.startsWith('{"a":1') ? { a: 1 } : {}
      assert.deepEqual(whole, [
        { type: 'text', text: 'Now' },
        { type: 'tool_use', id: 'c0', name: 'find', input },
        { type: 'tool_use', id: 'c1', name: 'find', input: { b: 2 } },
        { type: 'text', text: '.' },
      ])
      assert.deepEqual(streamedMessage(ended, plainHead), whole)
    }
  })
}

test('messages: of an input that was cut its complete parameters are there', () => {
  const parts = [...call(0, '{"a":1,"b":', '"ha'), finish('length')]
  const head: MessageHead = { id: 'm', model: 'test', display: 'omitted', seal }
  const expected = [{ type: 'tool_use', id: 'c0', name: 'find', input: { a: 1 } }]
  assert.deepEqual(wholeMessage(parts, head), expected)
  assert.deepEqual(streamedMessage(parts, head), expected)
})

test('messages: a long parameter goes out in records that fit the lines of every client', () => {
  const value = `${'"\\'.repeat(40_000)}${'\u{1f600}'.repeat(40_000)}\n`.repeat(2)
  const input = JSON.stringify({ value })
  const head: MessageHead = { id: 'm', model: 'test', display: 'omitted', seal }
  for (const eager of [[], ['find']]) {
    const parts = [...call(0, input.slice(0, 200_000), input.slice(200_000)), finish('tool-calls')]
    assert.deepEqual(streamedMessage(parts, head, eager)[0]?.input, { value })
    const stream = new MessagesStream(head, new Set(eager))
    const texts = [stream.start(parts[0]!), ...parts.map((part) => stream.record(part))]
    for (const record of texts.join('').split('\n\n')) {
      assert.ok(Buffer.byteLength(record) < 64 * 1024)
      assert.doesNotMatch(record, /\\ud/, 'no character is cut')
    }
  }
})

const chatHead = { id: 'm', created: 1, model: 'test' }

function streamedArguments(parts: StreamPart[]): string {
  const stream = new ChatStream(chatHead, false)
  const first = parts[0] as StreamPart
  const text = stream.start(first) + parts.map((part) => stream.record(part)).join('')
  return readEvents(text)
    .map(({ data }) => textAt(data, 'choices.0.delta.tool_calls.0.function.arguments'))
    .join('')
}

function wholeArguments(parts: StreamPart[]): unknown {
  const completion = new ChatCompletion()
  for (const part of parts) completion.take(part)
  const answer: unknown = JSON.parse(completion.write(chatHead) ?? '')
  return dig(answer, 'choices.0.message.tool_calls.0.function.arguments')
}

/** Clients of the chat dialect parse the arguments of every call that was not cut. */
const chatArguments: [
  pieces: string[],
  kind: 'tool-calls' | 'length' | 'refusal',
  json: unknown,
][] = [
  [['{"a"', ':1}'], 'tool-calls', { a: 1 }],
  [[], 'tool-calls', {}],
  [[' ', '\n'], 'tool-calls', {}],
  [[], 'length', ''],
  [[], 'refusal', ''],
  [['{"a"'], 'length', '{"a"'],
  [['{"a"'], 'refusal', '{"a"'],
]

for (const [pieces, kind, json] of chatArguments) {
  test(`chat: the arguments ${JSON.stringify(pieces)} of an answer that ends by ${kind}`, () => {
    const parts = [...call(0, ...pieces), finish(kind)]
    for (const told of [streamedArguments(parts), wholeArguments(parts)]) {
      assert.deepEqual(kind === 'tool-calls' ? JSON.parse(String(told)) : told, json)
    }
  })
}

test('chat: arguments that are no object are some text, as it came', () => {
  for (const pieces of [['[1', ']'], ['city=', 'Oslo'], ['{"city']]) {
    const parts = [...call(0, ...pieces), finish('tool-calls')]
    const json = pieces.join('')
    assert.deepEqual([streamedArguments(parts), wholeArguments(parts)], [json, json])
  }
})
