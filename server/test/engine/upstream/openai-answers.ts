// Answers of servers of the chat dialect, which put counts, reasons, thoughts and calls where they like. Whatever can be understood
// is; nothing is billed with a part of it lost.
import { type Fixture, type Fixtures, hello, type Said, type Told, usage } from './answers.ts'

/** An answer in one piece. */
export function whole(message: unknown, choice: object = {}, rest: object = { usage }): string {
  return JSON.stringify({
    choices: [{ index: 0, message, finish_reason: 'stop', ...choice }],
    ...rest,
  })
}

export function chunk(delta: unknown, choice: object = {}, rest: object = {}): object {
  return { choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...rest }
}

export const stop = chunk({}, { finish_reason: 'stop' }, { usage })

export function stream(...records: object[]): string {
  const data = [...records.map((record) => JSON.stringify(record)), '[DONE]']
  return data.map((one) => `data: ${one}\n\n`).join('')
}

/** One message in both forms; the counts and the reason are in the last chunk. */
function both(message: object, choice: object = {}, rest: object = { usage }) {
  const end = chunk({}, { finish_reason: 'stop', ...choice }, rest)
  return {
    wire: 'openai' as const,
    whole: whole(message, choice, rest),
    stream: stream(chunk(message), end),
  }
}

const wire = 'openai' as const

const counted: Fixtures = {
  'counts in usage': { ...both(hello), says: ['Hello'] },
  'counts in the choice (Moonshot)': { ...both(hello, { usage }, {}), says: ['Hello'] },
  'counts in x_groq': {
    ...both(hello, {}, { usage: null, x_groq: { id: 'r', usage } }),
    says: ['Hello'],
  },
  'counts in timings (llama.cpp)': {
    ...both(hello, {}, { timings: { prompt_n: 2, cache_n: 5, predicted_n: 3, predicted_ms: 1.5 } }),
    says: ['Hello'],
    counts: { inputTokens: 2, cacheReadTokens: 5 },
  },
  'counts in timings of an older llama.cpp': {
    ...both(hello, {}, { timings: { prompt_n: 7, predicted_n: 3 } }),
    says: ['Hello'],
  },
  'counts in usage and not in timings': {
    ...both(hello, {}, { usage, timings: { prompt_n: 1, predicted_n: 1 } }),
    says: ['Hello'],
  },
  'counts of which some were cached': {
    ...both(hello, {}, { usage: { ...usage, prompt_tokens_details: { cached_tokens: 4 } } }),
    says: ['Hello'],
    counts: { inputTokens: 3, cacheReadTokens: 4 },
  },
  'a total with thoughts that nobody else counts, of a model that thinks (Gemini)': {
    ...both(hello, {}, { usage: { ...usage, total_tokens: 60 } }),
    thinks: true,
    says: ['Hello'],
    counts: { outputTokens: 53, thinkingTokens: 50 },
  },
  'the same total of a model that does not think': {
    ...both(hello, {}, { usage: { ...usage, total_tokens: 60 } }),
    says: ['Hello'],
  },
}

/** Counts in every chunk are counted once, by the last of them. */
function growing(): Fixtures {
  const so = (completion_tokens: number): object => ({
    usage: { prompt_tokens: 7, completion_tokens, total_tokens: 7 + completion_tokens },
  })
  const end = (rest: object): object => chunk({}, { finish_reason: 'stop' }, rest)
  const odd: object[] = [{ usage: {} }, { usage: { prompt_tokens: 7 } }, { usage: null }]
  const firsts = [so(0), so(1), ...odd]
  const lasts = [
    [end(so(3))],
    [end({}), { choices: [], ...so(3) }],
    [end(so(3)), { choices: [], usage: null }],
    [end(so(3)), { choices: [], usage: {} }],
    [end(so(3)), { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }],
  ]
  return Object.fromEntries(
    firsts.flatMap((first) =>
      lasts.map((last): [string, Fixture] => [
        `counts in every chunk, from ${JSON.stringify(first)} to ${JSON.stringify(last)}`,
        {
          wire,
          stream: stream(chunk(hello, {}, first), chunk({ content: '!' }, {}, so(2)), ...last),
          says: ['Hello!'],
        },
      ]),
    ),
  )
}

