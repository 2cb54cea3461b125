// Chat-completions streams, record by record, from upstreams of either dialect.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { chatDialect } from '#server/http/v1/dialect.ts'
import { ChunkReader } from '#server/engine/openai-compatible/read-chunks.ts'
import { EventStream } from '#server/http/v1/event-stream.ts'
import { StallWatch } from '#server/http/v1/stall-watch.ts'
import { SseReader } from '#server/lib/sse.ts'
import {
  type ChaosHone,
  chaosHone,
  dig,
  type Json,
  leastBody,
  readEvents,
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

const tools = ['weather', 'clock'].map((name) => ({ type: 'function', function: { name } }))

const start = (index: number, id: string, name: string): Json => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
})
const piece = (index: number, json: string): Json => ({
  tool_calls: [{ index, function: { arguments: json } }],
})
const say = (content: string): Json => ({ content })
const think = (text: string): Json => ({ reasoning_content: text })

const sequences: Record<string, { deltas: Json[]; finish: string }> = {
  ok: { deltas: [say('Hello'), say(' world')], finish: 'stop' },
  reasoning: {
    deltas: [think('Let me'), think(' think.'), say('Hello'), say(' world')],
    finish: 'stop',
  },
  reasoning_content: {
    deltas: [think('Let me'), think(' think.'), say('Hello'), say(' world')],
    finish: 'stop',
  },
  one_call: {
    deltas: [start(0, 'call_1', 'weather'), piece(0, '{"city":"Oslo"}')],
    finish: 'tool_calls',
  },
  two_calls: {
    deltas: [
      say('Looking.'),
      start(0, 'call_1', 'weather'),
      piece(0, '{"city":"Oslo"}'),
      start(1, 'call_2', 'clock'),
      piece(1, '{"zone":'),
      piece(1, '"UTC","exact":true}'),
    ],
    finish: 'tool_calls',
  },
  split_arguments: {
    deltas: [
      start(0, 'call_1', 'weather'),
      ...['{"ci', 'ty":"Os', 'lo","days":[1,', '2],"note":"a,\\"b}"', '}'].map((json) =>
        piece(0, json),
      ),
    ],
    finish: 'tool_calls',
  },
  calls_without_index: {
    deltas: [
      start(0, 'call_1', 'weather'),
      piece(0, '{"n":0'),
      piece(0, '}'),
      start(1, 'call_2', 'clock'),
      piece(1, '{"n":1'),
      piece(1, '}'),
    ],
    finish: 'tool_calls',
  },
  calls_with_odd_index: {
    deltas: [
      start(0, 'call_1', 'weather'),
      piece(0, '{}'),
      start(1, 'call_2', 'weather'),
      piece(1, '{}'),
    ],
    finish: 'tool_calls',
  },
  call_without_arguments: {
    deltas: [start(0, 'call_1', 'weather'), piece(0, '{}')],
    finish: 'tool_calls',
  },
  length: { deltas: [say('Hel')], finish: 'length' },
  filtered: { deltas: [say('No')], finish: 'content_filter' },
  stop_string: { deltas: [say('Hello')], finish: 'stop' },
  budget_eaten: { deltas: [think('Hmm'), think(' hmm')], finish: 'length' },
  dup_done: { deltas: [say('Hello'), say(' world')], finish: 'stop' },
  crlf: { deltas: [say('Hello'), say(' world')], finish: 'stop' },
  slow: { deltas: [say('Hello'), say(' world')], finish: 'stop' },
  byte_by_byte: {
    deltas: [think('Let me'), think(' think.'), say('Hello'), say(' world')],
    finish: 'stop',
  },
}

const usage = {
  prompt_tokens: 7,
  completion_tokens: 3,
  total_tokens: 10,
  prompt_tokens_details: { cached_tokens: 0 },
}

