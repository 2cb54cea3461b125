// Every shape a row may have, and what it becomes; every row that is refused, and why. Spec 2, import row shapes.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { correctionCharactersMax, sampleBytesMax } from '#contract/limits.ts'
import type { Block } from '#server/core/block.ts'
import { grouped } from '#server/lib/grouped.ts'
import { imported, storedRows, type StoredRow } from '#test/support/imports.ts'
import { type TestHone, testHone } from '#test/support/test-hone.ts'

let hone: TestHone
before(async () => {
  hone = await testHone()
})
after(() => hone.stop())

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const system = (content: string) => ({ role: 'system', content })
const says = (text: string): Block[] => [{ type: 'text', text }]

async function importOne(row: unknown, settings: object = {}): Promise<StoredRow> {
  const result = await imported(hone, { rows: [row], ...settings })
  assert.equal(result.imported, 1, JSON.stringify(result.refused_why))
  assert.equal(result.refused, 0)
  const [stored] = await storedRows(hone, result.import_id)
  assert.ok(stored)
  assert.deepEqual(result.trace_ids, [stored.id])
  assert.equal(result.by_shape[stored.shape as keyof typeof result.by_shape], 1)
  assert.equal(result.reviewed, stored.verdict === null ? 0 : 1)
  assert.equal(result.needs_review, stored.verdict === null ? 1 : 0)
  assert.equal(stored.origin, 'imported')
  return stored
}

type Expected = {
  shape: string
  question: unknown
  answer: Block[] | null
  verdict: string | null
  correction?: string
}

const question = [{ role: 'user', blocks: says('2 + 2?') }]

