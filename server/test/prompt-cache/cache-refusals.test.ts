// Spec 1, the causes of caching 400s and the limits of breakpoints, over HTTP in both dialects: the words, the field that
// is named, and the other side of each limit.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type ChaosHone,
  chaosHone,
  type DialectName,
  dialects,
  dig,
  type Json,
  textAt,
} from '#test/support/chaos-hone.ts'
import { chaosRoute } from '#test/support/chaos-upstream.ts'

let rig: ChaosHone

before(async () => {
  rig = await chaosHone((upstream) => [
    { id: 'caches', prompt_caching: { type: 'explicit', min_tokens: 64 } },
    {
      id: 'writes',
      prompt_caching: { type: 'automatic', min_tokens: 1024, bills_writes: true },
      routes: [chaosRoute(upstream, 'openai', 'scripted')],
    },
  ])
})
after(() => rig.stop())

const mark = (of: object = {}): Json => ({ cache_control: { type: 'ephemeral', ...of } })
const text = (more: Json = {}): Json => ({ type: 'text', text: 'x', ...more })
const user = (...parts: Json[]): Json => ({ role: 'user', content: parts })

function tool(dialect: DialectName, more: Json, name = 'a'): Json {
  return dialect === 'chat'
    ? { type: 'function', function: { name }, ...more }
    : { name, input_schema: {}, ...more }
}

/** A system prompt of one marked block, which one dialect has among its messages. */
function system(dialect: DialectName, more: Json): Json {
  return dialect === 'chat'
    ? { messages: [{ role: 'system', content: [text(more)] }, user(text())] }
    : { system: [text(more)] }
}

/** So many marked parts. */
const marks = (count: number, more: Json = {}): Json => ({
  messages: [user(...Array.from({ length: count }, () => text(mark())))],
  ...more,
})

type Row = [what: string, fields: (dialect: DialectName) => Json, param: string, message: RegExp]

const bad = [
  ['type', { type: 'persistent' }, /cache_control\.type not supported/],
  ['ttl', { ttl: '10m' }, /cache_control\.ttl not supported/],
] as const

const rows: Row[] = [
  ...bad.flatMap(([what, of, message]): Row[] => [
    [`${what} at the top`, () => mark(of), 'cache_control', message],
    [`${what} on a tool`, (dialect) => ({ tools: [tool(dialect, mark(of))] }), 'tools', message],
    [`${what} on a part`, () => ({ messages: [user(text(mark(of)))] }), 'messages', message],
    [`${what} on the system prompt`, (dialect) => system(dialect, mark(of)), 'system', message],
  ]),
  ['five breakpoints', () => marks(5), 'messages', /at most 4/],
  [
    'four and the automatic one',
    () => marks(4, mark()),
    'cache_control',
    /automatic caching needs a free breakpoint/,
  ],
  [
    'a fifth on the system prompt',
    (dialect) => ({
      ...system(dialect, mark()),
      tools: ['a', 'b', 'c', 'd'].map((name) => tool(dialect, mark(), name)),
    }),
    'system',
    /at most 4/,
  ],
  [
    '5m on a tool before 1h on the system prompt',
    (dialect) => ({
      ...system(dialect, mark({ ttl: '1h' })),
      tools: [tool(dialect, mark())],
    }),
    'system',
    /must come before/,
  ],
  [
    '5m before 1h',
    () => ({ messages: [user(text(mark()), text(mark({ ttl: '1h' })))] }),
    'messages',
    /must come before/,
  ],
]

for (const dialect of dialects) {
  for (const [what, fields, param, message] of rows) {
    test(`${dialect}: ${what} is 400 and names ${param}`, async () => {
      for (const model of ['caches', 'ok']) {
        const answer = await rig.post(dialect, { model, ...fields(dialect) })
        assert.equal(answer.status, 400, answer.text)
        // One dialect has the system prompt among its messages.
        const named = dialect === 'chat' && param === 'system' ? 'messages' : param
        assert.equal(dig(answer.json, 'error.param'), named)
        assert.match(textAt(answer.json, 'error.message'), message)
      }
    })
  }

  const fine: [what: string, fields: Json][] = [
    ['four breakpoints', marks(4)],
    ['three and the automatic one', marks(3, mark())],
    ['1h before 5m', { messages: [user(text(mark({ ttl: '1h' })), text(mark({ ttl: '5m' })))] }],
    ['a breakpoint on a tool', { tools: [tool(dialect, mark())] }],
    ['a breakpoint on the system prompt', system(dialect, mark())],
  ]
  for (const [what, fields] of fine) {
    test(`${dialect}: ${what} is served, and said to be honoured or ignored`, async () => {
      for (const [model, marker] of [
        ['caches', 'honoured'],
        ['ok', 'ignored'],
      ]) {
        const answer = await rig.post(dialect, { model, ...fields })
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.headers.get('x-service-cache-marker'), marker)
      }
    })
  }

  test(`${dialect}: both sides of the 1,024 tokens from which a write is billed`, async () => {
    for (const [tokens, written] of [
      [1023, 0],
      [1024, 1024],
    ]) {
      rig.upstream.script = {
        text: ['Yes'],
        usage: { prompt_tokens: tokens, completion_tokens: 1 },
      }
      const content = `${dialect} ${tokens} ${'word '.repeat(1100)}`
      const answer = await rig.post(dialect, {
        model: 'writes',
        messages: [{ role: 'user', content }],
      })
      assert.equal(answer.status, 200, answer.text)
      const path =
        dialect === 'chat'
          ? 'usage.prompt_tokens_details.cache_write_5m_tokens'
          : 'usage.cache_creation_input_tokens'
      assert.equal(dig(answer.json, path) ?? 0, written)
    }
  })
}

test('messages: a breakpoint on a thinking block is 400, on the text behind it is not', async () => {
  const turns = (thinking: Json, after: Json): Json => ({
    model: 'caches',
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'hm', signature: '', ...thinking }, text(after)],
      },
      { role: 'user', content: 'And?' },
    ],
  })
  const refused = await rig.post('messages', turns(mark(), {}))
  assert.equal(refused.status, 400)
  assert.equal(dig(refused.json, 'error.param'), 'messages')
  assert.match(textAt(refused.json, 'error.message'), /cache_control marker on a thinking block/)
  assert.equal((await rig.post('messages', turns({}, mark()))).status, 200)
})