for (const wire of ['openai', 'anthropic'] as const) {
  for (const [mode, { deltas, finish }] of Object.entries(sequences)) {
    test(`the chunks of ${mode} from an upstream of the ${wire} dialect`, async () => {
      const model = wire === 'openai' ? mode : `anthropic/${mode}`
      const answer = await rig.post('chat', { model, tools, stream: true })
      assert.equal(answer.status, 200)
      assert.ok(answer.text.endsWith('\n\ndata: [DONE]\n\n'))
      const events = readEvents(answer.text)
      assert.ok(events.every(({ event }) => event === null))
      const chunks = events.slice(0, -1).map(({ data }) => data as Json)
      const [first] = chunks
      for (const chunk of chunks) {
        assert.equal(chunk.object, 'chat.completion.chunk')
        assert.equal(chunk.id, first?.id)
        assert.equal(chunk.created, first?.created)
        assert.equal(chunk.model, model)
        assert.equal(dig(chunk, 'choices.0.index'), 0)
        assert.equal(dig(chunk, 'choices.0.logprobs'), null)
      }
      assert.deepEqual(
        chunks.map((chunk) => dig(chunk, 'choices.0.delta')),
        [{ role: 'assistant', content: deltas[0]?.tool_calls ? null : '' }, ...deltas, {}],
      )
      const reasons = chunks.map((chunk) => dig(chunk, 'choices.0.finish_reason'))
      assert.deepEqual(reasons, [...Array<null>(deltas.length + 1).fill(null), finish])
      assert.deepEqual(
        chunks.map((chunk) => 'usage' in chunk),
        [...Array<boolean>(deltas.length + 1).fill(false), true],
      )
      assert.deepEqual(chunks.at(-1)?.usage, usage)
    })
  }
}

test('the same answers without a stream', async () => {
  for (const [mode, { deltas, finish }] of Object.entries(sequences)) {
    const answer = await rig.post('chat', { model: mode, tools })
    const choice = dig(answer.json, 'choices.0') as Json
    const joined = (field: string): string => deltas.map((delta) => textAt(delta, field)).join('')
    const message = choice.message as Json
    assert.deepEqual(Object.keys(choice).sort(), ['finish_reason', 'index', 'logprobs', 'message'])
    assert.equal(choice.logprobs, null)
    assert.equal(choice.finish_reason, finish)
    assert.equal(message.role, 'assistant')
    assert.equal(message.refusal, null)
    const calls = deltas.filter(
      (delta) => 'id' in ((dig(delta, 'tool_calls.0') as Json | undefined) ?? {}),
    )
    assert.equal(
      message.content,
      joined('content') === '' && calls.length > 0 ? null : joined('content'),
    )
    assert.equal(message.reasoning_content ?? '', joined('reasoning_content'))
    assert.equal('tool_calls' in message, calls.length > 0)
    assert.deepEqual(
      message.tool_calls ?? [],
      calls.map((delta, index) => ({
        id: dig(delta, 'tool_calls.0.id'),
        type: 'function',
        function: {
          name: dig(delta, 'tool_calls.0.function.name'),
          arguments: deltas
            .filter((each) => dig(each, 'tool_calls.0.index') === index)
            .map((each) => textAt(each, 'tool_calls.0.function.arguments'))
            .join(''),
        },
      })),
    )
    assert.deepEqual(dig(answer.json, 'usage'), usage)
  }
})

test('stream_options changes nothing, streamed or not', async () => {
  for (const options of [{ include_usage: true }, { include_usage: false }, {}]) {
    const answer = await rig.post('chat', { stream: true, stream_options: options })
    assert.equal(answer.text.match(/"usage"/g)?.length, 1)
    assert.doesNotMatch(answer.text, /"choices":\[\]/)
    assert.equal((await rig.post('chat', { stream_options: options })).status, 200)
  }
})

