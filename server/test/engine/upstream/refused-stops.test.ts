// Stop strings of white space only, more than a few, or any: servers that refuse them are asked without, and the answer is
// cut here; what the server wrote is what it costs. A server that takes them is told them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { StreamPart } from '#server/core/stream-part.ts'
import { noUsage } from '#server/core/usage.ts'
import { cutAtStops } from '#server/engine/upstream/cut-at-stops.ts'
import {
  type DialectName,
  dialects,
  dig,
  leastBody,
  paths,
  readEvents,
  textAt,
} from '#test/support/chaos-hone.ts'
import {
  type SaidCall,
  type Saying,
  type SayingUpstream,
  sayingUpstream,
} from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { type Wire, type WireAnswer, wireRecords, wireWhole } from '#test/support/wire-answer.ts'

const wires: Wire[] = ['openai', 'anthropic']
let upstream: SayingUpstream
let hone: TestHone

const cases = wires.flatMap((wire) =>
  dialects.flatMap((dialect) =>
    [false, true].map((stream) => ({
      wire,
      dialect,
      stream,
      model: `${wire}-refuses-${dialect}-${stream}`,
    })),
  ),
)

before(async () => {
  upstream = await sayingUpstream()
  const odd = wires.flatMap((wire) => [`${wire}-takes-four`, `${wire}-takes-none`])
  const ids = [...cases.map(({ model }) => model), ...odd]
  ids.push('takes', 'calls', 'fails', 'refuses-all', 'takes-many')
  const models = ids.map((id) => ({
    id,
    context_window: 32_768,
    max_output_tokens: 8192,
    supports_tools: true,
    routes: [
      {
        engine: id.startsWith('openai') ? 'openai-compatible' : 'anthropic-compatible',
        base_url: upstream.baseUrl,
        probe: 'none',
        ...(id.endsWith('takes-none') ? { leaves_out: [leftOut(id)] } : {}),
        pricing: { input: 1, output: 2 },
      },
    ],
  }))
  hone = await testHone({ catalog: { models }, tasks: [] })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})

const leftOut = (id: string): string => (id.startsWith('openai') ? 'stop' : 'stop_sequences')

function says(answer: WireAnswer): Saying {
  return ({ response, call }) => {
    const wire = call.path.endsWith('/messages') ? 'anthropic' : 'openai'
    if (call.body.stream !== true) return void response.end(wireWhole(wire, answer))
    const type = { 'content-type': 'text/event-stream' }
    response.writeHead(200, type).end(wireRecords(wire, answer).join(''))
  }
}

/** As Anthropic does it. */
function unlessBlank(saying: Saying): Saying {
  return (exchange) => {
    if (stopsIn(exchange.call).every((stop) => stop.trim() !== '')) return saying(exchange)
    const message = 'stop_sequences: each stop sequence must contain non-whitespace'
    const error = { type: 'invalid_request_error', message }
    exchange.response.writeHead(400).end(JSON.stringify({ type: 'error', error }))
  }
}

/** As OpenAI does it. */
function unlessMany(saying: Saying): Saying {
  return (exchange) => {
    if (stopsIn(exchange.call).length <= 4) return saying(exchange)
    const message = "Invalid 'stop': array too long. Expected an array with maximum length 4."
    const error = { message, type: 'invalid_request_error', param: 'stop' }
    exchange.response.writeHead(400).end(JSON.stringify({ error }))
  }
}

function post(dialect: DialectName, stop: string[], fields: object): Promise<Answer> {
  const stops = dialect === 'chat' ? { stop } : { stop_sequences: stop }
  const body = { ...leastBody, ...stops, ...fields }
  return hone.call('POST', paths[dialect], { bearer: hone.owner.key, body })
}

const stopsIn = ({ body }: SaidCall): string[] =>
  (body.stop_sequences ?? body.stop ?? []) as string[]

const stopsTold = (model: string): string[][] =>
  upstream.calls.filter(({ body }) => body.model === model).map(stopsIn)

/** What a client makes of an answer in its dialect. */
function read(dialect: DialectName, stream: boolean, { text, json }: Answer) {
  const parts = stream ? readEvents(text).map(({ data }) => data) : [json]
  const at = (...places: string[]): string =>
    parts.map((part) => places.map((place) => textAt(part, place)).join('')).join('')
  if (dialect === 'chat') {
    return {
      said: at('choices.0.delta.content', 'choices.0.message.content'),
      end: at('choices.0.finish_reason'),
      output: parts.flatMap((part) => dig(part, 'usage.completion_tokens') ?? []),
    }
  }
  return {
    said: at('delta.text', 'content.0.text'),
    end: `${at('delta.stop_reason', 'stop_reason')} ${JSON.stringify(at('delta.stop_sequence', 'stop_sequence'))}`,
    output: parts.flatMap((part) => dig(part, 'usage.output_tokens') ?? []),
  }
}

