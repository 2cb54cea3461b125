// Answers of servers of the messages dialect that are not quite as it says, and why they ended.
import type { StopReason } from '#server/core/stop-reason.ts'
import { event, type WireAnswer, wireRecords, wireWhole } from '#test/support/wire-answer.ts'
import type { Fixture, Fixtures, Told } from './answers.ts'

const wire = 'anthropic' as const

function both(answer: WireAnswer) {
  return {
    wire,
    whole: wireWhole(wire, answer),
    stream: wireRecords(wire, answer).join(''),
  }
}

const calls = [{ id: 'a', name: 'f', pieces: ['{}'] }]
const words: WireAnswer = { text: ['Hi'] }
const said = { says: ['Hi'] }
const call = { call: 'f', input: '{}' }
/** In one piece a call without arguments has an empty object, which says nothing. */
const called = { says: [{ ...call, id: 'a' }] }

const reasons: [what: string, answer: WireAnswer, says: Pick<Told, 'says'>, ends: StopReason][] = [
  ['end_turn', { ...words, finish: 'end_turn' }, said, { kind: 'end' }],
  ['pause_turn', { ...words, finish: 'pause_turn' }, said, { kind: 'end' }],
  ['max_tokens', { ...words, finish: 'max_tokens' }, said, { kind: 'length' }],
  [
    'a full window',
    { ...words, finish: 'model_context_window_exceeded' },
    said,
    { kind: 'length' },
  ],
  ['refusal', { ...words, finish: 'refusal' }, said, { kind: 'refusal' }],
  ['a stop text', { ...words, stopString: 'END' }, said, { kind: 'stop-string', text: 'END' }],
  ['tool_use without a call', { ...words, finish: 'tool_use' }, said, { kind: 'end' }],
  ['a word of its own', { ...words, finish: 'finished' }, said, { kind: 'end' }],
]
const callReasons: [what: string, finish: string, ends: StopReason][] = [
  ['max_tokens in a call', 'max_tokens', { kind: 'length' }],
  ['tool_use', 'tool_use', { kind: 'tool-calls' }],
  ['end_turn after a call', 'end_turn', { kind: 'tool-calls' }],
]

const ends: Fixtures = {
  ...Object.fromEntries(
    reasons.map(([what, answer, { says }, ends]): [string, Fixture] => [
      `the end: ${what}`,
      { ...both(answer), says, ends },
    ]),
  ),
  ...Object.fromEntries(
    callReasons.map(([what, finish, ends]): [string, Fixture] => [
      `the end: ${what}`,
      { wire, stream: wireRecords(wire, { calls, finish }).join(''), ...called, ends },
    ]),
  ),
  'a whole message with a call': {
    wire,
    whole: wireWhole(wire, { calls: [{ id: 'a', name: 'f', pieces: ['{"x":1}'] }] }),
    says: [{ call: 'f', input: '{"x":1}', id: 'a' }],
  },
}

const start = (index: number, content_block: object): string =>
  event('content_block_start', { index, content_block })
const use = (id: string, input: object): object => ({ type: 'tool_use', id, name: 'f', input })
const delta = (index: number, of: object): string =>
  event('content_block_delta', { index, delta: of })
const json = (index: number, partial_json: string): string =>
  delta(index, { type: 'input_json_delta', partial_json })
const stop = (index: number): string => event('content_block_stop', { index })

/** These records between the start and the end of an answer. */
function amid(...records: string[]) {
  const [first = '', ...rest] = wireRecords(wire, { finish: 'tool_calls' })
  return { wire, stream: [first, ...records, ...rest].join('') }
}

