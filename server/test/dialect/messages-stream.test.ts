// Messages-dialect streams, event by event, from upstreams of either dialect.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { WholeParameters } from '#server/dialect/messages/whole-parameters.ts'
import { ProvenThoughts } from '#server/engine/anthropic-compatible/proven-thought.ts'
import { EventReader } from '#server/engine/anthropic-compatible/read-events.ts'
import { messagesDialect } from '#server/http/v1/dialect.ts'
import { SseReader } from '#server/lib/sse.ts'
import {
  type ChaosHone,
  chaosHone,
  dig,
  type Json,
  leastBody,
  readEvents,
  type StreamEvent,
  textAt,
} from '#test/support/chaos-hone.ts'
import { openStream } from '#test/support/open-stream.ts'
import { wireRecords } from '#test/support/wire-answer.ts'
import { until } from '#test/support/until.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone()
})
after(() => rig.stop())

const tools = ['weather', 'clock'].map((name) => ({ name, input_schema: { type: 'object' } }))
const eagerTools = tools.map((tool) => ({ ...tool, eager_input_streaming: true }))
const summarized = { type: 'adaptive', display: 'summarized' }

/** A block in short: its start, its deltas in order; signatures are only noted, being different every time. */
type ShortBlock = [type: string, ...deltas: string[]]

function shortBlocks(events: StreamEvent[]): ShortBlock[] {
  const blocks: ShortBlock[] = []
  let open = false
  for (const { data } of events) {
    const type = dig(data, 'type')
    if (type === 'content_block_start') {
      assert.equal(open, false, 'a block was opened inside another')
      assert.equal(dig(data, 'index'), blocks.length)
      const { type: kind, ...rest } = dig(data, 'content_block') as { type: string }
      blocks.push([kind === 'tool_use' ? `tool_use ${JSON.stringify(rest)}` : kind])
      if (kind === 'text') assert.deepEqual(rest, { text: '' })
      if (kind === 'thinking') assert.deepEqual(rest, { thinking: '', signature: '' })
      open = true
    } else if (type === 'content_block_delta') {
      assert.ok(open, 'a delta outside of a block')
      assert.equal(dig(data, 'index'), blocks.length - 1)
      const delta = dig(data, 'delta') as Json
      if (delta.type === 'signature_delta') assert.ok(String(delta.signature).length > 20)
      const text = ['text', 'thinking', 'partial_json']
        .map((field) => textAt(delta, field))
        .join('')
      blocks.at(-1)?.push(delta.type === 'signature_delta' ? '(signature)' : text)
    } else if (type === 'content_block_stop') {
      assert.ok(open)
      assert.equal(dig(data, 'index'), blocks.length - 1)
      open = false
    }
  }
  assert.equal(open, false, 'a block was left open')
  return blocks
}

const weather = 'tool_use {"id":"call_1","name":"weather","input":{}}'
const clock = 'tool_use {"id":"call_2","name":"clock","input":{}}'
const weather2 = 'tool_use {"id":"call_2","name":"weather","input":{}}'

type Sequence = { blocks: ShortBlock[]; eager?: ShortBlock[]; stop: string; sequence?: string }

const thoughtful: ShortBlock[] = [
  ['thinking', 'Let me', ' think.', '(signature)'],
  ['text', 'Hello', ' world'],
]
const plain: ShortBlock[] = [['text', 'Hello', ' world']]

