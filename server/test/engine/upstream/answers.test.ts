// Each fixture through the reader of its dialect: what it says, why it ended, what it counts, or how it fails. How an answer
// reaches a client and its bill is shown over HTTP, with a few of these.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StreamPart } from '#server/core/stream-part.ts'
import { ChunkReader } from '#server/engine/openai-compatible/read-chunks.ts'
import { type Wire, type WireAnswer, wireRecords, wireWhole } from '#test/support/wire-answer.ts'
import { anthropicAnswers } from './anthropic-answers.ts'
import {
  assertFailed,
  assertTold,
  type Fixtures,
  readerFor,
  readStream,
  readWhole,
} from './answers.ts'
import { openAiAnswers } from './openai-answers.ts'

function readAll(fixtures: Fixtures): void {
  for (const [what, fixture] of Object.entries(fixtures)) {
    const { stream, whole } = fixture
    const read = {
      ...(stream === undefined ? {} : { streamed: () => readStream(readerFor(fixture), stream) }),
      ...(whole === undefined ? {} : { whole: () => readWhole(readerFor(fixture), whole) }),
    }
    for (const [form, outcome] of Object.entries(read)) {
      test(`${what}, ${form}`, () => {
        if ('says' in fixture) return assertTold(outcome(), fixture)
        assertFailed(outcome(), form === 'whole' ? { ...fixture, said: [] } : fixture)
      })
    }
  }
}

describe('a server of the chat dialect', () => readAll(openAiAnswers))
describe('a server of the messages dialect', () => readAll(anthropicAnswers))

const names = {
  openai: { input: 'prompt_tokens', output: 'completion_tokens' },
  anthropic: { input: 'input_tokens', output: 'output_tokens' },
}
type Counts = (wire: Wire) => unknown

const counts =
  (input: unknown, output: unknown, more: Partial<Record<Wire, object>> = {}): Counts =>
  (wire) => ({ [names[wire].input]: input, [names[wire].output]: output, ...more[wire] })
const cached = (tokens: unknown): Partial<Record<Wire, object>> => ({
  openai: { prompt_tokens_details: { cached_tokens: tokens } },
  anthropic: { cache_read_input_tokens: tokens },
})
const thought = (tokens: unknown): Partial<Record<Wire, object>> => ({
  openai: { completion_tokens_details: { reasoning_tokens: tokens } },
  anthropic: { output_tokens_details: { thinking_tokens: tokens } },
})

const noSense: Record<string, Counts> = {
  'no usage': () => undefined,
  'null for a usage': () => null,
  'a list': () => [7, 3],
  'nothing in it': () => ({}),
  texts: counts('7', '3'),
  fractions: counts(7, 3.5),
  true: counts(true, true),
  'less than none': counts(7, -3),
  '1e308': counts(1e308, 1e308),
  'more than any window': counts(7, 100_000_001),
  'a null for the output': counts(7, null),
  'a null for the prompt': counts(null, 3),
  'no output': counts(7, undefined),
  'no prompt': counts(undefined, 3),
  'less than nothing cached': counts(7, 3, cached(-1)),
  'a text for what was cached': counts(7, 3, cached('1')),
  '1e308 cached': counts(7, 3, cached(1e308)),
  'a text for thoughts': counts(7, 3, thought('9')),
}

const scripted: Record<string, WireAnswer> = {
  words: { text: ['Hello', ' world'] },
  thoughts: { thinking: ['Let me', ' think.'], text: ['Hello'], thinkingField: 'reasoning' },
  'thoughts alone': { thinking: ['Hmm', ' hmm'], finish: 'length' },
  calls: {
    text: ['Looking.'],
    calls: [
      { id: 'a', name: 'f', pieces: ['{"ci', 'ty":"Oslo"}'] },
      { id: 'b', name: 'g', pieces: ['{"x":1}'] },
    ],
  },
  'a cut answer': { text: ['Hel'], finish: 'length' },
  'a filtered answer': { text: ['No'], finish: 'content_filter' },
  'a stop text': { text: ['Hello'], stopString: 'END' },
}

for (const wire of ['openai', 'anthropic'] as const) {
  const read = (answer: WireAnswer) => ({
    streamed: readStream(readerFor({ wire, says: [] }), wireRecords(wire, answer).join('')),
    whole: readWhole(readerFor({ wire, says: [] }), wireWhole(wire, answer)),
  })

  for (const [what, usage] of Object.entries(noSense)) {
    test(`${wire}: counts that make no sense are no bill: ${what}`, () => {
      for (const { error } of Object.values(read({ text: ['Hi'], usage: usage(wire) }))) {
        assert.match(error?.message ?? '', /invalid token count|did not report|in the middle/)
      }
    })
  }

  test(`${wire}: zeros are counts`, () => {
    for (const outcome of Object.values(read({ text: ['Hi'], usage: counts(0, 0)(wire) }))) {
      assertTold(outcome, { says: ['Hi'], counts: { inputTokens: 0, outputTokens: 0 } })
    }
  })

  for (const [what, answer] of Object.entries(scripted)) {
    test(`${wire}: ${what} are the same whole or streamed`, () => {
      const { streamed, whole } = read(answer)
      assert.equal(whole.error, null)
      // A whole answer has no size of its prompt before its end.
      assert.deepEqual({ ...streamed, prompt: null }, whole)
    })
  }
}

test('an id that a call of an earlier turn has is not given again', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
  const message = { role: 'assistant', tool_calls: [call('a'), call('b')] }
  const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: {} }
  const usage = { prompt_tokens: 7, completion_tokens: 3 }
  const reader = readerFor({ wire: 'openai', earlier: ['a'], says: [] })
  const { says } = readWhole(reader, JSON.stringify({ ...answer, usage }))
  const ids = says.map((said) => (typeof said === 'object' && 'id' in said ? said.id : ''))
  assert.match(ids[0] ?? '', /^call_\w+$/)
  assert.equal(ids[1], 'b')
})

test('the second call goes on as it comes once the first is whole', () => {
  const reader = new ChunkReader()
  const parts: StreamPart[] = []
  for (const call of [
    { index: 0, id: 'a', function: { name: 'f', arguments: '{"a":' } },
    { index: 0, function: { arguments: '1}' } },
    { index: 1, id: 'b', function: { name: 'g', arguments: '{"b"' } },
  ]) {
    const delta = { tool_calls: [call] }
    reader.record(JSON.stringify({ choices: [{ index: 0, delta }] }), parts)
  }
  assert.deepEqual(parts.at(-1), { type: 'tool-call-delta', index: 1, json: '{"b"' })
})