const balance = async (): Promise<number> => {
  await hone.quiet()
  const { json } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  return Math.round(Number(dig(json, 'balance_usd')) * 1e6)
}

for (const { wire, dialect, stream, model } of cases) {
  test(`${dialect} on ${wire}, ${stream ? 'streamed' : 'whole'}: the answer ends before the first blank stop, and costs what the server wrote`, async () => {
    const usage = { input_tokens: 7, output_tokens: 20, prompt_tokens: 7, completion_tokens: 20 }
    const text = ['Hello', ' wor\nld\n', '\nand', ' more']
    upstream.says[model] = unlessBlank(says({ text, usage }))
    const asked = async (): Promise<void> => {
      const before = await balance()
      const answer = await post(dialect, ['END', '\n\n', '\t'], { model, stream })
      assert.equal(answer.status, 200, answer.text)
      const end = dialect === 'chat' ? 'stop' : 'stop_sequence "\\n\\n"'
      assert.deepEqual(read(dialect, stream, answer), { said: 'Hello wor\nld', end, output: [20] })
      assert.equal(before - (await balance()), 7 + 2 * 20)
    }
    await asked()
    assert.deepEqual(stopsTold(model), [['END', '\n\n', '\t'], ['END']])
    await asked()
    assert.deepEqual(stopsTold(model).slice(2), [['END']], 'what a server refused is remembered')
    upstream.says[model] = unlessBlank(says({ text: ['Hi\n', 'there', '\n'], usage }))
    const other = await post(dialect, ['\n\n'], { model, stream })
    const end = dialect === 'chat' ? 'stop' : 'end_turn ""'
    assert.deepEqual(read(dialect, stream, other), { said: 'Hi\nthere\n', end, output: [20] })
    assert.deepEqual(stopsTold(model).at(-1), [])
  })
}

const five = ['A1', 'B2', 'C3', 'D4', 'E5']

for (const wire of wires) {
  for (const stream of [false, true]) {
    const how = `${wire}, ${stream ? 'streamed' : 'whole'}`
    test(`${how}: beyond four stops that a server does not take, the answer ends at the first`, async () => {
      const model = `${wire}-takes-four`
      upstream.says[model] = unlessMany(says({ text: ['Hello E', '5 and on'] }))
      const answer = await post('messages', five, { model, stream })
      assert.equal(answer.status, 200, answer.text)
      const { said, end } = read('messages', stream, answer)
      assert.deepEqual({ said, end }, { said: 'Hello ', end: 'stop_sequence "E5"' })
      assert.deepEqual(stopsTold(model).at(-1), five.slice(0, 4))
    })

    test(`${how}: where the catalog leaves stops out, the answer ends at the first`, async () => {
      const model = `${wire}-takes-none`
      upstream.says[model] = says({ text: ['Hello B', '2 and A1'] })
      const answer = await post('chat', ['A1', 'B2'], { model, stream })
      assert.equal(answer.status, 200, answer.text)
      const { said, end } = read('chat', stream, answer)
      assert.deepEqual({ said, end }, { said: 'Hello ', end: 'stop' })
      assert.deepEqual(stopsTold(model).at(-1), [])
    })
  }

  test(`${wire}: too many stops are asked for once, four always`, async () => {
    const model = `${wire}-takes-four`
    assert.equal(stopsTold(model).filter(({ length }) => length > 4).length, 1)
    const before = stopsTold(model).length
    await post('chat', five.slice(0, 4), { model })
    assert.deepEqual(stopsTold(model).slice(before), [five.slice(0, 4)])
  })
}

for (const wire of wires) {
  for (const stream of [false, true]) {
    test(`${wire}, ${stream ? 'streamed' : 'whole'}: a server that takes stops and writes on is cut all the same`, async () => {
      const model = `${wire}-takes-four`
      upstream.says[model] = says({ text: ['Hello B', '2 and A1'] })
      const answer = await post('messages', ['A1', 'B2'], { model, stream })
      const { said, end } = read('messages', stream, answer)
      assert.deepEqual({ said, end }, { said: 'Hello ', end: 'stop_sequence "B2"' })
      assert.deepEqual(stopsTold(model).at(-1), ['A1', 'B2'])
    })
  }
}

test('a server that refuses stops and what steers the answer is asked without both, and the answer names the latter', async () => {
  const model = 'openai-takes-four'
  const error = { message: "Unsupported parameter: 'verbosity'.", type: 'invalid_request_error' }
  const hello = unlessMany(says({ text: ['Hello'] }))
  upstream.says[model] = (exchange) => {
    if (exchange.call.body.verbosity === undefined) return hello(exchange)
    exchange.response.writeHead(400).end(JSON.stringify({ error }))
  }
  for (const stream of [false, true]) {
    const answer = await post('chat', five, { model, stream, verbosity: 'low' })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(read('chat', stream, answer).said, 'Hello')
    assert.equal(answer.headers.get('x-service-params-adjusted'), 'verbosity')
  }
})

