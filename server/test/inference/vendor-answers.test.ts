// Servers of the chat dialect put counts, reasons and thoughts where they like, and some answer in another form than they
// were asked for: each is understood, whole or streamed, and billed by what it says.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { RouteHealth } from '#server/inference/route-health.ts'
import { dialects, dig, paths, readEvents, textAt } from '#test/support/chaos-hone.ts'
import {
  json,
  type Saying,
  type SayingUpstream,
  sayingUpstream,
  stream,
} from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireRecords, wireWhole } from '#test/support/wire-answer.ts'

let upstream: SayingUpstream
let hone: TestHone

before(async () => {
  upstream = await sayingUpstream()
  const route = {
    base_url: upstream.baseUrl,
    pricing: { input: 10, output: 20, cache_read: 1 },
    probe: 'none',
  }
  const model = {
    context_window: 8192,
    max_output_tokens: 900,
    supports_tools: true,
    prompt_caching: { type: 'automatic' },
  }
  hone = await testHone({
    tasks: [],
    catalog: {
      models: [
        { id: 'openai', ...model, routes: [{ engine: 'openai-compatible', ...route }] },
        {
          id: 'thinks',
          ...model,
          reasoning: { efforts: ['high'], default: 'high' },
          routes: [{ engine: 'openai-compatible', ...route }],
        },
        {
          id: 'elsewhere',
          ...model,
          routes: [
            {
              engine: 'openai-compatible',
              ...route,
              base_url: `${upstream.baseUrl}/elsewhere/?version=1`,
              model: 'openai',
            },
          ],
        },
        { id: 'anthropic', ...model, routes: [{ engine: 'anthropic-compatible', ...route }] },
      ],
    },
  })
})
after(async () => {
  await hone.stop()
  await upstream.close()
})
beforeEach(() => {
  hone.app.answerPorts.health = new RouteHealth()
})

type Fields = { model?: string; stream?: boolean; [field: string]: unknown }

async function ask(saying: Saying, fields: Fields = {}, dialect: 'chat' | 'messages' = 'chat') {
  const model = fields.model ?? 'openai'
  upstream.says[model] = saying
  const before = await balance()
  const answer = await hone.call('POST', paths[dialect], {
    bearer: hone.owner.key,
    body: { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...fields },
  })
  await hone.quiet()
  return { answer, microdollars: Math.round((before - (await balance())) * 1e6) }
}

async function balance(): Promise<number> {
  const { json: wallet } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  return Number((wallet as { balance_usd?: string }).balance_usd)
}

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const hello = { role: 'assistant', content: 'Hello' }

function whole(message: unknown, choice: object = {}, rest: object = { usage }): object {
  return { choices: [{ index: 0, message, finish_reason: 'stop', ...choice }], ...rest }
}

function chunk(delta: unknown, choice: object = {}, rest: object = {}): object {
  return { choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...rest }
}

const stop = { finish_reason: 'stop' }

/** The counts of an answer, as a client of the chat dialect sees them. */
function counts({ json: answer, text }: Answer): unknown[] {
  const seen = text.startsWith('data:')
    ? readEvents(text).find(({ data }) => dig(data, 'usage') !== undefined)?.data
    : answer
  return [
    dig(seen, 'usage.prompt_tokens'),
    dig(seen, 'usage.completion_tokens'),
    dig(seen, 'usage.prompt_tokens_details.cached_tokens'),
    dig(seen, 'usage.completion_tokens_details.reasoning_tokens') ?? 0,
  ]
}

