// A conversation reads back as it was sent, whichever door it came in by: who said what, what the answer is, and what was
// said after it. Spec 2, import row shapes: all turns are kept, and the last one of the assistant is the answer.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Trace } from '#contract/sample.ts'
import { imported, storedRows } from '#test/support/imports.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'

let hone: LoopHone
before(async () => {
  hone = await loopHone()
  await hone.pipeline('Support')
})
after(() => hone.stop())

type Said = { role: string; content: unknown }
const said =
  (role: string) =>
  (content: unknown): Said => ({ role, content })
const system = said('system')
const developer = said('developer')
const user = said('user')
const assistant = said('assistant')

async function read(id: string): Promise<Trace> {
  const answer = await hone.call('GET', `/api/loop/traces/${id}`, { key: hone.owner.key })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

async function posted(body: object): Promise<Trace> {
  const answer = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: { deployment_id: 'support', ...body },
  })
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

async function importedRow(row: object, settings: object = {}): Promise<Trace> {
  const result = await imported(hone, { rows: [row], ...settings })
  assert.equal(result.imported, 1, JSON.stringify(result.refused_why))
  return read(result.trace_ids[0] ?? '')
}

const recorded = async (messages: object[]): Promise<Trace> =>
  hone.sampleOf(await hone.ask({ headers: { 'x-loop-pipeline': 'support' }, body: { messages } }))

describe('developer messages', () => {
  const conversations: [string, Said[]][] = [
    ['at the beginning', [developer('Use Celsius.'), user('Rome?')]],
    ['behind system', [system('Be brief.'), developer('Use Celsius.'), user('Rome?')]],
    ['before system', [developer('Use Celsius.'), system('Be brief.'), user('Rome?')]],
    ['in the middle', [user('Hi'), assistant('Hello'), developer('Hurry.'), user('Rome?')]],
    [
      'of several parts',
      [
        developer([
          { type: 'text', text: 'One.' },
          { type: 'text', text: 'Two.' },
        ]),
        user('Rome?'),
      ],
    ],
    ['with something sensitive', [developer('Write to [redacted:email].'), user('Rome?')]],
  ]
  for (const [where, messages] of conversations) {
    test(`${where} read as they were sent`, async () => {
      const sent = JSON.parse(
        JSON.stringify(messages).replace('[redacted:email]', 'zoe@example.org'),
      ) as Said[]
      const traces = [
        await recorded(sent),
        await posted({ messages: [...sent, assistant('Sunny.')] }),
        await posted({ prompt: sent, completion: 'Sunny.' }),
        await importedRow({ messages: [...sent, assistant('Sunny.')] }),
        await importedRow({ prompt: sent, completion: 'Sunny.' }),
      ]
      for (const trace of traces) assert.deepEqual(trace.messages, messages)
    })
  }

  test('reach the model as system, as they always did', async () => {
    await recorded([developer('Use Celsius.'), user('Rome?')])
    const { messages } = hone.upstream.calls.at(-1)?.body as { messages: Said[] }
    assert.deepEqual(messages, [system('Use Celsius.'), user('Rome?')])
  })

  test('of samples from before the role was kept read as system', async () => {
    const { id } = await posted({ messages: [developer('Use Celsius.'), user('Rome?')] })
    await inDatabase(
      hone.databaseUrl,
      `update sample_text set conversation = replace(conversation, ',"developer":true', '')
       where sample_id = '${id}'`,
    )
    assert.deepEqual((await read(id)).messages, [system('Use Celsius.'), user('Rome?')])
  })
})

test('names of users and assistants read as they were sent, redacted, and reach no model', async () => {
  const sent = [
    { role: 'user', name: 'ann', content: 'Hi' },
    { role: 'assistant', name: 'bot_1', content: 'Hello' },
    { role: 'user', name: 'zoe@example.org', content: [{ type: 'text', text: 'Rome?' }] },
  ]
  const read = [sent[0], sent[1], { role: 'user', name: '[redacted:email]', content: 'Rome?' }]
  const answer = { role: 'assistant', name: 'bot_2', content: 'Sunny.' }
  const further = { role: 'user', name: 'ann', content: 'Thanks' }
  for (const trace of [
    await posted({ messages: [...sent, answer] }),
    await importedRow({ messages: [...sent, answer, further] }),
    await importedRow({ prompt: sent, completion: [answer] }),
  ]) {
    assert.deepEqual(trace.messages, read)
    assert.deepEqual(trace.answer, answer)
    if (trace.messages_after.length > 0) assert.deepEqual(trace.messages_after, [further])
  }
  assert.deepEqual((await recorded(sent)).messages, read)
  assert.doesNotMatch(JSON.stringify(hone.upstream.calls.at(-1)?.body), /"name"/)
  const unnamed = await importedRow({
    messages: [
      { ...sent[0], name: 7 },
      { ...answer, name: '' },
    ],
  })
  assert.deepEqual(unnamed.messages, [user('Hi')])
  assert.deepEqual(unnamed.answer, assistant('Sunny.'))
})