const shapes: [name: string, row: object, expected: Expected][] = [
  [
    'messages',
    { messages: [user('2 + 2?'), assistant('4')] },
    { shape: 'messages', question, answer: says('4'), verdict: null },
  ],
  [
    'prompt and completion',
    { prompt: '2 + 2?', completion: '4' },
    { shape: 'completion', question, answer: says('4'), verdict: null },
  ],
  [
    'messages that end with an empty answer',
    { messages: [user('2 + 2?'), assistant('')] },
    { shape: 'messages', question, answer: says(''), verdict: null },
  ],
  [
    'an empty completion',
    { prompt: '2 + 2?', completion: '' },
    { shape: 'completion', question, answer: says(''), verdict: null },
  ],
  [
    'an empty answer that was rejected',
    { prompt: '2 + 2?', chosen: '4', rejected: '' },
    { shape: 'preference', question, answer: says(''), verdict: 'edited', correction: '4' },
  ],
  [
    'messages with label true',
    { messages: [user('2 + 2?'), assistant('4')], label: true },
    { shape: 'label', question, answer: says('4'), verdict: 'accepted' },
  ],
  [
    'prompt, completion and label false',
    { prompt: '2 + 2?', completion: '5', label: false },
    { shape: 'label', question, answer: says('5'), verdict: 'rejected' },
  ],
  [
    'prompt, completion and correction',
    { prompt: '2 + 2?', completion: '5', correction: '4' },
    { shape: 'correction', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'a correction of what a label calls bad',
    { prompt: '2 + 2?', completion: '5', correction: '4', label: false },
    { shape: 'correction', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'ground truth beside a completion',
    { prompt: '2 + 2?', completion: '5', ground_truth: '4' },
    { shape: 'correction', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'messages and a correction',
    { messages: [user('2 + 2?'), assistant('5')], correction: '4' },
    { shape: 'correction', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'messages with an answer and ground truth',
    { messages: [user('2 + 2?'), assistant('5')], ground_truth: '4' },
    { shape: 'correction', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'prompt, chosen and rejected',
    { prompt: '2 + 2?', chosen: '4', rejected: '5' },
    { shape: 'preference', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'chosen and rejected as messages that repeat the prompt',
    {
      prompt: '2 + 2?',
      chosen: [user('2 + 2?'), assistant('4')],
      rejected: [user('2 + 2?'), assistant('5')],
    },
    { shape: 'preference', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'chosen and rejected as one message each',
    { prompt: [user('2 + 2?')], chosen: assistant('4'), rejected: assistant('5') },
    { shape: 'preference', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'chosen and rejected as messages that repeat the system prompt as well',
    {
      prompt: [system('Count.'), user('2 + 2?')],
      chosen: [system('Count.'), user('2 + 2?'), assistant('4')],
      rejected: [system('Count.'), user('2 + 2?'), assistant('5')],
    },
    { shape: 'preference', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'a chosen message with thoughts, which are not what is right',
    {
      prompt: '2 + 2?',
      chosen: { ...assistant('4'), reasoning_content: 'Two and two.' },
      rejected: '5',
    },
    { shape: 'preference', question, answer: says('5'), verdict: 'edited', correction: '4' },
  ],
  [
    'prompt and ground truth',
    { prompt: '2 + 2?', ground_truth: '4' },
    { shape: 'ground_truth', question, answer: null, verdict: 'edited', correction: '4' },
  ],
  ['prompt only', { prompt: '2 + 2?' }, { shape: 'prompt', question, answer: null, verdict: null }],
  [
    'messages that nobody has answered',
    { messages: [user('2 + 2?')] },
    { shape: 'prompt', question, answer: null, verdict: null },
  ],
  [
    'prompt and completion as lists of messages',
    { prompt: [user('2 + 2?')], completion: [assistant('4')] },
    { shape: 'completion', question, answer: says('4'), verdict: null },
  ],
  [
    'a completion as messages, which has no system prompt of its own',
    { prompt: [system('Count.'), user('2 + 2?')], completion: [assistant('4')] },
    { shape: 'completion', question, answer: says('4'), verdict: null },
  ],
  [
    'fields that data sets carry beside',
    { prompt: '2 + 2?', completion: '4', id: 7, source: 'x', text: 'y', correction: null },
    { shape: 'completion', question, answer: says('4'), verdict: null },
  ],
]

describe('a row of', () => {
  for (const [name, row, expected] of shapes) {
    test(name, async () => {
      const stored = await importOne(row)
      assert.equal(stored.shape, expected.shape)
      assert.deepEqual(stored.conversation.messages, expected.question)
      assert.deepEqual(stored.conversation.answer, expected.answer)
      assert.equal(stored.answered, expected.answer !== null)
      assert.equal(stored.verdict, expected.verdict)
      assert.equal(stored.verdict_by, expected.verdict === null ? null : 'import')
      assert.equal(stored.signals.length, expected.verdict === null ? 0 : 1)
      const [signal] = stored.signals
      if (!signal) return
      assert.equal(signal.verdict, expected.verdict)
      assert.equal(signal.correction, expected.correction ?? null)
      assert.equal(signal.given_by, 'import')
      assert.equal(signal.gold, true)
      assert.ok(signal.user_id && signal.key_id)
    })
  }

  test('messages keeps every turn, with tools, calls and results', async () => {
    const call = {
      id: 'call-1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Rome"}' },
    }
    const weather = { name: 'weather', description: 'Tells it', parameters: { type: 'object' } }
    const stored = await importOne({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: 'Use Celsius.' },
        user('Rome?'),
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call-1', content: '21' },
        { role: 'system', content: 'Hurry.' },
        user('Well?'),
        assistant('21 degrees.'),
      ],
      tools: [{ type: 'function', function: weather }],
    })
    assert.deepEqual(stored.conversation, {
      tools: [weather],
      system: [...says('Be brief.'), { type: 'text', text: 'Use Celsius.', developer: true }],
      messages: [
        { role: 'user', blocks: says('Rome?') },
        {
          role: 'assistant',
          blocks: [
            { type: 'tool-call', id: 'call-1', name: 'weather', arguments: '{"city":"Rome"}' },
          ],
        },
        {
          role: 'user',
          blocks: [
            { type: 'tool-result', toolCallId: 'call-1', content: says('21'), isError: false },
          ],
        },
        { role: 'system', blocks: says('Hurry.') },
        { role: 'user', blocks: says('Well?') },
      ],
      answer: says('21 degrees.'),
    })
    assert.match(stored.search_text, /rome\?\n.*weather.*21 degrees\./s)
    const found = await hone.call('GET', '/api/loop/traces?q=21%20DEGREES', { key: hone.owner.key })
    const { traces } = found.json as unknown as { traces: { id: string }[] }
    assert.deepEqual(
      traces.map(({ id }) => id),
      [stored.id],
    )
  })

  test('messages read back from a sample keeps the pictures that tools returned', async () => {
    const call = { id: 'call-1', type: 'function', function: { name: 'look', arguments: '{}' } }
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const messages = [
      user('What is on the screen?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      {
        role: 'tool',
        tool_call_id: 'call-1',
        content: [
          { type: 'text', text: 'The screen:' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      assistant('A cat.'),
    ]
    const first = await importOne({ messages })
    const read = await hone.call('GET', `/api/loop/traces/${first.id}`, { key: hone.owner.key })
    const { trace } = read.json as unknown as { trace: { messages: object[]; answer: object } }
    const again = await importOne({ messages: [...trace.messages, trace.answer] })
    assert.deepEqual(again.conversation, first.conversation)
    assert.ok(JSON.stringify(again.conversation).includes('iVBORw0KGgo='))
  })

  test('a completion that works with tools ends with its last turn as the answer', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const { conversation } = await importOne({
      prompt: 'Do it',
      completion: [
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: 'done' },
        assistant('It is done.'),
      ],
    })
    assert.equal(conversation.messages.length, 3)
    assert.deepEqual(conversation.answer, says('It is done.'))
  })

  test('any characters are stored as they were written', async () => {
    const odd = [
      '"',
      '\\',
      '{a,"b"}',
      'NULL',
      "'; drop table sample; --",
      'a\nb\tc',
      '𝒳 ä',
      '\\"\\',
    ]
    for (const text of odd) {
      const row = { prompt: text, completion: text, correction: text }
      const stored = await importOne(row, { source: text })
      assert.equal(stored.source, text)
      assert.equal(stored.signals[0]?.correction, text)
      assert.deepEqual(stored.conversation.answer, says(text))
    }
    const nul = await importOne({ prompt: 'a\0b\ud800', completion: 'c' })
    assert.deepEqual(nul.conversation.messages[0]?.blocks, says('a\0b\ud800'))
  })

  test('is kept for 365 days', async () => {
    const stored = await importOne({ prompt: 'a' })
    const days = (stored.expires_at.getTime() - stored.created_at.getTime()) / 86_400_000
    assert.equal(days, 365)
  })

  test('is redacted before it is stored, the correction and the arguments of calls too', async () => {
    const mail = 'bob.builder@example.com'
    const call = {
      id: 'c',
      type: 'function',
      function: { name: 'send', arguments: JSON.stringify({ to: mail }) },
    }
    const stored = await importOne({
      messages: [user(`Write to ${mail}`), { role: 'assistant', tool_calls: [call] }],
      correction: `Ask ${mail} first`,
    })
    assert.ok(!JSON.stringify(stored).includes(mail), JSON.stringify(stored))
    assert.match(stored.signals[0]?.correction ?? '', /^Ask \[redacted:email\] first$/)
    assert.match(stored.search_text, /redacted:email/)
  })
})

describe('default_feedback', () => {
  for (const word of ['good', 'accepted']) {
    test(`${word} counts answered rows without feedback as good, and no others`, async () => {
      const rows = [
        { messages: [user('a'), assistant('b')] },
        { prompt: 'a', completion: 'b' },
        { prompt: 'a', completion: 'b', label: false },
        { prompt: 'a', completion: 'b', correction: 'c' },
        { prompt: 'a', chosen: 'b', rejected: 'c' },
        { prompt: 'a', ground_truth: 'b' },
        { prompt: 'a' },
      ]
      const result = await imported(hone, { rows, default_feedback: word })
      assert.equal(result.reviewed, 6)
      assert.equal(result.needs_review, 1)
      const stored = await storedRows(hone, result.import_id)
      assert.deepEqual(
        stored.map(({ verdict }) => verdict),
        ['accepted', 'accepted', 'rejected', 'edited', 'edited', 'edited', null],
      )
    })
  }
})

const image = { type: 'image_url', image_url: { url: 'ftp://nowhere' } }
const toolCall = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }

const refusals: [row: unknown, why: RegExp][] = [
  [{ text: 'A text' }, /not a conversation/],
  [{}, /neither messages nor prompt/],
  [{ completion: 'b' }, /neither messages nor prompt/],
  [null, /not a JSON object/],
  [7, /not a JSON object/],
  ['a text', /not a JSON object/],
  [[{ prompt: 'a' }], /not a JSON object/],
  [{ prompt: 'a', completion: 'b', feedback: 'good' }, /use label or correction/],
  [{ prompt: 'a', completion: 'b', verdict: null }, /use label or correction/],
  [{ messages: [user('a')], prompt: 'a' }, /both messages and prompt/],
  [{ messages: [] }, /at least one message/],
  [{ messages: 'a' }, /must be a list/],
  [{ messages: [user('a'), 7] }, /messages\[1\] must be an object/],
  [{ messages: [{ role: 'robot', content: 'a' }] }, /role must be/],
  [{ messages: [{ role: 'system', content: 'a' }] }, /no user message/],
  [{ messages: [assistant('a')] }, /no user message/],
  [{ messages: [{ role: 'user', content: [image] }] }, /data URI/],
  [{ messages: [{ role: 'assistant', tool_calls: [{}] }] }, /tool_calls\[0\] must have an id/],
  [{ prompt: 7 }, /prompt must be a string or a list of messages/],
  [{ prompt: '' }, /prompt is empty/],
  [{ prompt: [system('a')] }, /prompt has no user message/],
  [{ prompt: [user('a'), 7] }, /^prompt\[1\] must be an object/],
  [{ prompt: [user('a'), assistant('b')] }, /prompt ends with an answer/],
  [{ prompt: 'a', completion: 'b', correction: '' }, /correction is empty/],
  [{ prompt: 'a', chosen: '', rejected: 'b' }, /chosen is empty/],
  [{ prompt: 'a', completion: 7 }, /completion must be a string/],
  [{ prompt: 'a', completion: [7] }, /^completion\[0\] must be an object/],
  [{ prompt: 'a', completion: [system('x'), assistant('b')] }, /completion must begin/],
  [{ prompt: 'a', completion: [user('b')] }, /completion must begin with an assistant message/],
  [
    { prompt: 'a', completion: [assistant('b'), user('c')] },
    /completion must end with an assistant message/,
  ],
  [{ messages: [user('a'), assistant('b')], completion: 'c' }, /more than one answer/],
  [{ prompt: 'a', completion: 'b', chosen: 'c', rejected: 'd' }, /more than one answer/],
  [{ prompt: 'a', chosen: 'b' }, /chosen and rejected must be sent together/],
  [{ prompt: 'a', rejected: 'b' }, /chosen and rejected must be sent together/],
  [{ prompt: 'a', chosen: 'b', rejected: 'c', correction: 'd' }, /both chosen and correction/],
  [
    { prompt: 'a', chosen: { role: 'assistant', tool_calls: [toolCall] }, rejected: 'c' },
    /no tools/,
  ],
  [
    { prompt: 'a', chosen: { ...assistant('b'), tool_calls: [toolCall] }, rejected: 'c' },
    /no tools/,
  ],
  [{ prompt: 'a', chosen: [assistant('b'), user('x')], rejected: 'c' }, /no tools/],
  [{ prompt: 'a', chosen: [user('x'), assistant('b')], rejected: 'c' }, /chosen must begin/],
  [{ prompt: 'a', correction: 'b' }, /use ground_truth/],
  [
    { prompt: 'a', completion: 'b', correction: 'c', ground_truth: 'd' },
    /both correction and ground_truth/,
  ],
  [{ prompt: 'a', completion: 'b', correction: 7 }, /correction must be a string/],
  [{ prompt: 'a', completion: 'b', correction: 'c\0' }, /correction must be valid Unicode/],
  [{ prompt: 'a', completion: 'b', correction: '\ud800' }, /correction must be valid Unicode/],
  [{ prompt: 'a', ground_truth: 42 }, /ground_truth must be a string/],
  [{ prompt: 'a', completion: 'b', label: 'true' }, /label must be true or false/],
  [{ prompt: 'a', completion: 'b', label: 1 }, /label must be true or false/],
  [{ prompt: 'a', label: true }, /the row has no answer/],
  [{ prompt: 'a', completion: 'b', correction: 'c', label: true }, /label is true, but/],
  [{ prompt: 'a', tools: 'f' }, /tools must be a list/],
  [{ prompt: 'a', tools: [{ type: 'function' }] }, /tools\[0\]/],
]

describe('a bad row', () => {
  test('is refused with its reason, and the others are stored', async () => {
    const good = { prompt: 'a', completion: 'b' }
    const rows = refusals.flatMap(([row]) => [row, good])
    const result = await imported(hone, { rows })
    assert.equal(result.imported, refusals.length)
    assert.equal(result.refused, refusals.length)
    const reasonOf = new Map(
      result.refused_why.flatMap(({ reason, rows: at }) => at.map((row) => [row, reason])),
    )
    for (const [index, [row, why]] of refusals.entries()) {
      assert.match(reasonOf.get(2 * index + 1) ?? '', why, JSON.stringify(row))
    }
    assert.equal((await storedRows(hone, result.import_id)).length, refusals.length)
  })

  test('is counted from 1, whatever the row_offset', async () => {
    const rows = [{ prompt: 'a' }, { text: 'x' }, { prompt: 'b' }, { text: 'y' }]
    const result = await imported(hone, { rows, row_offset: 1000 })
    assert.deepEqual(
      result.refused_why.map(({ rows: at }) => at),
      [[2, 4]],
    )
  })

  test('of a new kind shares a line once there are too many kinds', async () => {
    const rows = Array.from({ length: 150 }, (_, index) => ({
      messages: [...Array.from({ length: index }, () => user('a')), 7],
    }))
    const { refused, refused_why } = await imported(hone, { rows: [...rows, rows[0]] })
    assert.equal(refused, 151)
    assert.equal(refused_why.length, 101)
    assert.deepEqual(refused_why[0]?.rows, [1, 151], 'one that is known keeps its own')
    assert.equal(refused_why.at(-1)?.reason, 'Other reasons.')
    assert.equal(refused_why.flatMap(({ rows: at }) => at).length, 151)
  })

  test('is one whose conversation is one byte over the limit', async () => {
    const empty = await importOne({ prompt: 'x', completion: 'y' })
    const room = sampleBytesMax - empty.bytes
    const fits = await importOne({
      prompt: `x${'ä'.repeat(room / 2)}${'a'.repeat(room % 2)}`,
      completion: 'y',
    })
    assert.equal(fits.bytes, sampleBytesMax)
    const result = await imported(hone, {
      rows: [{ prompt: 'x'.repeat(room + 2), completion: 'y' }],
    })
    assert.equal(result.refused, 1)
    assert.match(result.refused_why[0]?.reason ?? '', /larger than 4,194,304 bytes/)
  })

  test('is none whose correction has fewer characters than its encoding has units', async () => {
    const correction = '\u{1f600}'.repeat(correctionCharactersMax / 2 + 1)
    const stored = await importOne({ prompt: 'a', completion: 'b', correction })
    assert.equal(stored.signals[0]?.correction, correction)
  })

  test('is one whose correction is one character over the limit', async () => {
    const row = (characters: number) => ({
      prompt: 'a',
      completion: 'b',
      correction: 'c '.repeat(characters).slice(0, characters),
    })
    const result = await imported(hone, {
      rows: [row(correctionCharactersMax), row(correctionCharactersMax + 1)],
    })
    assert.equal(result.imported, 1)
    assert.deepEqual(result.refused_why, [
      {
        reason: `correction has more than ${grouped(correctionCharactersMax)} characters.`,
        rows: [2],
      },
    ])
  })
})