const words: Record<string, Told['ends']> = {
  ...Object.fromEntries(
    ['stop', 'STOP', 'eos', 'end_turn', 'stop_sequence'].map((word) => [word, { kind: 'end' }]),
  ),
  // There is no call to wait for.
  ...Object.fromEntries(
    ['tool_calls', 'tool_use', 'function_call'].map((word) => [word, { kind: 'end' }]),
  ),
  ...Object.fromEntries(
    [
      ...['length', 'max_tokens', 'MAX_TOKENS', 'model_length'],
      'model_context_window_exceeded',
    ].map((word) => [word, { kind: 'length' }]),
  ),
  ...Object.fromEntries(
    ['content_filter', 'sensitive', 'SAFETY', 'content_filter: RECITATION'].map((word) => [
      word,
      { kind: 'refusal' },
    ]),
  ),
}

const reasons: Fixtures = {
  ...Object.fromEntries(
    Object.entries(words).map(([word, ends]): [string, Fixture] => [
      `the reason ${word}`,
      { ...both(hello, { finish_reason: word }), says: ['Hello'], ends: ends! },
    ]),
  ),
  ...Object.fromEntries(
    ['error', 'abort', 'cancelled', 'network_error', 'insufficient_system_resource'].map(
      (word): [string, Fixture] => [
        `an answer that its server gave up with ${word}`,
        {
          ...both(hello, { finish_reason: word }),
          fails: /^The model server failed while it was answering\.$/,
          said: ['Hello'],
        },
      ],
    ),
  ),
  ...Object.fromEntries(
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'].map(
      (word): [string, Fixture] => [
        `an answer that the model did not manage: ${word}`,
        {
          ...both({ role: 'assistant' }, { finish_reason: word }),
          fails: /^The model server failed while it was answering\.$/,
          answerOnly: true,
        },
      ],
    ),
  ),
  'no reason': { ...both(hello, { finish_reason: null }), fails: /in the middle/, said: ['Hello'] },
  'an empty reason with every chunk, and no other': {
    wire,
    stream: stream(
      ...['Hel', 'lo', '!'].map((content) => chunk({ content }, { finish_reason: '' }, { usage })),
    ),
    fails: /in the middle/,
    said: ['Hello!'],
  },
  'an empty reason with every chunk but the last': {
    wire,
    stream: stream(
      ...['Hel', 'lo', '!'].map((content) => chunk({ content }, { finish_reason: '' }, { usage })),
      stop,
    ),
    says: ['Hello!'],
  },
  'a reason in front of the call that it speaks of': {
    wire,
    stream: stream(
      chunk({}, { finish_reason: 'tool_calls' }),
      chunk({ tool_calls: [{ index: 0, ...toolCall('{}') }] }),
      { choices: [], usage },
    ),
    says: [{ call: 'f', input: '{}', id: 'a' }],
  },
  'no message': {
    wire,
    whole: JSON.stringify({ choices: [{ index: 0, finish_reason: 'stop' }], usage }),
    fails: /not a valid answer/,
  },
  'a message that is none': { wire, whole: whole(null), fails: /not a valid answer/ },
  'no JSON': { wire, whole: '{"choices": [{]}', fails: /not a valid answer/ },
  'a stream without its end mark': {
    wire,
    stream: stream(chunk(hello), stop).replace('data: [DONE]\n\n', ''),
    says: ['Hello'],
  },
  'a whole answer in one record of a stream': {
    wire,
    stream: stream(JSON.parse(whole(hello)) as object),
    says: ['Hello'],
  },
  'a whole answer behind its pieces': {
    wire,
    stream: stream(chunk(hello), JSON.parse(whole(hello)) as object),
    says: ['Hello'],
  },
}

function text(content: string): object {
  return { type: 'text', text: content }
}

const thoughts: Fixtures = Object.fromEntries(
  Object.entries({
    reasoning: { reasoning: 'Hm.' },
    'reasoning beside an empty reasoning_content': { reasoning_content: '', reasoning: 'Hm.' },
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
      content: [{ type: 'thinking', thinking: [text('Hm.')] }, text('Hello')],
    },
    'a part of the content that is a text': {
      content: [
        { type: 'thinking', thinking: 'Hm.', closed: true },
        text('Hel'),
        { type: 'reference', reference_ids: [1] },
        text('lo'),
      ],
    },
  }).map(([where, message]): [string, Fixture] => [
    `a thought in ${where}`,
    { ...both({ ...hello, ...message }), says: [{ thought: 'Hm.' }, 'Hello'] },
  ]),
)