test('an image reads with the detail that was asked for', async () => {
  const url = 'data:image/png;base64,iVBORw0KGgo='
  const parts = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url, detail: 'low' } },
    { type: 'image_url', image_url: { url } },
  ]
  const { messages } = await posted({ messages: [user(parts)] })
  assert.deepEqual(messages, [user(parts)])
})

describe('a conversation that goes on after its last answer', () => {
  const question = [user('Rome?'), assistant('Sunny.'), user('And Oslo?')]
  const asked = [...question, assistant('Snow in Oslo.')]
  const thanks = [user('Write me at zoe@example.org, thanks!'), system('Closed.')]
  const redacted = [user('Write me at [redacted:email], thanks!'), system('Closed.')]

  function check(trace: Trace): void {
    assert.equal(trace.answered, true)
    assert.deepEqual(trace.messages, question)
    assert.deepEqual(trace.answer, assistant('Snow in Oslo.'))
    assert.deepEqual(trace.messages_after, redacted)
  }

  test('is answered, and every turn of it is kept', async () => {
    const messages = [...asked, ...thanks]
    check(await posted({ messages }))
    check(await importedRow({ messages }))
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }]
    check(await posted({ messages, tools }))
    const found = await hone.call('GET', '/api/loop/traces?q=thanks!', { key: hone.owner.key })
    const { total } = found.json as unknown as { total: number }
    assert.equal(total, 3, 'what was said after the answer is found')
  })

  test('may end with what a tool said', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const turn = { role: 'assistant', content: null, tool_calls: [call] }
    const result = { role: 'tool', tool_call_id: 'c1', content: '21' }
    const trace = await posted({ messages: [user('Rome?'), turn, result] })
    assert.deepEqual(
      [trace.messages, trace.answer, trace.messages_after],
      [[user('Rome?')], turn, [result]],
    )
  })

  test('is good by default, or as its label says, and its answer can be corrected', async () => {
    const messages = [...asked, ...thanks]
    const good = await importedRow({ messages }, { default_feedback: 'good' })
    assert.deepEqual([good.verdict, good.verdict_by], ['accepted', 'import'])
    assert.equal((await importedRow({ messages, label: false })).verdict, 'rejected')
    const edited = await importedRow({ messages, correction: 'Rain.' })
    assert.deepEqual([edited.verdict, edited.correction], ['edited', 'Rain.'])
    check(edited)
  })

  test('counts as messages', async () => {
    const result = await imported(hone, { rows: [{ messages: [...asked, ...thanks] }] })
    assert.equal(result.by_shape.messages, 1)
    const [stored] = await storedRows(hone, result.import_id)
    assert.equal(stored?.shape, 'messages')
  })

  test('is still a question where the row brings the answer to its last turn', async () => {
    const rows = [
      { messages: question, completion: 'Snow in Oslo.' },
      { prompt: question, completion: 'Snow in Oslo.' },
    ]
    for (const row of rows) {
      const trace = await importedRow(row)
      assert.deepEqual(trace.messages, question)
      assert.deepEqual(trace.answer, assistant('Snow in Oslo.'))
      assert.deepEqual(trace.messages_after, [])
    }
    for (const row of [
      { messages: question, ground_truth: 'Snow.' },
      { prompt: question, ground_truth: 'Snow.' },
      { prompt: question },
    ]) {
      const trace = await importedRow(row)
      assert.deepEqual([trace.answered, trace.answer], [false, null])
      assert.deepEqual(trace.messages, question)
    }
  })

  test('has no answer where nobody had asked for one', async () => {
    const messages = [assistant('Welcome!'), user('Rome?')]
    const trace = await posted({ messages })
    assert.deepEqual([trace.answered, trace.answer], [false, null])
    assert.deepEqual(trace.messages, messages)
    const refused = await imported(hone, { rows: [{ messages: [assistant('Welcome!')] }] })
    assert.equal(refused.refused, 1)
  })
})

test('a tool that failed is told from one that did not', async () => {
  const result = (id: string, is_error?: boolean): object => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'no net',
    ...(is_error === undefined ? {} : { is_error }),
  })
  const call = (id: string): object => ({ type: 'tool_use', id, name: 'weather', input: {} })
  const trace = await hone.sampleOf(
    await hone.ask({
      dialect: 'messages',
      model: 'tools',
      headers: { 'x-loop-pipeline': 'support' },
      body: {
        messages: [
          user('Rome?'),
          assistant([call('a'), call('b'), call('c')]),
          user([result('a', true), result('b', false), result('c')]),
        ],
        tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      },
    }),
  )
  const told = trace.messages.filter(({ role }) => role === 'tool')
  assert.deepEqual(
    told.map(({ content, is_error }) => [content, is_error]),
    [
      ['no net', true],
      ['no net', undefined],
      ['no net', undefined],
    ],
  )
})
