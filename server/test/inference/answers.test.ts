// How an answer of a model server reaches a client, whole and streamed, and what it costs. What can be read of one is shown with the
// readers, of which a few answers are sent through the whole server here; the rest of this file is about what stands around them.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { noUsage } from '#server/core/usage.ts'
import { RouteHealth } from '#server/inference/route-health.ts'
import { anthropicAnswers } from '#test/engine/upstream/anthropic-answers.ts'
import type { Fixture, Said, Told } from '#test/engine/upstream/answers.ts'
import { chunk, openAiAnswers, stop, stream, whole } from '#test/engine/upstream/openai-answers.ts'
import { dialects, dig, paths, readEvents, textAt } from '#test/support/chaos-hone.ts'
import { type Saying, type SayingUpstream, sayingUpstream } from '#test/support/saying-upstream.ts'
import { type Answer, type TestHone, testHone } from '#test/support/test-hone.ts'
import { wireRecords, wireWhole } from '#test/support/wire-answer.ts'

let upstream: SayingUpstream
let hone: TestHone

before(async () => {
  upstream = await sayingUpstream()
  const route = {
    engine: 'openai-compatible',
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
  const elsewhere = { base_url: `${upstream.baseUrl}/elsewhere/?version=1`, model: 'openai' }
  const spare = { ...route, model: 'spare', weight: 0.000001 }
  hone = await testHone({
    tasks: [],
    catalog: {
      models: [
        { id: 'openai', ...model, routes: [route] },
        { id: 'elsewhere', ...model, routes: [{ ...route, ...elsewhere }] },
        { id: 'two', ...model, routes: [{ ...route, model: 'openai', weight: 1000 }, spare] },
        { id: 'anthropic', ...model, routes: [{ ...route, engine: 'anthropic-compatible' }] },
      ],
    },
  })
  upstream.says.spare = says(whole(hello), 'application/json')
})
after(async () => {
  await hone.stop()
  await upstream.close()
})
beforeEach(() => {
  hone.app.calls.answerPorts.health = new RouteHealth()
})

type Dialect = (typeof dialects)[number]
type Fields = { model?: string; stream?: boolean; [field: string]: unknown }

const hello = { role: 'assistant', content: 'Hello' }
const eventStream = 'text/event-stream'

function says(body: string, type: string): Saying {
  return ({ response }) => void response.writeHead(200, { 'content-type': type }).end(body)
}

function call(saying: Saying, fields: Fields = {}, dialect: Dialect = 'chat'): Promise<Answer> {
  const { model = 'openai' } = fields
  upstream.says[model === 'anthropic' ? model : 'openai'] = saying
  return hone.call('POST', paths[dialect], {
    bearer: hone.owner.key,
    body: { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...fields },
  })
}

/** The same, and what it cost. */
async function ask(...asked: Parameters<typeof call>) {
  const before = await balance()
  const answer = await call(...asked)
  return { answer, microdollars: await spentSince(before) }
}

async function spentSince(before: number): Promise<number> {
  await hone.quiet()
  return Math.round((before - (await balance())) * 1e6)
}

async function balance(): Promise<number> {
  const { json: wallet } = await hone.call('GET', '/api/wallet', { key: hone.owner.key })
  return Number((wallet as { balance_usd?: string }).balance_usd)
}

const json = (body: string): Saying => says(body, 'application/json')
const streamed = (...records: object[]): Saying => says(stream(...records), eventStream)

/** What a client was told, and by which words it ended. */
type Shown = { says: Said[]; ends: unknown; counts: unknown[] }

/** Words, thoughts and calls in the order in which they came, with neighbours put together. */
class Telling {
  readonly says: Said[] = []

  add(text: string, thought: string): void {
    const last = this.says.at(-1)
    if (text !== '') {
      if (typeof last === 'string') this.says.splice(-1, 1, last + text)
      else this.says.push(text)
    }
    if (thought === '') return
    if (typeof last === 'object' && 'thought' in last) last.thought += thought
    else this.says.push({ thought })
  }

  arguments(input: string): void {
    const last = this.says.findLast((said) => typeof said === 'object' && 'call' in said)
    if (typeof last === 'object' && 'call' in last) last.input += input
  }
}

const show: Record<Dialect, (answer: Answer, streams: boolean) => Shown> = {
  chat({ json: answer, text }, streams) {
    const telling = new Telling()
    const chunks = streams ? readEvents(text).map(({ data }) => data) : [answer]
    const [at, end] = [streams ? 'delta' : 'message', chunks.at(streams ? -2 : 0)]
    for (const data of chunks) {
      const said = dig(data, `choices.0.${at}`)
      telling.add('', textAt(said, 'reasoning_content'))
      telling.add(textAt(said, 'content'), '')
      for (const call of (dig(said, 'tool_calls') ?? []) as object[]) {
        const name = textAt(call, 'function.name')
        if (name !== '') telling.says.push({ call: name, input: '' })
        telling.arguments(textAt(call, 'function.arguments'))
      }
    }
    const usage = chunks.find((data) => dig(data, 'usage') !== undefined && dig(data, 'usage'))
    const ends = chunks.map((data) => textAt(data, 'choices.0.finish_reason')).join('')
    if (streams) assert.equal(chunks.at(-1), '[DONE]')
    assert.ok(end)
    const counts = ['prompt_tokens', 'completion_tokens', 'prompt_tokens_details.cached_tokens']
    return { says: telling.says, ends, counts: counts.map((name) => dig(usage, `usage.${name}`)) }
  },

  messages({ json: answer, text }, streams) {
    const telling = new Telling()
    const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens']
    const countsAt = (usage: unknown): unknown[] => {
      const [input, output, read] = names.map((name) => Number(dig(usage, name) ?? 0))
      return [input! + read!, output, read]
    }
    if (!streams) {
      for (const block of dig(answer, 'content') as Record<string, unknown>[]) {
        if (block.type === 'tool_use')
          telling.says.push({ call: String(block.name), input: JSON.stringify(block.input) })
        else if (block.type === 'thinking') telling.says.push({ thought: '' })
        else telling.says.push(String(block.text))
      }
      return {
        says: telling.says,
        ends: dig(answer, 'stop_reason'),
        counts: countsAt(dig(answer, 'usage')),
      }
    }
    const events = readEvents(text)
    assert.equal(events.at(-1)?.event, 'message_stop', text)
    for (const { data } of events) {
      const block = dig(data, 'content_block') as Record<string, unknown> | undefined
      if (block?.type === 'tool_use') telling.says.push({ call: String(block.name), input: '' })
      if (block?.type === 'thinking') telling.says.push({ thought: '' })
      telling.add(textAt(data, 'delta.text'), '')
      telling.arguments(textAt(data, 'delta.partial_json'))
    }
    const last = events.at(-2)?.data
    return {
      says: telling.says,
      ends: dig(last, 'delta.stop_reason'),
      counts: countsAt(dig(last, 'usage')),
    }
  },
}

const endWords: Record<Dialect, Record<string, string>> = {
  chat: {
    end: 'stop',
    'stop-string': 'stop',
    length: 'length',
    refusal: 'content_filter',
    'tool-calls': 'tool_calls',
  },
  messages: {
    end: 'end_turn',
    'stop-string': 'stop_sequence',
    length: 'max_tokens',
    refusal: 'refusal',
    'tool-calls': 'tool_use',
  },
}

/** As that dialect can tell it: the one tells no order where it tells all at once, and the other keeps thoughts to itself. */
function told({ says }: Told, dialect: Dialect, streams: boolean): Said[] {
  const isThought = (said: Said): boolean => typeof said === 'object' && 'thought' in said
  if (dialect === 'messages')
    return says.map((said) => (isThought(said) ? { thought: '' } : bare(said)))
  if (streams) return says.map(bare)
  const telling = new Telling()
  for (const said of says)
    if (typeof said === 'object' && 'thought' in said) telling.add('', said.thought)
  for (const said of says) if (typeof said === 'string') telling.add(said, '')
  return [
    ...telling.says,
    ...says.filter((said) => typeof said === 'object' && 'call' in said).map(bare),
  ]
}

function bare(said: Said): Said {
  return typeof said === 'object' && 'call' in said ? { call: said.call, input: said.input } : said
}

const few: Record<string, Fixture | undefined> = {}
for (const name of [
  'counts in the choice (Moonshot)',
  'counts of which some were cached',
  'the reason SAFETY',
  'a thought in reasoning_details, in texts',
  'thoughts between words',
  'arguments that come as an object',
  'fragments of two calls by turns',
  'words between the fragments of a call',
  'a whole answer in one record of a stream',
])
  few[name] = openAiAnswers[name]
for (const name of [
  'the end: end_turn',
  'the end: a stop text',
  'the end: max_tokens',
  'a whole input at the start of a call, and other arguments behind it',
  'words amid the arguments of a call',
  'more cached than the rest of the prompt, which is counted beside it',
])
  few[name] = anthropicAnswers[name]

for (const dialect of dialects) {
  for (const streams of [false, true]) {
    const title = `${dialect}, ${streams ? 'streamed' : 'whole'}`

    describe(`${title}: answers reach the client in the form it asked for, and are billed`, () => {
      for (const [what, fixture] of Object.entries(few)) {
        test(what, async () => {
          assert.ok(fixture && 'says' in fixture)
          const usage = { ...noUsage, inputTokens: 7, outputTokens: 3, ...fixture.counts }
          const { inputTokens, cacheReadTokens, outputTokens } = usage
          const calls = fixture.says.some((said) => typeof said === 'object' && 'call' in said)
          const { kind } = fixture.ends ?? { kind: calls ? 'tool-calls' : 'end' }
          // The form of an answer is told by its bytes, whatever was asked for and whatever type it is said to have.
          const sent: Saying[] = []
          if (fixture.stream !== undefined) {
            sent.push(says(`\n: hold on\n\n${fixture.stream}`, 'application/json'))
            sent.push(says(fixture.stream, eventStream))
          }
          if (fixture.whole !== undefined) sent.push(says(` \n${fixture.whole}\n`, eventStream))
          const before = await balance()
          for (const saying of sent) {
            const fields = { model: fixture.wire, stream: streams }
            const answer = await call(saying, fields, dialect)
            assert.equal(answer.status, 200, answer.text)
            assert.deepEqual(show[dialect](answer, streams), {
              says: told(fixture, dialect, streams),
              ends: endWords[dialect][kind],
              counts: [inputTokens + cacheReadTokens, outputTokens, cacheReadTokens],
            })
          }
          const cost = inputTokens * 10 + cacheReadTokens + outputTokens * 20
          assert.equal(await spentSince(before), cost * sent.length)
        })
      }
    })
  }

  test(`${dialect}: what fails before a word has a status of its own, and costs nothing`, async () => {
    const before = await balance()
    for (const [name, status, message] of [
      ['an error without a status', 503, /failed/],
      ['a refusal told by its code', 400, /context window/],
      ['a server that is too busy and says so by {"code":429}', 503, /overloaded/],
      ['no message', 503, /not a valid answer/],
    ] as const) {
      const fixture = openAiAnswers[name]
      assert.ok(fixture)
      const sent = [fixture.whole, fixture.stream].filter((body) => body !== undefined)
      for (const body of sent) {
        for (const stream of [false, true]) {
          hone.app.calls.answerPorts.health = new RouteHealth()
          const answer = await call(json(body), { stream }, dialect)
          assert.equal(answer.status, status, answer.text)
          assert.match(answer.text, message)
          assert.doesNotMatch(answer.text, /secret/)
        }
      }
    }
    assert.equal(await spentSince(before), 0)
  })

  test(`${dialect}: what fails behind its first words costs nothing, and a stream does not end as if it were whole`, async () => {
    const noCount = chunk({}, { finish_reason: 'stop' })
    const noSense = chunk({}, { finish_reason: 'stop' }, { usage: { prompt_tokens: '7' } })
    const before = await balance()
    for (const end of [chunk({}, { finish_reason: 'error' }), noCount, noSense]) {
      hone.app.calls.answerPorts.health = new RouteHealth()
      const saying = streamed(chunk(hello), end)
      const inStream = await call(saying, { stream: true }, dialect)
      assert.equal(inStream.status, 200)
      assert.match(inStream.text, /Hello/)
      assert.match(inStream.text, /"error":/)
      assert.doesNotMatch(inStream.text, /\[DONE\]|message_stop/)
      const atOnce = await call(saying, {}, dialect)
      assert.equal(atOnce.status, 502, atOnce.text)
    }
    assert.equal(await spentSince(before), 0)
  })

  test(`${dialect}: where an answer fails and there is another route, that one is asked and paid`, async () => {
    const counts = { usage: { prompt_tokens: 7, completion_tokens: 3.5 } }
    for (const said of [whole(null), whole(hello, {}, counts), whole(hello, {}, {})]) {
      const { answer, microdollars } = await ask(json(said), { model: 'two' }, dialect)
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.text, /Hello/)
      assert.equal(microdollars, 130)
    }
  })

  test(`${dialect}: what the request or the model is at fault for keeps nobody else from the route`, async () => {
    const nameless = { id: 'a', type: 'function', function: { name: '', arguments: '{}' } }
    const refused = { error: { code: 400, message: 'maximum context length is 10 tokens' } }
    // Each more often than it takes a route to rest.
    for (let i = 0; i < 4; i++) {
      for (const [saying, message] of [
        [json(whole({ tool_calls: [nameless] })), /without a name/],
        [streamed(chunk({ tool_calls: [nameless] })), /without a name/],
        [json(whole({}, { finish_reason: 'UNEXPECTED_TOOL_CALL' })), /failed/],
        [streamed(refused), /context window/],
      ] as const) {
        const answer = await call(saying, {}, dialect)
        assert.ok(answer.status >= 400)
        assert.match(answer.text, message)
      }
    }
    assert.equal((await call(json(whole(hello)), {}, dialect)).status, 200)
  })
}