test("OpenAI's client for Java gets the usage in a chunk of its own, and the others do not", async () => {
  const lastOf = async (language: string): Promise<unknown[]> => {
    const headers = { 'x-stainless-lang': language }
    const answer = await rig.post('chat', { stream: true }, { headers })
    return readEvents(answer.text)
      .slice(-3)
      .map(({ data }) => data)
  }
  const [text, whole, done] = await lastOf('js')
  assert.equal(dig(text, 'choices.0.delta.content'), ' world')
  assert.equal(dig(whole, 'choices.0.finish_reason'), 'stop')
  const [final, apart, end] = await lastOf('java')
  assert.equal(dig(final, 'choices.0.finish_reason'), 'stop')
  assert.deepEqual(dig(final, 'choices.0.delta'), {})
  assert.equal(dig(final, 'usage'), undefined)
  const nothing = { index: 0, delta: {}, logprobs: null, finish_reason: null }
  assert.deepEqual(dig(apart, 'choices'), [nothing])
  assert.equal(dig(apart, 'object'), 'chat.completion.chunk')
  assert.equal(dig(apart, 'id'), dig(final, 'id'))
  assert.deepEqual(dig(apart, 'usage'), dig(whole, 'usage'))
  assert.ok(dig(apart, 'usage.completion_tokens'))
  assert.deepEqual([done, end], ['[DONE]', '[DONE]'])
})

test('the head of a stream forbids caching and buffering', async () => {
  const answer = await rig.post('chat', { stream: true })
  assert.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-cache')
  assert.equal(answer.headers.get('x-accel-buffering'), 'no')
  assert.equal(answer.headers.get('content-encoding'), null)
  assert.doesNotMatch(answer.text, /\r/)
})

test('S16: text that looks like events stays inside its JSON', async () => {
  const answer = await rig.post('chat', { model: 'injection', stream: true })
  const texts = readEvents(answer.text)
    .map(({ data }) => textAt(data, 'choices.0.delta.content'))
    .join('')
  assert.equal(texts, '\n\ndata: [DONE]\n\n\r\nevent: error\r\ndata: {}\r\n\r\n\u2028\u0000')
  assert.equal(answer.text.match(/\ndata: \[DONE\]\n/g)?.length, 1)
  assert.doesNotMatch(answer.text, /\nevent:/)
})

test('a failure before the first event is an error with a status of its own', async () => {
  for (const mode of ['status_500', 'rst_before_headers', 'error_event_first', 'empty']) {
    const answer = await rig.post('chat', { model: mode, stream: true })
    assert.equal(answer.status, 503, mode)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(dig(answer.json, 'error.code'), 'no_healthy_route')
  }
})

test('U9: a failure after the first event is an error in the stream, and the end of it', async () => {
  for (const mode of ['rst', 'error_event', 'garbage_json', 'half_frame']) {
    const answer = await rig.post('chat', { model: mode, stream: true })
    assert.equal(answer.status, 200, mode)
    const events = readEvents(answer.text)
    assert.equal(dig(events[0]?.data, 'choices.0.delta.role'), 'assistant')
    assert.deepEqual(Object.keys(events.at(-1)?.data ?? {}), ['error'])
    // Some clients read the line of the data only, others only what the event is called.
    assert.match(answer.text, /\n\ndata: \{"error":.*\}\nevent: error\n\n$/)
    assert.deepEqual(Object.keys(dig(events.at(-1)?.data, 'error') as Json).sort(), [
      'code',
      'message',
      'param',
      'type',
    ])
    assert.doesNotMatch(answer.text, /\[DONE\]|"finish_reason":"/)
  }
})

test('U4: a comment goes out after every 15 s of silence, and none after the end', async (context) => {
  const seen = rig.upstream.calls.length
  context.mock.timers.enable({ apis: ['setInterval'] })
  const stream = await openStream(rig, 'chat', { model: 'gated' })
  await until(() => stream.text.includes('Hello'))
  context.mock.timers.tick(14_999)
  context.mock.timers.tick(1)
  await until(() => stream.text.endsWith(': keep-alive\n\n'))
  context.mock.timers.tick(15_000)
  await until(() => stream.text.match(/: keep-alive\n\n/g)?.length === 2)
  assert.equal(rig.upstream.calls[seen]?.left, false)
  rig.upstream.open()
  await stream.ended
  context.mock.timers.tick(60_000)
  assert.equal(stream.text.match(/: keep-alive\n\n/g)?.length, 2)
  assert.match(stream.text, /data: \[DONE\]\n\n$/)
})

test('a keep-alive before the first event commits the status, so that a failure comes in the stream', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const opening = openStream(rig, 'chat', { model: 'hang_after_headers' })
  const seen = rig.upstream.calls.length
  await until(() => rig.upstream.calls.length > seen)
  // The interval is made once the hold is taken, which the upstream call comes after.
  context.mock.timers.tick(15_000)
  const stream = await opening
  assert.equal(stream.status, 200)
  assert.equal(stream.text, ': keep-alive\n\n')
  stream.abort()
  await until(() => rig.upstream.calls[seen]?.left === true)
  await rig.settled()
})