const sequences: Record<string, Sequence> = {
  ok: { blocks: plain, stop: 'end_turn' },
  reasoning: { blocks: thoughtful, stop: 'end_turn' },
  reasoning_content: { blocks: thoughtful, stop: 'end_turn' },
  one_call: { blocks: [[weather, '{"city":"Oslo"}']], stop: 'tool_use' },
  two_calls: {
    blocks: [
      ['text', 'Looking.'],
      [weather, '{"city":"Oslo"}'],
      [clock, '{"zone":"UTC","exact":true}'],
    ],
    eager: [
      ['text', 'Looking.'],
      [weather, '{"city":"Oslo"}'],
      [clock, '{"zone":', '"UTC","exact":true}'],
    ],
    stop: 'tool_use',
  },
  split_arguments: {
    blocks: [[weather, '{"city":"Oslo"', ',"days":[1,2]', ',"note":"a,\\"b}"}']],
    eager: [[weather, '{"ci', 'ty":"Os', 'lo","days":[1,', '2],"note":"a,\\"b}"', '}']],
    stop: 'tool_use',
  },
  calls_without_index: {
    blocks: [
      [weather, '{"n":0}'],
      [clock, '{"n":1}'],
    ],
    eager: [
      [weather, '{"n":0', '}'],
      [clock, '{"n":1', '}'],
    ],
    stop: 'tool_use',
  },
  calls_with_odd_index: {
    blocks: [
      [weather, '{}'],
      [weather2, '{}'],
    ],
    stop: 'tool_use',
  },
  call_without_arguments: { blocks: [[weather]], stop: 'tool_use' },
  length: { blocks: [['text', 'Hel']], stop: 'max_tokens' },
  filtered: { blocks: [['text', 'No']], stop: 'refusal' },
  stop_string: { blocks: [['text', 'Hello']], stop: 'stop_sequence', sequence: 'END' },
  budget_eaten: { blocks: [['thinking', 'Hmm', ' hmm', '(signature)']], stop: 'max_tokens' },
  dup_done: { blocks: plain, stop: 'end_turn' },
  crlf: { blocks: plain, stop: 'end_turn' },
  byte_by_byte: { blocks: thoughtful, stop: 'end_turn' },
}

for (const wire of ['openai', 'anthropic'] as const) {
  for (const [mode, { blocks, eager, stop, sequence = null }] of Object.entries(sequences)) {
    for (const offered of eager ? [tools, eagerTools] : [tools]) {
      const how = offered === eagerTools ? ', eager' : ''
      test(`the events of ${mode} from an upstream of the ${wire} dialect${how}`, async () => {
        const model = wire === 'openai' ? mode : `anthropic/${mode}`
        const fields = { model, tools: offered, thinking: summarized, stream: true }
        const answer = await rig.post('messages', fields)
        assert.equal(answer.status, 200)
        const events = readEvents(answer.text)
        for (const { event, data } of events) assert.equal(event, dig(data, 'type'))
        const message = dig(events[0]?.data, 'message') as Json
        assert.match(String(message.id), /^msg_/)
        assert.deepEqual(
          { ...message, id: '' },
          {
            id: '',
            type: 'message',
            role: 'assistant',
            model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            // Only one of them counts the prompt before it answers.
            usage: { input_tokens: wire === 'openai' ? 0 : 7, output_tokens: 0 },
          },
        )
        assert.deepEqual(shortBlocks(events), offered === eagerTools ? eager : blocks)
        assert.deepEqual(events.at(-2)?.data, {
          type: 'message_delta',
          delta: { stop_reason: stop, stop_sequence: sequence },
          usage: { input_tokens: 7, output_tokens: 3 },
        })
        assert.deepEqual(events.at(-1)?.data, { type: 'message_stop' })
        assert.doesNotMatch(answer.text, /\[DONE\]|citations|caller/)
      })
    }
  }
}

test('a tool is buffered or eager each on its own', async () => {
  const mixed = [tools[0], eagerTools[1]]
  const answer = await rig.post('messages', { model: 'two_calls', tools: mixed, stream: true })
  assert.deepEqual(shortBlocks(readEvents(answer.text)), sequences.two_calls?.eager)
})

test('the same answers without a stream', async () => {
  for (const [mode, { blocks, stop, sequence = null }] of Object.entries(sequences)) {
    const answer = await rig.post('messages', { model: mode, tools, thinking: summarized })
    const { content, ...rest } = answer.json as unknown as { content: Json[]; id: string }
    assert.match(rest.id, /^msg_/)
    assert.deepEqual(
      { ...rest, id: '' },
      {
        id: '',
        type: 'message',
        role: 'assistant',
        model: mode,
        stop_reason: stop,
        stop_sequence: sequence,
        usage: { input_tokens: 7, output_tokens: 3 },
      },
    )
    assert.deepEqual(
      content.map(({ signature, ...block }) => {
        assert.equal(typeof signature === 'string', block.type === 'thinking')
        return block
      }),
      blocks.map(([type, ...deltas]) => {
        const joined = deltas.filter((delta) => delta !== '(signature)').join('')
        if (type === 'text') return { type, text: joined }
        if (type === 'thinking') return { type, thinking: joined }
        const [kind = '', start = ''] = type.split(/ (.*)/)
        return {
          type: kind,
          ...(JSON.parse(start) as Json),
          input: JSON.parse(joined === '' ? '{}' : joined) as Json,
        }
      }),
    )
  }
})