const texts: Fixtures = {
  'thoughts between words': {
    wire,
    stream: stream(
      ...[{ reasoning: 'A' }, { content: 'b' }, { reasoning: 'C' }, { content: 'd' }].map((delta) =>
        chunk(delta),
      ),
      stop,
    ),
    says: [{ thought: 'A' }, 'b', { thought: 'C' }, 'd'],
  },
  'a refusal in a field of its own': {
    ...both({ role: 'assistant', content: null, refusal: 'I will not.' }),
    says: ['I will not.'],
  },
  // Alike but for what they refuse, so that a reader which knows the first might skip through the others.
  'a refusal in pieces, and beside words': {
    wire,
    stream: stream(
      ...['I', ' will', ' not.'].map((refusal) => chunk({ content: '', refusal })),
      ...['a', 'b', 'c'].map((content) => chunk({ content, refusal: '.' })),
      stop,
    ),
    says: ['I will not.a.b.c.'],
  },
  'a list with a part that nobody knows': {
    wire,
    whole: whole({ content: [{ type: 'audio', data: 'Hello' }] }),
    fails: /not a valid answer/,
  },
  'a list with a text that is none': {
    wire,
    whole: whole({ content: [{ type: 'text', text: 5 }] }),
    fails: /not a valid answer/,
  },
}

function toolCall(json: unknown, head: object = {}): object {
  return { id: 'a', type: 'function', ...head, function: { name: 'f', arguments: json, ...head } }
}

function calling(...calls: object[]): string {
  return whole({ role: 'assistant', content: null, tool_calls: calls })
}

/** A piece of a call. */
function fragment(index: number | undefined, json: string, head: object = {}): object {
  return chunk({ tool_calls: [{ index, ...head, function: { ...head, arguments: json } }] })
}

const named = (id: string, name: string, json: string, index: number | null = 0): object =>
  fragment(index ?? undefined, json, { id, name })

const begins = (index: number, json: string): object =>
  fragment(index, json, { id: `call_${index}`, name: `f${index}` })

const calls: Fixtures = {
  'arguments that come as an object': {
    wire,
    whole: calling(toolCall({ city: 'Oslo' })),
    stream: stream(chunk({ tool_calls: [{ index: 0, ...toolCall({ city: 'Oslo' }) }] }), stop),
    says: [{ call: 'f', input: '{"city":"Oslo"}', id: 'a' }],
  },
  'calls of a whole answer under one index': {
    wire,
    whole: calling(
      { ...toolCall('{}'), index: 0 },
      { ...toolCall('{}', { id: 'b', name: 'g' }), index: 0 },
    ),
    says: [
      { call: 'f', input: '{}', id: 'a' },
      { call: 'g', input: '{}', id: 'b' },
    ],
  },
  'a call in the older form, without a list': {
    wire,
    whole: whole({ content: null, function_call: { name: 'f', arguments: '{"a":1}' } }),
    stream: stream(
      ...[{ name: 'f', arguments: '' }, { arguments: '{"a"' }, { arguments: ':1}' }].map(
        (function_call) => chunk({ function_call }),
      ),
      stop,
    ),
    says: [{ call: 'f', input: '{"a":1}' }],
  },
  'calls without ids': {
    wire,
    whole: calling(...[undefined, '', null].map((id) => toolCall('{}', { id }))),
    says: Array<Said>(3).fill({ call: 'f', input: '{}' }),
  },
  'two calls of one id': {
    wire,
    whole: calling(toolCall('{}'), toolCall('{}', { name: 'g' })),
    stream: stream(named('a', 'f', '{}', 0), named('a', 'g', '{}', 1), stop),
    says: [
      { call: 'f', input: '{}', id: 'a' },
      { call: 'g', input: '{}' },
    ],
  },
  'arguments that are a number': {
    wire,
    whole: calling(toolCall(5)),
    fails: /not a valid answer/,
    said: [{ call: 'f', input: '' }],
  },
  'a second call without a name': {
    wire,
    whole: calling(toolCall('{}'), { id: 'b', function: { arguments: '{}' } }),
    fails: /without a name/,
    answerOnly: true,
    said: [{ call: 'f', input: '{}' }],
  },
  'a call with an empty name, which a caller can make a model write': {
    wire,
    whole: calling(toolCall('{}', { name: '' })),
    stream: stream(chunk({ tool_calls: [toolCall('{}', { name: '' })] }), stop),
    fails: /without a name/,
    answerOnly: true,
  },
  'a call that has no arguments': {
    wire,
    stream: stream(begins(0, ''), begins(1, '{"b":2}'), fragment(0, ''), stop),
    says: [
      { call: 'f0', input: '' },
      { call: 'f1', input: '{"b":2}' },
    ],
  },
  'more for a call that is whole and was followed by another': {
    wire,
    stream: stream(begins(0, '{"a":1}'), begins(1, '{}'), fragment(0, '2}'), stop),
    fails: /not a valid answer/,
    said: [
      { call: 'f0', input: '{"a":1}' },
      { call: 'f1', input: '{}' },
    ],
  },
}

