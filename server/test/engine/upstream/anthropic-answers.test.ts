// Answers of servers of the messages dialect that are not quite as it says, and why they ended, as clients of either dialect
// learn it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ChaosHone, chaosHone, dig, readEvents, textAt } from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'
import { event, type WireAnswer, wireRecords } from '#test/support/wire-answer.ts'

let rig: ChaosHone
before(async () => {
  rig = await chaosHone((upstream) =>
    // A route that fails rests after a while, so that what fails often has routes of its own.
    [
      'says',
      ...halves.map((_, index) => `half-${index}`),
      ...failures.map((_, index) => `failure-${index}`),
    ].map((id) => ({
      id,
      routes: [chaosRoute(upstream, 'anthropic', 'scripted')],
    })),
  )
})
after(() => rig.stop())

const calls = [{ id: 'a', name: 'f', pieces: ['{}'] }]
const words: WireAnswer = { text: ['Hi'] }

const rows: [what: string, said: WireAnswer, chat: string, messages: string][] = [
  ['end_turn', { ...words, finish: 'end_turn' }, 'stop', 'end_turn'],
  ['pause_turn', { ...words, finish: 'pause_turn' }, 'stop', 'end_turn'],
  ['max_tokens', { ...words, finish: 'max_tokens' }, 'length', 'max_tokens'],
  ['max_tokens in a call', { calls, finish: 'max_tokens' }, 'length', 'max_tokens'],
  ['a full window', { ...words, finish: 'model_context_window_exceeded' }, 'length', 'max_tokens'],
  ['refusal', { ...words, finish: 'refusal' }, 'content_filter', 'refusal'],
  ['a stop text', { ...words, stopString: 'END' }, 'stop', 'stop_sequence'],
  ['tool_use', { calls, finish: 'tool_use' }, 'tool_calls', 'tool_use'],
  ['tool_use without a call', { ...words, finish: 'tool_use' }, 'stop', 'end_turn'],
  ['end_turn after a call', { calls, finish: 'end_turn' }, 'tool_calls', 'tool_use'],
  ['a word of its own', { ...words, finish: 'finished' }, 'stop', 'end_turn'],
]
for (const [what, said, chat, messages] of rows) {
  test(`${what}: ${chat} in the chat dialect, ${messages} in the other`, async () => {
    rig.upstream.script = said
    const inChat = await rig.post('chat', { model: 'says' })
    assert.equal(dig(inChat.json, 'choices.0.finish_reason'), chat, inChat.text)
    const inMessages = await rig.post('messages', { model: 'says' })
    assert.equal(dig(inMessages.json, 'stop_reason'), messages, inMessages.text)
  })
}

const start = (index: number, content_block: object): string =>
  event('content_block_start', { index, content_block })
const use = (id: string, input: object): object => ({ type: 'tool_use', id, name: 'f', input })
const json = (index: number, partial_json: string): string =>
  event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } })
const stop = (index: number): string => event('content_block_stop', { index })

/** These records between the start and the end of an answer. */
function script(...records: string[]): void {
  const [first = '', ...rest] = wireRecords('anthropic', { finish: 'tool_calls' })
  rig.upstream.script = { openai: [], anthropic: [first, ...records, ...rest] }
}

async function inputs(): Promise<unknown> {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  const { json: message, text } = await rig.post('messages', { model: 'says', tools })
  const content = dig(message, 'content') as { type: string; input?: unknown }[] | undefined
  assert.ok(content, text)
  return content.map((block) => block.input ?? block)
}

test('the whole input at the start of a call is its input, unless arguments follow', async () => {
  script(start(0, use('a', { x: 1 })), stop(0), start(1, use('b', {})), stop(1))
  assert.deepEqual(await inputs(), [{ x: 1 }, {}])
  script(start(0, use('a', { x: 1 })), json(0, ''), json(0, '{"y":'), json(0, '2}'), stop(0))
  assert.deepEqual(await inputs(), [{ y: 2 }])
})

test('a block ends where the next begins, said or not', async () => {
  script(
    start(0, { type: 'text', text: 'Hm' }),
    start(1, use('a', {})),
    json(1, '{"x":1}'),
    start(2, use('b', { y: 2 })),
  )
  assert.deepEqual(await inputs(), [{ type: 'text', text: 'Hm' }, { x: 1 }, { y: 2 }])
})