type Case = {
  /** At the top of the last chunk, or of the whole answer. */
  top?: object
  /** In its choice. */
  choice?: object
  model?: string
  /** Prompt, output, cached, thinking. */
  is: [number, number, number, number]
}
const plain = { prompt_tokens: 7, completion_tokens: 3 }
const places: Record<string, Case> = {
  'in usage': { top: { usage }, is: [7, 3, 0, 0] },
  'in usage beside nulls': {
    top: { usage: { ...usage, prompt_tokens_details: null, completion_tokens_details: null } },
    is: [7, 3, 0, 0],
  },
  'in usage with null details': {
    top: { usage: { ...usage, prompt_tokens_details: { cached_tokens: null } } },
    is: [7, 3, 0, 0],
  },
  'in the choice (Moonshot)': { choice: { usage }, is: [7, 3, 0, 0] },
  'in x_groq': { top: { usage: null, x_groq: { id: 'r', usage } }, is: [7, 3, 0, 0] },
  'in timings (llama.cpp)': {
    top: { timings: { prompt_n: 2, cache_n: 5, predicted_n: 3, predicted_ms: 1.5 } },
    is: [7, 3, 5, 0],
  },
  'in timings of an older llama.cpp': {
    top: { timings: { prompt_n: 7, predicted_n: 3 } },
    is: [7, 3, 0, 0],
  },
  'in usage and not in timings': {
    top: { usage, timings: { prompt_n: 1, predicted_n: 1 } },
    is: [7, 3, 0, 0],
  },
  'under the names of the other dialect': {
    top: { usage: { input_tokens: 7, output_tokens: 3 } },
    is: [7, 3, 0, 0],
  },
  'cached in details': {
    top: { usage: { ...plain, prompt_tokens_details: { cached_tokens: 4 } } },
    is: [7, 3, 4, 0],
  },
  'cached beside the others (Moonshot)': {
    top: { usage: { ...plain, cached_tokens: 4 } },
    is: [7, 3, 4, 0],
  },
  'cached as hits (DeepSeek)': {
    top: { usage: { ...plain, prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 3 } },
    is: [7, 3, 4, 0],
  },
  'more cached than there was': {
    top: { usage: { ...plain, cached_tokens: 40 } },
    is: [7, 3, 7, 0],
  },
  'thoughts in details': {
    top: { usage: { ...usage, completion_tokens_details: { reasoning_tokens: 2 } } },
    is: [7, 3, 0, 2],
  },
  'thoughts beside the others (SGLang)': {
    top: { usage: { ...usage, reasoning_tokens: 2 } },
    is: [7, 3, 0, 2],
  },
  'thoughts that only the total includes (xAI)': {
    top: {
      usage: {
        ...plain,
        total_tokens: 60,
        completion_tokens_details: { reasoning_tokens: 50 },
      },
    },
    is: [7, 53, 0, 50],
  },
  'thoughts in the total alone (Gemini)': {
    top: { usage: { ...plain, total_tokens: 60 } },
    model: 'thinks',
    is: [7, 53, 0, 50],
  },
  'thoughts in the total alone, beyond what was asked for': {
    top: { usage: { ...plain, total_tokens: 600 } },
    model: 'thinks',
    is: [7, 100, 0, 100],
  },
  'a total with what was cached, from a model that thinks': {
    top: { usage: { ...plain, cache_read_input_tokens: 4, total_tokens: 14 } },
    model: 'thinks',
    is: [7, 3, 4, 0],
  },
  'a total of more than there is, from a model that does not think': {
    top: { usage: { ...plain, total_tokens: 60 } },
    is: [7, 3, 0, 0],
  },
}
for (const [what, { top = {}, choice = {}, model = 'openai', is }] of Object.entries(places)) {
  test(`counts ${what} are found, and are the bill`, async () => {
    const [prompt, output, cached] = is
    const cost = (prompt - cached) * 10 + cached + output * 20
    const ways: [Saying, boolean][] = [
      [json(whole(hello, choice, top)), false],
      [stream([chunk(hello), chunk({}, { ...stop, ...choice }, top)]), true],
    ]
    for (const [saying, streams] of ways) {
      const { answer, microdollars } = await ask(saying, { stream: streams, model })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(counts(answer), is)
      assert.equal(microdollars, cost)
    }
  })
}

test('counts in every chunk are counted once, by the last of them', async () => {
  const so = (completion_tokens: number): object => ({
    usage: { prompt_tokens: 7, completion_tokens, total_tokens: 7 + completion_tokens },
  })
  const odd: object[] = [{ usage: {} }, { usage: { prompt_tokens: 7 } }, { usage: null }]
  for (const early of [so(0), so(1), ...odd]) {
    const records = [chunk(hello, {}, early), chunk({ content: '!' }, {}, so(2))]
    for (const end of [
      [chunk({}, stop, so(3))],
      [chunk({}, stop), { choices: [], ...so(3) }],
      [chunk({}, stop, so(3)), { choices: [], usage: null }],
      [chunk({}, stop, so(3)), { choices: [], usage: {} }],
      [chunk({}, stop, so(3)), { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }],
    ]) {
      const { answer, microdollars } = await ask(stream([...records, ...end]), { stream: true })
      assert.deepEqual(counts(answer), [7, 3, 0, 0], answer.text)
      assert.equal(microdollars, 130)
    }
  }
})