const two: Said[] = [
  { call: 'f0', input: '{"a":1}' },
  { call: 'f1', input: '{"b":2}' },
]
const three: Said[] = [...two, { call: 'f2', input: '{}' }]

/** Fragments of several calls, and of what stands between them: nothing is lost. */
const fragments: Record<string, { records: object[]; says: Said[] }> = {
  'fragments of two calls by turns': {
    records: [
      begins(0, ''),
      begins(1, '{"b"'),
      fragment(0, '{"a":'),
      fragment(1, ':2}'),
      fragment(0, '1}'),
    ],
    says: two,
  },
  'a fragment of the first call behind the second': {
    records: [begins(0, '{"a":'), begins(1, '{"b":2}'), fragment(0, '1}'), begins(2, '{}')],
    says: three,
  },
  'white space for a call that is whole': {
    records: [begins(0, '{"a":1}'), begins(1, '{"b":'), fragment(0, '\n'), fragment(1, '2}')],
    says: two,
  },
  'two ids by turns under one index': {
    records: [
      named('a', 'f0', '{"a"'),
      named('b', 'f1', '{"b"'),
      fragment(0, ':1', { id: 'a' }),
      fragment(0, ':2', { id: 'b' }),
      fragment(0, '}', { id: 'a' }),
      fragment(0, '}', { id: 'b' }),
    ],
    says: two,
  },
  'two ids by turns under one index, each with its name every time': {
    records: [
      named('a', 'f0', '{"a"'),
      named('b', 'f1', '{"b"'),
      named('a', 'f0', ':1}'),
      named('b', 'f1', ':2}'),
      named('a', 'f0', ''),
    ],
    says: two,
  },
  'whole calls of two ids under one index': {
    records: [named('a', 'f0', '{"a":1}'), named('b', 'f1', '{"b":2}'), named('c', 'f2', '{}')],
    says: three,
  },
  'two ids by turns without an index': {
    records: [
      named('a', 'f0', '{"a":', null),
      named('b', 'f1', '{"b":', null),
      fragment(undefined, '1}', { id: 'a' }),
      named('b', 'f1', '2}', null),
    ],
    says: two,
  },
  'one id for two calls, each under an index of its own': {
    records: [named('a', 'f0', '{"a":', 0), named('a', 'f1', '{"b":2}', 1), fragment(0, '1}')],
    says: two,
  },
  'one id for two calls, each with its id every time': {
    records: [
      named('a', 'f0', '{"a":', 0),
      named('a', 'f1', '{"b":', 1),
      fragment(0, '1}', { id: 'a' }),
      fragment(1, '2}', { id: 'a' }),
    ],
    says: two,
  },
  'one id and one index for two calls': {
    records: [named('a', 'f0', '{"a":1}'), named('a', 'f0', '{"b":'), named('a', 'f0', '2}')],
    says: [
      { call: 'f0', input: '{"a":1}' },
      { call: 'f0', input: '{"b":2}' },
    ],
  },
  'calls that are said again once they are whole': {
    records: [
      named('a', 'f0', '{"a":'),
      fragment(0, '1}'),
      named('b', 'f1', '{"b":2}', 1),
      named('a', 'f0', '{"a":1}'),
      named('b', 'f1', '{"b":2}', 1),
    ],
    says: two,
  },
  'a call that is said again without an index': {
    records: [
      named('a', 'f0', '{"a":', null),
      named('a', 'f0', '1}', null),
      named('a', 'f0', '{"a":1}', null),
    ],
    says: two.slice(0, 1),
  },
  'an id made up for every fragment': {
    records: [
      named('a', 'f0', '{"a"'),
      fragment(0, ':1', { id: 'x' }),
      fragment(0, '}', { id: 'y', name: '' }),
      named('b', 'f1', '{"b":2', 1),
      fragment(1, '}', { id: 'z' }),
    ],
    says: two,
  },
  'words between the fragments of a call': {
    records: [
      chunk({ content: 'Well' }),
      chunk({ content: ', ' }),
      begins(0, '{"a":'),
      chunk({ content: 'oops' }),
      fragment(0, '1'),
      chunk({ content: '!' }),
      fragment(0, '}'),
    ],
    says: ['Well, ', ...two.slice(0, 1), 'oops!'],
  },
  'a thought between the fragments of a call': {
    records: [begins(0, '{"a":'), chunk({ reasoning: 'Hm' }), fragment(0, '1}')],
    says: [...two.slice(0, 1), { thought: 'Hm' }],
  },
}