test('words amid the arguments of a call follow it, and the call keeps all of its arguments', async () => {
  const amid = (delta: object): string => event('content_block_delta', { index: 0, delta })
  script(
    start(0, use('a', {})),
    json(0, '{"x":'),
    amid({ type: 'text_delta', text: 'So' }),
    amid({ type: 'text_delta', text: ' so' }),
    json(0, '1}'),
    stop(0),
  )
  const said = { type: 'text', text: 'So so' }
  assert.deepEqual(await inputs(), [{ x: 1 }, said])
  const tools = [{ name: 'f', input_schema: {} }]
  const { text } = await rig.post('messages', { model: 'says', tools, stream: true })
  const events = readEvents(text).map(({ data }) => data)
  const pieces = events.map((data) => textAt(data, 'delta.partial_json'))
  assert.equal(pieces.join(''), '{"x":1}')
  assert.equal(events.map((data) => textAt(data, 'delta.text')).join(''), 'So so')
})

test('deltas that say nothing are no block, whole or streamed', async () => {
  const delta = (index: number, of: object): string =>
    event('content_block_delta', { index, delta: of })
  script(
    start(0, { type: 'thinking', thinking: '' }),
    delta(0, { type: 'thinking_delta', thinking: '' }),
    stop(0),
    start(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: '' }),
    stop(1),
    start(2, use('a', {})),
    stop(2),
  )
  const blocks = [{ type: 'tool_use', id: 'a', name: 'f', input: {} }]
  const fields = { model: 'says', tools: [{ name: 'f', input_schema: {} }] }
  const whole = await rig.post('messages', fields)
  assert.deepEqual(dig(whole.json, 'content'), blocks)
  const streamed = await rig.post('messages', { ...fields, stream: true })
  const started = readEvents(streamed.text).flatMap(({ data }) => dig(data, 'content_block') ?? [])
  assert.deepEqual(started, blocks)
})

test('a last count without a reason leaves the reason as it was said', async () => {
  const counted = (output_tokens: number, delta: object): string =>
    event('message_delta', { delta, usage: { output_tokens } })
  const records = [
    event('message_start', { message: { usage: { input_tokens: 7, output_tokens: 1 } } }),
    start(0, { type: 'text', text: 'Hm' }),
    stop(0),
    counted(2, { stop_reason: 'max_tokens' }),
    counted(3, {}),
    counted(4, { stop_reason: null }),
    event('message_stop'),
  ]
  rig.upstream.script = { openai: [], anthropic: records }
  const answer = await rig.post('messages', { model: 'says', max_tokens: 4000 })
  assert.equal(dig(answer.json, 'stop_reason'), 'max_tokens', answer.text)
  assert.equal(dig(answer.json, 'usage.output_tokens'), 4)
})

const begun = event('message_start', { message: { usage: { input_tokens: 7, output_tokens: 1 } } })
const said = [start(0, { type: 'text', text: 'Hm' }), stop(0)]
const ended = (delta: object, usage?: object): string =>
  event('message_delta', { delta, ...(usage ? { usage } : {}) })
const why = { stop_reason: 'max_tokens' }

const none = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
const prompts: [what: string, start: object, end: object, read: number, rest: number][] = [
  ['zeros at the end', { input_tokens: 7 }, { input_tokens: 0 }, 0, 7],
  ['zeros for all of it', { input_tokens: 2, cache_read_input_tokens: 5 }, none, 5, 2],
  ['a read told at the end', { input_tokens: 7 }, { ...none, cache_read_input_tokens: 7 }, 7, 0],
  ['less at the end', { input_tokens: 9 }, { input_tokens: 7 }, 0, 7],
  ['zeros at the start', none, { input_tokens: 7 }, 0, 7],
]
for (const [what, first, last, read, rest] of prompts) {
  test(`a prompt that is counted with ${what} is counted once`, async () => {
    const usage = { output_tokens: 3 }
    const anthropic = [
      event('message_start', { message: { usage: { ...first, output_tokens: 1 } } }),
      'event: ping\ndata: \n\n',
      ...said,
      ended(why, { ...last, ...usage }),
      event('message_stop'),
    ]
    rig.upstream.script = { openai: [], anthropic }
    const { json: answer, text } = await rig.post('messages', { model: 'says', max_tokens: 4000 })
    assert.equal(dig(answer, 'usage.cache_read_input_tokens') ?? 0, read, text)
    assert.equal(dig(answer, 'usage.input_tokens'), rest)
  })
}