const ends: Record<string, string> = {
  eos: 'stop',
  stop_sequence: 'stop',
  end_turn: 'stop',
  STOP: 'stop',
  tool_use: 'stop',
  function_call: 'stop',
  max_tokens: 'length',
  MAX_TOKENS: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  SAFETY: 'content_filter',
  'content_filter: RECITATION': 'content_filter',
}
for (const [told, finish_reason] of Object.entries(ends)) {
  test(`an answer that ended in ${told} has ended in ${finish_reason}, whole or streamed`, async () => {
    const inOne = await ask(json(whole(hello, { finish_reason: told })))
    assert.equal(dig(inOne.answer.json, 'choices.0.finish_reason'), finish_reason)
    const records = [chunk(hello), chunk({}, { finish_reason: told }, { usage })]
    const streamed = await ask(stream(records), { stream: true })
    assert.match(streamed.answer.text, new RegExp(`"finish_reason":"${finish_reason}"`))
  })
}

for (const told of ['function_call_filter: MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']) {
  test(`${told}: an answer that the model did not manage is an error, costs nothing and says nothing of the route`, async () => {
    const empty = { role: 'assistant' }
    for (const dialect of dialects) {
      // More often than it takes a route to rest.
      for (let i = 0; i < 4; i++) {
        const inOne = await ask(json(whole(empty, { finish_reason: told })), {}, dialect)
        assert.deepEqual([inOne.answer.status, inOne.microdollars], [503, 0], inOne.answer.text)
      }
      const records = [chunk(hello), chunk({}, { finish_reason: told }, { usage })]
      const streamed = await ask(stream(records), { stream: true }, dialect)
      assert.match(streamed.answer.text, /The model server failed while it was answering/)
      assert.equal(streamed.microdollars, 0)
    }
    assert.equal((await ask(json(whole(hello)))).answer.status, 200)
  })
}

test('an empty reason is none: such a stream is cut where nothing else ends it, and costs nothing', async () => {
  const none = { finish_reason: '' }
  const words = ['Hel', 'lo', '!'].map((content) => chunk({ content }, none, { usage }))
  const cut = await ask(stream(words), { stream: true })
  assert.match(cut.answer.text, /"error":\{/)
  assert.equal(cut.microdollars, 0)
  const ended = await ask(stream([...words, chunk({}, stop, { usage })]), { stream: true })
  assert.equal(readWords(ended.answer), 'Hello!')
  assert.equal(ended.microdollars, 130)
})

test('a reason in front of the call that it speaks of is the reason of the answer', async () => {
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const records = [chunk({}, { finish_reason: 'tool_calls' }), chunk({ tool_calls: [call] })]
  const { answer } = await ask(stream([...records, { choices: [], usage }]), { stream: false })
  assert.equal(dig(answer.json, 'choices.0.finish_reason'), 'tool_calls')
})

function readWords({ text }: Answer): string {
  return readEvents(text)
    .map(({ data }) => textAt(data, 'choices.0.delta.content'))
    .join('')
}

function readThoughts({ text }: Answer): string {
  return readEvents(text)
    .map(({ data }) => textAt(data, 'choices.0.delta.reasoning_content'))
    .join('')
}

const thoughts: Record<string, object> = {
  reasoning: { reasoning: 'Hm.' },
  reasoning_content: { reasoning_content: 'Hm.', reasoning: null },
  'reasoning_details, in texts': {
    reasoning_details: [
      { type: 'reasoning.text', text: 'H', index: 0 },
      { type: 'reasoning.encrypted', data: 'abc' },
      { type: 'reasoning.summary', summary: 'm.' },
    ],
  },
  'both, of which one is enough': {
    reasoning: 'Hm.',
    reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }],
  },
  'a part of the content (Mistral)': {
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Hello' },
    ],
  },
  'a part of the content that is a text': {
    content: [
      { type: 'thinking', thinking: 'Hm.', closed: true },
      { type: 'text', text: 'Hel' },
      { type: 'reference', reference_ids: [1] },
      { type: 'text', text: 'lo' },
    ],
  },
}
for (const [where, message] of Object.entries(thoughts)) {
  test(`a thought in ${where} is found, whole or streamed`, async () => {
    const { answer } = await ask(json(whole({ ...hello, ...message })))
    assert.equal(dig(answer.json, 'choices.0.message.content'), 'Hello')
    assert.equal(dig(answer.json, 'choices.0.message.reasoning_content'), 'Hm.')
    const records = [chunk({ ...hello, ...message }), chunk({}, stop, { usage })]
    const streamed = await ask(stream(records), { stream: true })
    assert.equal(readWords(streamed.answer), 'Hello')
    assert.equal(readThoughts(streamed.answer), 'Hm.')
  })
}