const blocks: Fixtures = {
  'a whole input at the start of a call': {
    ...amid(start(0, use('a', { x: 1 })), stop(0), start(1, use('b', {})), stop(1)),
    says: [
      { call: 'f', input: '{"x":1}', id: 'a' },
      { call: 'f', input: '', id: 'b' },
    ],
  },
  'a whole input at the start of a call, and other arguments behind it': {
    ...amid(start(0, use('a', { x: 1 })), json(0, ''), json(0, '{"y":'), json(0, '2}'), stop(0)),
    says: [{ call: 'f', input: '{"y":2}' }],
  },
  'a block that ends where the next begins, and does not say so': {
    ...amid(
      start(0, { type: 'text', text: 'Hm' }),
      start(1, use('a', {})),
      json(1, '{"x":1}'),
      start(2, use('b', { y: 2 })),
    ),
    says: ['Hm', { call: 'f', input: '{"x":1}' }, { call: 'f', input: '{"y":2}' }],
  },
  'words amid the arguments of a call': {
    ...amid(
      start(0, use('a', {})),
      json(0, '{"x":'),
      delta(0, { type: 'text_delta', text: 'So' }),
      delta(0, { type: 'text_delta', text: ' so' }),
      json(0, '1}'),
      stop(0),
    ),
    says: [{ call: 'f', input: '{"x":1}' }, 'So so'],
  },
  'deltas that say nothing': {
    ...amid(
      start(0, { type: 'thinking', thinking: '' }),
      delta(0, { type: 'thinking_delta', thinking: '' }),
      stop(0),
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: '' }),
      stop(1),
      start(2, use('a', {})),
      stop(2),
    ),
    says: [{ call: 'f', input: '' }],
  },
  'arguments for another block than the open one': {
    ...amid(start(0, use('a', {})), start(1, use('b', {})), json(0, '{"x":1}'), stop(0), stop(1)),
    fails: /not a valid answer/,
    said: [
      { call: 'f', input: '' },
      { call: 'f', input: '' },
    ],
  },
}

const begun = event('message_start', { message: { usage: { input_tokens: 7, output_tokens: 1 } } })
const hm = [start(0, { type: 'text', text: 'Hm' }), stop(0)]
const ended = (of: object, usage?: object): string =>
  event('message_delta', { delta: of, ...(usage ? { usage } : {}) })
const why = { stop_reason: 'max_tokens' }
const cut = { says: ['Hm'], ends: { kind: 'length' } as const }

function records(...texts: string[]) {
  return { wire, stream: texts.join('') }
}

const none = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
const prompts: [what: string, start: object, end: object, read: number, rest: number][] = [
  ['zeros at the end', { input_tokens: 7 }, { input_tokens: 0 }, 0, 7],
  ['zeros for all of it', { input_tokens: 2, cache_read_input_tokens: 5 }, none, 5, 2],
  ['a read told at the end', { input_tokens: 7 }, { ...none, cache_read_input_tokens: 7 }, 7, 0],
  ['less at the end', { input_tokens: 9 }, { input_tokens: 7 }, 0, 7],
  ['zeros at the start', none, { input_tokens: 7 }, 0, 7],
]

const cached = {
  input_tokens: 20,
  cache_read_input_tokens: 50,
  cache_creation_input_tokens: 100,
  cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 70 },
}
const cachedCounts = {
  inputTokens: 20,
  cacheReadTokens: 50,
  cacheWrite5mTokens: 30,
  cacheWrite1hTokens: 70,
}
const counting = (first: unknown, last: object) =>
  records(event('message_start', { message: { usage: first } }), ...hm, ended(why, last), 
    event('message_stop')) // prettier-ignore