test('a server that takes more than four stops is told all', async () => {
  upstream.says['takes-many'] = says({ text: ['Hello'], stopString: 'E5' })
  const answer = await post('messages', five, { model: 'takes-many' })
  assert.equal(dig(answer.json, 'stop_sequence'), 'E5')
  assert.deepEqual(stopsTold('takes-many'), [five])
})

test('a server that stops at white space is told to, and nothing is cut', async () => {
  upstream.says.takes = says({ text: ['Hello\n', 'world'], stopString: '\n\n' })
  const answer = await post('messages', ['\n\n'], { model: 'takes' })
  assert.equal(dig(answer.json, 'content.0.text'), 'Hello\nworld')
  assert.equal(dig(answer.json, 'stop_sequence'), '\n\n')
  assert.deepEqual(stopsTold('takes'), [['\n\n']])
})

test('calls of tools behind the stop are not made', async () => {
  const calls = [{ id: 'a', name: 'f', pieces: ['{}'] }]
  upstream.says.calls = unlessBlank(says({ text: ['One', '\n'], calls }))
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]
  for (const stream of [false, true]) {
    const answer = await post('messages', ['\n'], { model: 'calls', tools, stream })
    assert.doesNotMatch(answer.text, /tool_use/)
    assert.equal(read('messages', stream, answer).end, 'stop_sequence "\\n"')
  }
})

test('a server that fails behind the stop costs nothing', async () => {
  const records = wireRecords('anthropic', { text: ['One', '\n', 'two'] }).slice(0, -3)
  upstream.says.fails = unlessBlank(
    ({ response }) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(records.join('')),
  )
  const before = await balance()
  const answer = await post('messages', ['\n'], { model: 'fails', stream: true })
  assert.equal(readEvents(answer.text).at(-1)?.event, 'error')
  assert.equal(await balance(), before)
})

test('what is refused all the same is refused in its own words', async () => {
  const error = { type: 'invalid_request_error', message: 'tools.0: bad input_schema of a tool' }
  upstream.says['refuses-all'] = unlessBlank(
    ({ response }) => void response.writeHead(400).end(JSON.stringify({ type: 'error', error })),
  )
  const answer = await post('messages', ['\n'], { model: 'refuses-all' })
  assert.equal(answer.status, 400)
  assert.match(String(dig(answer.json, 'error.message')), /schema of a tool/)
})

const finish: StreamPart = { type: 'finish', reason: { kind: 'end' }, usage: noUsage }

async function cut(parts: StreamPart[], stops: string[]): Promise<StreamPart[]> {
  async function* groups(): AsyncGenerator<StreamPart[]> {
    for (const part of parts) yield await Promise.resolve([part])
  }
  const shown: StreamPart[] = []
  for await (const group of cutAtStops(groups(), stops)) shown.push(...group)
  return shown
}

test('however an answer is split, it is cut at the same place', async () => {
  const piece = fc.string({ unit: fc.constantFrom('a', ' ', '\n'), minLength: 1, maxLength: 4 })
  const stops = ['\n\n', ' \n ']
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const text = pieces.join('')
      const found = stops.map((stop) => text.indexOf(stop)).filter((index) => index !== -1)
      const parts = pieces.map((one): StreamPart => ({ type: 'text-delta', text: one }))
      const shown = await cut([...parts, finish], stops)
      const words = shown.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
      assert.equal(words, text.slice(0, Math.min(text.length, ...found)))
      const last = shown.at(-1)
      assert.equal(last?.type === 'finish' && last.reason.kind === 'stop-string', found.length > 0)
    }),
  )
})

test('what is held back comes before what follows it, and calls that were shown are waited for', async () => {
  const text = (words: string): StreamPart => ({ type: 'text-delta', text: words })
  const call: StreamPart[] = [
    { type: 'tool-call-start', index: 0, id: 'a', name: 'f' },
    { type: 'tool-call-end', index: 0 },
  ]
  const end: StreamPart = { ...finish, reason: { kind: 'tool-calls' } }
  assert.deepEqual(await cut([text('One\n'), ...call, text('\nTwo'), end], ['\n\n']), [
    text('One'),
    text('\n'),
    ...call,
    text('\nTwo'),
    end,
  ])
  const atLimit: StreamPart = { ...finish, reason: { kind: 'length' } }
  for (const last of [end, atLimit]) {
    assert.deepEqual(await cut([...call, text('One\n\nTwo'), last], ['\n\n']), [
      ...call,
      text('One'),
      end,
    ])
  }
})