test('a call in the older form, without a list, is a call', async () => {
  const { answer } = await ask(
    json(whole({ content: null, function_call: { name: 'f', arguments: '{"a":1}' } })),
  )
  const path = 'choices.0.message.tool_calls.0.function'
  assert.deepEqual(dig(answer.json, path), { name: 'f', arguments: '{"a":1}' })
  assert.equal(dig(answer.json, 'choices.0.finish_reason'), 'tool_calls')
  const deltas = [{ name: 'f', arguments: '' }, { arguments: '{"a"' }, { arguments: ':1}' }]
  const records = deltas.map((function_call) => chunk({ function_call }))
  const inPieces = await ask(stream([...records, chunk({}, stop, { usage })]))
  assert.deepEqual(dig(inPieces.answer.json, path), { name: 'f', arguments: '{"a":1}' })
})

const types = ['application/json', 'text/event-stream', 'text/plain; charset=utf-8']
for (const wire of ['openai', 'anthropic'] as const) {
  test(`${wire}: an answer in another form than was asked for is the same answer and the same bill`, async () => {
    const said = { text: ['Hello', ' world'] }
    const records = wireRecords(wire, said).join('')
    const text = wireWhole(wire, said)
    for (const type of types) {
      for (const body of [records, `\n: hold on\n\n${records}`, text, ` \n${text}\n`]) {
        const saying: Saying = ({ response }) =>
          void response.writeHead(200, { 'content-type': type }).end(body)
        for (const dialect of dialects) {
          const streamed = await ask(saying, { model: wire, stream: true }, dialect)
          assert.match(streamed.answer.text, /world"/, body)
          assert.match(streamed.answer.text, /\[DONE\]|message_stop/, body)
          const { answer, microdollars } = await ask(saying, { model: wire }, dialect)
          assert.match(answer.text, /"Hello world"/, body)
          assert.deepEqual([streamed.microdollars, microdollars], [130, 130])
        }
      }
    }
  })

  test(`${wire}: an error in JSON in place of a stream is an error before the first event`, async () => {
    const saying = json({ type: 'error', error: { type: 'api_error', message: 'secret' } })
    for (const dialect of dialects) {
      const { answer, microdollars } = await ask(saying, { model: wire, stream: true }, dialect)
      assert.equal(answer.status, 503)
      assert.doesNotMatch(answer.text, /secret/)
      assert.equal(microdollars, 0)
    }
  })
}

test('a whole answer in one record of a stream is an answer, and said behind its pieces it is not said twice', async () => {
  const inOne = await ask(stream([whole(hello)]), { stream: true })
  assert.equal(readWords(inOne.answer), 'Hello')
  assert.equal(inOne.microdollars, 130)
  const twice = await ask(stream([chunk(hello), whole(hello)]), { stream: true })
  assert.equal(readWords(twice.answer), 'Hello')
  assert.equal(twice.microdollars, 130)
})

test('what stands behind the path of an address stands behind the path of every call', async () => {
  upstream.says.openai = json(whole(hello))
  const { answer } = await ask(json(whole(hello)), { model: 'elsewhere' })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(upstream.calls.at(-1)?.path, '/v1/elsewhere/chat/completions?version=1')
})

const long = 'maximum context length is 10 tokens'

test('a status that a gateway says in its answer counts as one, unless there were words before it', async () => {
  const refused = { code: 400, message: long }
  for (const dialect of dialects) {
    hone.app.answerPorts.health = new RouteHealth()
    for (const streams of [true, false]) {
      // More often than it takes a route to rest: it is not the route's fault.
      for (let i = 0; i < 4; i++) {
        const { answer } = await ask(stream([{ error: refused }]), { stream: streams }, dialect)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.text, /context window/)
      }
    }
    for (const code of [429, '429']) {
      const { answer } = await ask(json({ error: { code, message: 'Rate limited' } }), {}, dialect)
      assert.equal(answer.status, 503)
      assert.match(answer.text, /overloaded/)
    }
    const worded = { ...refused, code: '400' }
    const { answer } = await ask(stream([{ error: worded }]), { stream: true }, dialect)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.text, /context window/)
    const late = await ask(stream([chunk(hello), { error: refused }]), { stream: true }, dialect)
    assert.match(late.answer.text, /The model server failed while it was answering/)
    assert.equal(late.microdollars, 0)
  }
})