const counts: Fixtures = {
  'a last count without a reason': {
    ...records(
      begun,
      ...hm,
      ended({ stop_reason: 'max_tokens' }, { output_tokens: 2 }),
      ended({}, { output_tokens: 3 }),
      ended({ stop_reason: null }, { output_tokens: 4 }),
      event('message_stop'),
    ),
    ...cut,
    counts: { outputTokens: 4 },
  },
  ...Object.fromEntries(
    prompts.map(([what, first, last, read, rest]): [string, Fixture] => [
      `a prompt that is counted with ${what}`,
      {
        ...records(
          event('message_start', { message: { usage: { ...first, output_tokens: 1 } } }),
          'event: ping\ndata: \n\n',
          ...hm,
          ended(why, { ...last, output_tokens: 3 }),
          event('message_stop'),
        ),
        ...cut,
        counts: { inputTokens: rest, cacheReadTokens: read },
      },
    ]),
  ),
  'a prompt that is counted at the start': {
    ...counting({ ...cached, output_tokens: 1 }, { output_tokens: 3 }),
    ...cut,
    counts: cachedCounts,
    prompt: cachedCounts,
  },
  'a prompt that the start counts otherwise than the end': {
    ...counting({ ...cached, output_tokens: 1 }, { ...cached, input_tokens: 30, output_tokens: 3 }),
    ...cut,
    counts: { ...cachedCounts, inputTokens: 30 },
    prompt: cachedCounts,
  },
  ...Object.fromEntries(
    Object.entries({
      none: undefined,
      'no object': 'seven',
      zeros: { input_tokens: 0, output_tokens: 0 },
      'less than none': { ...cached, input_tokens: -7 },
      'a text': { ...cached, input_tokens: '20' },
    }).map(([what, first]): [string, Fixture] => [
      `a start that counts ${what}`,
      {
        ...counting(first, { ...cached, output_tokens: 3 }),
        ...cut,
        counts: cachedCounts,
        prompt: null,
      },
    ]),
  ),
  'more cached than the rest of the prompt, which is counted beside it': {
    ...both({ ...words, usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 9 } }),
    ...said,
    counts: { cacheReadTokens: 9 },
  },
  'more thoughts than output': {
    ...both({
      ...words,
      usage: { input_tokens: 7, output_tokens: 3, output_tokens_details: { thinking_tokens: 99 } },
    }),
    ...said,
    counts: { thinkingTokens: 3 },
  },
}

const cutOff = { fails: /in the middle|did not report/, said: ['Hm'] }

const halves: Fixtures = {
  'a stream that says why it ended and what it counted, and no more': {
    ...records(begun, ...hm, ended(why, { output_tokens: 3 })),
    ...cut,
  },
  'a stream with the end mark of the other dialect': {
    ...records(begun, ...hm, ended(why, { output_tokens: 3 }), 'data: [DONE]\n\n'),
    ...cut,
  },
  ...Object.fromEntries(
    Object.entries({
      'the words': [begun, ...hm],
      'a reason without a count': [begun, ...hm, ended(why)],
      'the end mark of the other dialect alone': [begun, ...hm, 'data: [DONE]\n\n'],
      'a count without a reason': [begun, ...hm, ended({}, { output_tokens: 3 })],
      'a count of the prompt alone': [begun, ...hm, ended(why, { input_tokens: 7 })],
      'a start that alone counts': [begun, ...hm, ended(why), event('message_stop')],
      'counts of nothing': [
        begun,
        ...hm,
        ended(why, { output_tokens: null }),
        event('message_stop'),
      ],
      'no count of the prompt': [...hm, ended(why, { output_tokens: 3 })],
    }).map(([what, texts]): [string, Fixture] => [
      `a stream that ends behind ${what}`,
      { ...records(...texts), ...cutOff },
    ]),
  ),
}

const failed = (type: string, message = 'no'): string =>
  event('error', { error: { type, message } })
const tooLong = failed('invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum')
const overloaded = { fails: /overloaded/, failure: 'overloaded' } as const
const refused = { fails: /context window/, failure: 'refused' } as const
const broken = { fails: /^The model server failed while it was answering\.$/ }

const errors: Fixtures = {
  'an overload at the start of a stream': {
    ...records(failed('overloaded_error')),
    ...overloaded,
  },
  'a limit at the start of a stream': { ...records(failed('rate_limit_error')), ...overloaded },
  'an overload behind the count': { ...records(begun, failed('overloaded_error')), ...overloaded },
  'a refusal at the start of a stream': { ...records(begun, tooLong), ...refused },
  'a failure at the start of a stream': { ...records(begun, failed('api_error')), ...broken },
  'an overload behind words': {
    ...records(begun, ...hm, failed('overloaded_error')),
    ...broken,
    said: ['Hm'],
  },
  'a refusal behind words': { ...records(begun, ...hm, tooLong), ...broken, said: ['Hm'] },
  'an error in place of a message': {
    wire,
    whole: JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'secret' } }),
    ...broken,
  },
  'no JSON': { wire, whole: '{"content": [{]}', fails: /not a valid answer/ },
  'no content': { wire, whole: '{"type":"message"}', fails: /not a valid answer/ },
}

export const anthropicAnswers: Fixtures = { ...ends, ...blocks, ...counts, ...halves, ...errors }