test('omitted thinking keeps its block, empty and signed', async () => {
  for (const thinking of [
    undefined,
    { type: 'adaptive' },
    { type: 'adaptive', display: 'omitted' },
  ]) {
    const fields = { model: 'reasoning', thinking }
    const answer = await rig.post('messages', { ...fields, stream: true })
    assert.deepEqual(shortBlocks(readEvents(answer.text)), [['thinking', '(signature)'], ...plain])
    assert.doesNotMatch(answer.text, /Let me/)
    const whole = await rig.post('messages', fields)
    assert.equal(dig(whole.json, 'content.0.type'), 'thinking')
    assert.equal(dig(whole.json, 'content.0.thinking'), '')
    assert.ok(String(dig(whole.json, 'content.0.signature')).length > 20)
    assert.doesNotMatch(whole.text, /Let me/)
  }
})

test('S16: text that looks like events stays inside its JSON', async () => {
  const answer = await rig.post('messages', { model: 'injection', stream: true })
  const [block] = shortBlocks(readEvents(answer.text))
  assert.equal(
    block?.slice(1).join(''),
    '\n\ndata: [DONE]\n\n\r\nevent: error\r\ndata: {}\r\n\r\n\u2028\u0000',
  )
  assert.doesNotMatch(answer.text, /\nevent: error\n|\r/)
})

test('a failure before the first event is an error with a status of its own', async () => {
  for (const mode of ['status_500', 'rst_before_headers', 'error_event_first', 'empty']) {
    const answer = await rig.post('messages', { model: `anthropic/${mode}`, stream: true })
    assert.equal(answer.status, 503, mode)
    assert.equal(dig(answer.json, 'error.type'), 'overloaded_error')
  }
})

test('U9: a failure after the first event is an error event, and the end of the stream', async () => {
  for (const mode of ['rst', 'error_event', 'garbage_json', 'half_frame']) {
    const answer = await rig.post('messages', { model: `anthropic/${mode}`, stream: true })
    assert.equal(answer.status, 200, mode)
    const events = readEvents(answer.text)
    assert.equal(events[0]?.event, 'message_start')
    assert.equal(events.at(-1)?.event, 'error')
    assert.equal(dig(events.at(-1)?.data, 'type'), 'error')
    assert.equal(dig(events.at(-1)?.data, 'error.type'), 'api_error')
    assert.equal(dig(events.at(-1)?.data, 'request_id'), answer.headers.get('request-id'))
    assert.doesNotMatch(answer.text, /message_stop|message_delta/)
  }
})

test('U4: a ping goes out after every 15 s of silence, and none after the end', async (context) => {
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n'
  context.mock.timers.enable({ apis: ['setInterval'] })
  const stream = await openStream(rig, 'messages', { model: 'gated' })
  await until(() => stream.text.includes('Hello'))
  context.mock.timers.tick(15_000)
  await until(() => stream.text.endsWith(ping))
  context.mock.timers.tick(15_000)
  await until(() => stream.text.endsWith(ping + ping))
  rig.upstream.open()
  await stream.ended
  const pings = readEvents(stream.text).filter(({ event }) => event === 'ping')
  assert.equal(pings.length, 2)
  assert.match(stream.text, /event: message_stop\n.*\n\n$/)
})

test('U6: a slow reader pauses the upstream', async () => {
  const seen = rig.upstream.calls.length
  const fields = { model: 'anthropic/endless' }
  const stream = await openStream(rig, 'messages', fields, { paused: true })
  let sent = -1
  for (let still = 0; still < 40; still++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    const now = rig.upstream.calls[seen]?.sentBytes ?? 0
    if (now !== sent) still = 0
    sent = now
  }
  assert.ok(sent < 48 * 1024 * 1024, `${sent} bytes went on to a client that reads nothing`)
  stream.abort()
  await until(() => rig.upstream.calls[seen]?.left === true)
})