test('U6: a slow reader pauses the upstream', async () => {
  const seen = rig.upstream.calls.length
  const stream = await openStream(rig, 'chat', { model: 'endless' }, { paused: true })
  // With nobody reading, what is in flight is what the kernel's buffers hold; unbounded, all 64 MiB would go through.
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

test('U6: what waits for a reader that does not read stays small', async () => {
  let response: ServerResponse | null = null
  let taken = 0
  const server = createServer((_, made) => {
    response = made
    const stream = new EventStream(made, ': keep-alive\n\n', () => [], new StallWatch())
    const record = `data: ${'x'.repeat(16 * 1024)}\n\n`
    void (async () => {
      while (!made.destroyed) {
        await stream.write(record)
        taken += 1
      }
      stream.stop()
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1', () => {
    client.pause()
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  })
  let before = -1
  for (let still = 0; still < 20; still++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    if (taken !== before) still = 0
    before = taken
  }
  const waiting = (response as ServerResponse | null)?.writableLength ?? -1
  assert.ok(waiting > 0 && waiting <= 1024 * 1024, `${waiting} bytes wait`)
  client.destroy()
  await new Promise((resolve) => server.close(resolve))
})

test('U8: every split of the upstream bytes gives the same bytes to the client', () => {
  const head = { requestId: 'r', model: 'm', startedAt: new Date(0) }
  const body = { model: 'm', ...leastBody }
  const from = { text: '', workspaceId: 'w', thinkingKey: new Uint8Array(32), headers: {} }
  const bytes = Buffer.from(
    wireRecords('openai', {
      thinking: ['Hm… ', '你好'],
      text: ['Grüße 👋', '\n\ndata: x'],
      calls: [{ id: 'c', name: 'weather', pieces: ['{"a":"é', '"}'] }],
    })
      .join(': comment\r\n\r\n')
      .replaceAll('}\n\n', '}\r\n\r\n'),
  )
  const rendered = (pieces: Uint8Array[]): string => {
    const sse = new SseReader(1024 * 1024)
    const chunks = new ChunkReader()
    const out = chatDialect.parse(body, from).streamed(head)
    let text = out.start({ type: 'text-delta', text: '' })
    const parts: StreamPart[] = []
    for (const piece of pieces) {
      sse.feed(Buffer.from(piece), (data) => void chunks.record(data, parts))
    }
    for (const part of parts) text += out.record(part)
    return text
  }
  const whole = rendered([bytes])
  assert.match(whole, /"usage"/)
  for (let at = 1; at < bytes.length; at++) {
    assert.equal(rendered([bytes.subarray(0, at), bytes.subarray(at)]), whole, `split at ${at}`)
  }
  assert.equal(rendered([...bytes].map((byte) => Uint8Array.of(byte))), whole)
})