test('a tool that is called with something else than an object fails in the messages dialect alone, unbilled', async () => {
  const calls = (json: string): object => ({
    tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: json } }],
  })
  const tools = [{ name: 'f', input_schema: {}, eager_input_streaming: true }]
  const [words = '', ...rest] = stream(chunk({ content: 'Now' }), chunk(calls('[1]')), stop).split(
    /(?<=\n\n)/,
  )
  // What came before has reached the client.
  const saying: Saying = ({ response }) => {
    response.writeHead(200, { 'content-type': eventStream }).write(words)
    setTimeout(() => response.end(rest.join('')), 20)
  }
  const atOnce = await ask(json(whole(calls('[1]'))), { tools }, 'messages')
  assert.deepEqual([atOnce.answer.status, atOnce.microdollars], [502, 0])
  assert.match(atOnce.answer.text, /"api_error".*arguments that are not a JSON object/)
  const { answer, microdollars } = await ask(saying, { tools, stream: true }, 'messages')
  assert.equal(readEvents(answer.text).at(-1)?.event, 'error')
  assert.doesNotMatch(answer.text, /message_delta|"content_block_stop","index":1/)
  assert.equal(microdollars, 0)
  const inChat = await ask(json(whole(calls('[1]'))))
  assert.equal(dig(inChat.answer.json, 'choices.0.message.tool_calls.0.function.arguments'), '[1]')
  assert.equal(inChat.microdollars, 130)
})