test('U8: every split of the upstream bytes gives the same bytes to the client', () => {
  const head = { requestId: 'r', model: 'm', startedAt: new Date(0) }
  const body = { model: 'm', ...leastBody }
  const from = { text: '', workspaceId: 'w', thinkingKey: new Uint8Array(32), headers: {} }
  const bytes = Buffer.from(
    wireRecords('anthropic', {
      text: ['Grüße 👋', '\n\ndata: x'],
      calls: [{ id: 'c', name: 'weather', pieces: ['{"a":"é', '","b":[1,2', ']}'] }],
    }).join(''),
  )
  const rendered = (pieces: Uint8Array[]): string => {
    const sse = new SseReader(1024 * 1024)
    const events = new EventReader(new ProvenThoughts('http://u', 'm'))
    const out = messagesDialect.parse(body, from).streamed(head)
    let text = out.start({ type: 'text-delta', text: '' })
    const parts: StreamPart[] = []
    for (const piece of pieces) {
      sse.feed(Buffer.from(piece), (data) => void events.record(data, parts))
    }
    for (const part of parts) text += out.record(part)
    return text
  }
  const whole = rendered([bytes])
  assert.match(whole, /message_stop/)
  for (let at = 1; at < bytes.length; at++) {
    assert.equal(rendered([bytes.subarray(0, at), bytes.subarray(at)]), whole, `split at ${at}`)
  }
  assert.equal(rendered([...bytes].map((byte) => Uint8Array.of(byte))), whole)
})

test('buffered arguments: pieces end where a parameter ends, and together are the text', () => {
  const json = '{ "a" : "x,}\\"{", "b": [1, {"c": ","}], "d": {"e": {}}, "f": null }'
  const ends = ['{ "a" : "x,}\\"{"', ', "b": [1, {"c": ","}]', ', "d": {"e": {}}', ', "f": null }']
  for (let size = 1; size <= json.length; size++) {
    const parameters = new WholeParameters()
    const pieces: string[] = []
    for (let at = 0; at < json.length; at += size)
      pieces.push(parameters.feed(json.slice(at, at + size)))
    pieces.push(parameters.rest())
    assert.equal(pieces.join(''), json)
    let sofar = ''
    for (const piece of pieces) {
      sofar += piece
      const boundary = ends.some((_, count) => ends.slice(0, count + 1).join('') === sofar)
      assert.ok(sofar === '' || boundary, `half a parameter was sent: ${sofar}`)
    }
  }
})

/** What a model wrote, and what of it is an object. */
const brokenInputs = [
  ['{"a":1,"b":"ha', '{"a":1}'],
  ['{"a":1,"b"', '{"a":1}'],
  ['{"a":1,', '{"a":1}'],
  ['{"a":1', ''],
  ['{', ''],
  ['', ''],
  ['{"a": oops}', ''],
  ['{"a":1, "b": oops, "c": 3}', '{"a":1}'],
  ['{"a":1,}', '{"a":1}'],
  ['{,"a":1}', ''],
  ['{"a":1,,"b":2}', '{"a":1}'],
  ['{"a":1} and more, {"b":2}', '{"a":1}'],
  ['{"a":]}', ''],
  ['[1, 2]', ''],
  ['7', ''],
  ['{}', '{}'],
  [' { } ', ' { }'],
  ['{"a":1}', '{"a":1}'],
] as const

for (const [written, whole] of brokenInputs) {
  test(`buffered arguments: of ${JSON.stringify(written)} clients get ${JSON.stringify(whole)}`, () => {
    for (let size = 1; size <= Math.max(1, written.length); size++) {
      const parameters = new WholeParameters()
      let said = ''
      for (let at = 0; at < written.length; at += size)
        said += parameters.feed(written.slice(at, at + size))
      assert.equal(said + parameters.rest(), whole)
      assert.equal(parameters.rest(), '')
    }
  })
}

for (const stream of [false, true]) {
  test(`arguments nested by the hundred thousand are answered, ${stream ? 'streamed' : 'whole'}`, async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    rig.upstream.script = { calls: [{ id: 'c', name: 'weather', pieces: [deep] }] }
    const answer = await rig.post('messages', { model: 'scripted', tools, stream })
    assert.equal(answer.status, 200, answer.text.slice(0, 200))
  })
}

test(
  'buffered arguments: a parameter as long as a file is looked at once',
  { timeout: 30_000 },
  () => {
    const parameters = new WholeParameters()
    const words = 'word, } '.repeat(256 * 1024)
    const json = JSON.stringify({ path: 'a', content: words })
    const pieces: string[] = []
    for (let at = 0; at < json.length; at += 4) pieces.push(parameters.feed(json.slice(at, at + 4)))
    assert.deepEqual(
      pieces.filter((piece) => piece !== ''),
      ['{"path":"a"', json.slice('{"path":"a"'.length)],
    )
  },
)