const told: Record<string, object[]> = {
  'behind the role alone': [
    chunk({ role: 'assistant', content: '' }),
    { error: { code: 400, message: long } },
  ],
  'by a name of TGI': [{ error: { message: long, http_status_code: 422 } }],
  'by a name of Groq': [{ error: { message: long, status_code: 400 } }],
  'by its type alone': [{ error: { message: long, type: 'invalid_request_error', code: null } }],
  'by a code that is a word': [{ error: { message: 'Long.', code: 'CONTEXT_LENGTH_EXCEEDED' } }],
}
for (const [how, records] of Object.entries(told)) {
  test(`a refusal in a stream that is told ${how} is the caller's to mend`, async () => {
    for (const dialect of dialects) {
      for (const streams of [true, false]) {
        const { answer } = await ask(stream(records), { stream: streams }, dialect)
        assert.equal(answer.status, 400, answer.text)
        assert.match(answer.text, /context window/)
      }
    }
  })
}

for (const busy of [
  { code: 'rate_limit_exceeded', type: 'requests' },
  { code: null, type: 'rate_limit_error' },
  { type: 'RateLimitError' },
  { type: 'overloaded_error' },
  { code: 'Service Unavailable' },
]) {
  test(`a server that is too busy and says so by ${JSON.stringify(busy)} is overloaded`, async () => {
    for (const streams of [true, false]) {
      hone.app.answerPorts.health = new RouteHealth()
      const records = [{ error: { message: 'Slow down.', ...busy } }]
      const { answer, microdollars } = await ask(stream(records), { stream: streams })
      assert.equal(answer.status, 503, answer.text)
      assert.match(answer.text, /overloaded/)
      assert.equal(microdollars, 0)
    }
  })
}

test('an error behind a thought or a call is none of the request', async () => {
  const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  for (const delta of [{ reasoning: 'Hm.' }, { tool_calls: [call] }, { content: 'Hm.' }]) {
    const records = [chunk(delta), { error: { code: 400, message: long } }]
    const { answer, microdollars } = await ask(stream(records), { stream: true })
    assert.match(answer.text, /The model server failed while it was answering/)
    assert.equal(microdollars, 0)
  }
})

const signature = 'CiQB+/8=é"'
const signedCall = (index: number, signed: object): object => ({
  index,
  id: `function-call-${index}`,
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}' },
  ...signed,
})
/** As Gemini calls two tools at once: the first is signed. */
const signedCalls = [
  signedCall(0, { extra_content: { google: { thought_signature: signature } } }),
  signedCall(1, {}),
]

/** The turn of an answer and the results of its calls, as a client passes them back. */
const passedBack = {
  chat: ({ json: answer }: Answer): object[] => {
    const message = dig(answer, 'choices.0.message') as { tool_calls: { id: string }[] }
    const results = message.tool_calls.map(({ id }) => ({ tool_call_id: id, content: 'Yes' }))
    return [message, ...results.map((result) => ({ role: 'tool', ...result }))]
  },
  messages: ({ json: answer }: Answer): object[] => {
    const content = dig(answer, 'content') as { type: string; id?: string }[]
    const results = content.flatMap(({ type, id }) =>
      type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'Yes' }] : [],
    )
    return [
      { role: 'assistant', content },
      { role: 'user', content: results },
    ]
  },
}

for (const dialect of dialects) {
  test(`${dialect}: what a server signed comes back to it with the call, and to no other`, async () => {
    const message = { role: 'assistant', content: null, tool_calls: signedCalls }
    const records = [chunk({ tool_calls: signedCalls }), chunk({}, stop, { usage })]
    for (const saying of [json(whole(message)), stream(records)]) {
      const { answer } = await ask(saying, {}, dialect)
      const messages = [{ role: 'user', content: 'Hi' }, ...passedBack[dialect](answer)]
      const ids = ['function-call-0', 'function-call-1']
      for (const model of ['openai', 'elsewhere']) {
        upstream.says.openai = json(whole(hello))
        const next = await ask(json(whole(hello)), { model, messages }, dialect)
        assert.equal(next.answer.status, 200, next.answer.text)
        const sent = upstream.calls.at(-1)?.body.messages as object[]
        const calls = dig(sent[1], 'tool_calls') as { id: string; extra_content?: unknown }[]
        assert.deepEqual(
          calls.map(({ id }) => id),
          ids,
        )
        assert.deepEqual(
          sent.slice(2, 4).map((result) => dig(result, 'tool_call_id')),
          ids,
        )
        const signed = { google: { thought_signature: signature } }
        const expected = model === 'openai' ? [signed, undefined] : [undefined, undefined]
        assert.deepEqual(
          calls.map(({ extra_content }) => extra_content),
          expected,
        )
      }
      // The same ids again are known to be used, whatever travels in them.
      const again = await ask(saying, { messages }, dialect)
      assert.doesNotMatch(again.answer.text, /function-call/)
    }
  })
}