for (const [what, last] of [
  ['nothing', []],
  ['the end mark of the other dialect', ['data: [DONE]\n\n']],
] as const) {
  test(`a stream that said why it ended and what it counted may end with ${what}`, async () => {
    const anthropic = [begun, ...said, ended(why, { output_tokens: 3 }), ...last]
    rig.upstream.script = { openai: [], anthropic }
    for (const dialect of ['chat', 'messages'] as const) {
      const whole = await rig.post(dialect, { model: 'says', max_tokens: 4000 })
      assert.equal(whole.status, 200, whole.text)
      assert.match(whole.text, /"(completion|output)_tokens":3/)
      const streamed = await rig.post(dialect, { model: 'says', stream: true })
      assert.match(streamed.text, /"(finish|stop)_reason":"(length|max_tokens)"/)
      assert.doesNotMatch(streamed.text, /"error"/)
    }
  })
}

const halves: [what: string, records: string[]][] = [
  ['the words', [begun, ...said]],
  ['a reason without a count', [begun, ...said, ended(why)]],
  ['the end mark of the other dialect alone', [begun, ...said, 'data: [DONE]\n\n']],
  ['a count without a reason', [begun, ...said, ended({}, { output_tokens: 3 })]],
  ['a count of the prompt alone', [begun, ...said, ended(why, { input_tokens: 7 })]],
  ['a start that alone counts', [begun, ...said, ended(why), event('message_stop')]],
  [
    'counts of nothing',
    [begun, ...said, ended(why, { output_tokens: null }), event('message_stop')],
  ],
  ['no count of the prompt', [...said, ended(why, { output_tokens: 3 })]],
]
for (const [index, [what, records]] of halves.entries()) {
  test(`a stream that ends behind ${what} was cut, and costs nothing`, async () => {
    rig.upstream.script = { openai: [], anthropic: records }
    await rig.settled()
    const { balance_usd } = await rig.wallet()
    const fields = { model: `half-${index}`, max_tokens: 4000 }
    const whole = await rig.post('messages', fields)
    assert.equal(whole.status, 502, whole.text)
    const streamed = await rig.post('messages', { ...fields, stream: true })
    assert.doesNotMatch(streamed.text, /message_stop/)
    await rig.settled()
    assert.equal((await rig.wallet()).balance_usd, balance_usd)
  })
}

const failed = (type: string, message = 'no'): string =>
  event('error', { error: { type, message } })
const tooLong = failed('invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum')
const failures: [what: string, records: string[], status: number, message: RegExp][] = [
  ['an overload at its start', [failed('overloaded_error')], 503, /overloaded/],
  ['an overload behind its count', [begun, failed('overloaded_error')], 503, /overloaded/],
  ['a refusal at its start', [begun, tooLong], 400, /context window/],
  ['a failure at its start', [begun, failed('api_error')], 503, /failed/],
  ['an overload behind words', [begun, ...said, failed('overloaded_error')], 502, /failed/],
  ['a refusal behind words', [begun, ...said, tooLong], 502, /failed/],
]
for (const [index, [what, records, status, message]] of failures.entries()) {
  test(`a stream that is ${what} is ${status}`, async () => {
    rig.upstream.script = { openai: [], anthropic: records }
    for (const dialect of ['chat', 'messages'] as const) {
      const answer = await rig.post(dialect, { model: `failure-${index}`, max_tokens: 4000 })
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.text, message)
    }
  })
}

test('arguments for another block than the open one are an error that costs nothing', async () => {
  // The bill of the call before may still be on its way.
  await rig.settled()
  const { balance_usd } = await rig.wallet()
  script(start(0, use('a', {})), start(1, use('b', {})), json(0, '{"x":1}'), stop(0), stop(1))
  const answer = await rig.post('messages', {
    model: 'says',
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
  })
  assert.ok(answer.status >= 500, answer.text)
  await rig.settled()
  assert.equal((await rig.wallet()).balance_usd, balance_usd)
})