const byTurns: Fixtures = Object.fromEntries(
  Object.entries(fragments).map(([what, { records, says }]): [string, Fixture] => [
    what,
    { wire, stream: stream(...records, stop), says },
  ]),
)

const long = 'maximum context length is 10 tokens'
const refused = { fails: /context window/, failure: 'refused' } as const
const overloaded = { fails: /overloaded/, failure: 'overloaded' } as const
const broken = { fails: /^The model server failed while it was answering\.$/ }

function errorAlone(error: object) {
  return { wire, whole: JSON.stringify({ error }), stream: stream({ error }) }
}

/** Gateways that have said 200 before they knew say in the answer what became of it. */
const errors: Fixtures = {
  'an error without a status': {
    wire,
    whole: JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'secret' } }),
    stream: stream({ type: 'error', error: { type: 'api_error', message: 'secret' } }),
    ...broken,
  },
  'a refusal told by its code': { ...errorAlone({ code: 400, message: long }), ...refused },
  'a refusal told by a code in letters': {
    ...errorAlone({ code: '400', message: long }),
    ...refused,
  },
  'a refusal told by a name of TGI': {
    ...errorAlone({ message: long, http_status_code: 422 }),
    ...refused,
  },
  'a refusal told by a name of Groq': {
    ...errorAlone({ message: long, status_code: 400 }),
    ...refused,
  },
  'a refusal told by its type alone': {
    ...errorAlone({ message: long, type: 'invalid_request_error', code: null }),
    ...refused,
  },
  'a refusal told by a code that is a word': {
    ...errorAlone({ message: 'Long.', code: 'CONTEXT_LENGTH_EXCEEDED' }),
    ...refused,
  },
  'a refusal behind the role alone': {
    wire,
    stream: stream(chunk({ role: 'assistant', content: '' }), {
      error: { code: 400, message: long },
    }),
    ...refused,
  },
  ...Object.fromEntries(
    [
      { code: 429 },
      { code: '429' },
      { code: 'rate_limit_exceeded', type: 'requests' },
      { code: null, type: 'rate_limit_error' },
      { type: 'RateLimitError' },
      { type: 'overloaded_error' },
      { code: 'Service Unavailable' },
    ].map((busy): [string, Fixture] => [
      `a server that is too busy and says so by ${JSON.stringify(busy)}`,
      { ...errorAlone({ message: 'Slow down.', ...busy }), ...overloaded },
    ]),
  ),
  'a refusal behind words': {
    wire,
    stream: stream(chunk(hello), { error: { code: 400, message: long } }),
    ...broken,
    said: ['Hello'],
  },
  'a refusal behind a thought': {
    wire,
    stream: stream(chunk({ reasoning: 'Hm.' }), { error: { code: 400, message: long } }),
    ...broken,
    said: [{ thought: 'Hm.' }],
  },
  'a refusal behind a call': {
    wire,
    stream: stream(begins(0, '{}'), { error: { code: 400, message: long } }),
    ...broken,
    said: [{ call: 'f0', input: '{}' }],
  },
}

export const openAiAnswers: Fixtures = {
  ...counted,
  ...growing(),
  ...reasons,
  ...thoughts,
  ...texts,
  ...calls,
  ...byTurns,
  ...errors,
}