test('M7: more output than was asked for is shown and billed as what was asked for', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 8000 }
  const { answer, microdollars } = await ask(json(whole(hello, {}, { usage })))
  assert.equal(dig(answer.json, 'usage.completion_tokens'), 100)
  assert.equal(microdollars, 70 + 100 * 20)
})

test('what stands behind the path of an address stands behind the path of every call', async () => {
  const answer = await call(json(whole(hello)), { model: 'elsewhere' })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(upstream.calls.at(-1)?.path, '/v1/elsewhere/chat/completions?version=1')
})

// Spec 1, tools: where parallel calls are switched off a turn has one call at most, and where calls are switched off none, whatever
// the model server sends.
describe('calls that were not asked for', () => {
  const calls = [0, 1].map((at) => ({
    id: `call_${at}`,
    name: 'look',
    pieces: [`{"at":${at}}`],
  }))
  const tool = { name: 'look', description: 'Looks.' }
  const schema = { type: 'object' }

  function settings(dialect: Dialect, parallel: boolean): object {
    return dialect === 'chat'
      ? {
          tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
          parallel_tool_calls: parallel,
        }
      : {
          tools: [{ ...tool, input_schema: schema }],
          tool_choice: { type: 'auto', disable_parallel_tool_use: !parallel },
        }
  }

  for (const dialect of dialects) {
    for (const stream of [false, true]) {
      const saying = stream
        ? says(wireRecords('openai', { calls }).join(''), eventStream)
        : json(wireWhole('openai', { calls }))
      const title = `${dialect}, ${stream ? 'streamed' : 'whole'}`

      test(`${title}: one call where one was asked for, else both`, async () => {
        for (const parallel of [true, false]) {
          const answer = await call(saying, { stream, ...settings(dialect, parallel) }, dialect)
          assert.equal(answer.status, 200, answer.text)
          assert.match(answer.text, /call_0/)
          assert.equal(/call_1/.test(answer.text), parallel)
          assert.match(answer.text, /"tool_calls"|"tool_use"/)
        }
      })

      test(`${title}: no call where none was asked for, and nobody waits for its result`, async () => {
        const none = dialect === 'chat' ? 'none' : { type: 'none' }
        const fields = { stream, ...settings(dialect, true), tool_choice: none }
        const { status, text } = await call(saying, fields, dialect)
        assert.equal(status, 200, text)
        assert.doesNotMatch(text, /call_0|call_1|tool_calls":\[|tool_use/)
        const ended = dialect === 'chat' ? /"finish_reason":"stop"/ : /"stop_reason":"end_turn"/
        assert.match(text, ended)
      })
    }
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
    const records = [chunk({ tool_calls: signedCalls }), stop]
    for (const saying of [json(whole(message)), streamed(...records)]) {
      const answer = await call(saying, {}, dialect)
      const messages = [{ role: 'user', content: 'Hi' }, ...passedBack[dialect](answer)]
      const ids = ['function-call-0', 'function-call-1']
      for (const model of ['openai', 'elsewhere']) {
        const next = await call(json(whole(hello)), { model, messages }, dialect)
        assert.equal(next.status, 200, next.text)
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
      const again = await call(saying, { messages }, dialect)
      assert.equal(again.status, 200, again.text)
      assert.doesNotMatch(again.text, /function-call/)
    }
  })
}
