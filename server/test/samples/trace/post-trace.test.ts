// Samples that an application posts itself.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Trace } from '#contract/sample.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { workspaceOf } from '#test/support/imports.ts'
import { judgeSample } from '#test/support/judge-sample.ts'
import { type LoopHone, loopHone, trainableModel } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import type { Answer } from '#test/support/test-hone.ts'

const clock = new ManualClock()
const dayMs = 24 * 60 * 60 * 1000
let hone: LoopHone

before(async () => {
  hone = await loopHone({ clock })
  await hone.pipeline('Support')
})
after(() => hone.stop())

function post(body: unknown): Promise<Answer> {
  return hone.call('POST', '/api/loop/traces', { key: hone.owner.key, body })
}

async function posted(body: object): Promise<Trace> {
  const answer = await post({ deployment_id: 'support', ...body })
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as unknown as { trace: Trace }).trace
}

const qa = { prompt: 'A question', completion: 'An answer' }

test('from a pipeline, it carries the tag and waits 30 days', async () => {
  const trace = await posted({ ...qa, labels: ['extra'] })
  assert.equal(trace.source, 'support')
  assert.equal(trace.model, null)
  assert.equal(trace.origin, 'captured')
  assert.deepEqual(trace.tags, ['support', 'extra'])
  assert.deepEqual(trace.messages, [{ role: 'user', content: 'A question' }])
  assert.deepEqual(trace.answer, { role: 'assistant', content: 'An answer' })
  assert.equal(Date.parse(trace.expires_at) - Date.parse(trace.created_at), 30 * dayMs)
})

test('from a model, it names the model', async () => {
  const trace = await posted({ deployment_id: trainableModel, ...qa })
  assert.equal(trace.model, trainableModel)
  assert.deepEqual(trace.tags, [])
})

test('whole conversations keep every turn', async () => {
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Bye' },
    { role: 'assistant', content: 'See you' },
  ]
  const trace = await posted({ messages })
  assert.deepEqual(trace.messages, messages.slice(0, 4))
  assert.deepEqual(trace.answer, messages[4])
})

test('a question alone is kept without an answer', async () => {
  const trace = await posted({ prompt: 'Anybody?' })
  assert.equal(trace.answered, false)
  assert.equal(trace.answer, null)
})

test('its retention is the source’s own', async () => {
  const config = { enabled: false, retention_days: 3 }
  const path = '/api/loop/configs/serverless'
  await hone.call('PUT', path, { key: hone.owner.key, body: config })
  const trace = await posted({ deployment_id: 'serverless', ...qa })
  assert.equal(Date.parse(trace.expires_at) - Date.parse(trace.created_at), 3 * dayMs)
})

for (const [name, feedback, verdict, correction] of [
  ['a word', 'good', 'accepted', null],
  ['an object', { verdict: 'bad' }, 'rejected', null],
  ['a correction', { verdict: 'corrected', correction: 'Right' }, 'edited', 'Right'],
] as const) {
  test(`feedback as ${name}`, async () => {
    const trace = await posted({ ...qa, feedback })
    assert.equal(trace.verdict, verdict)
    assert.equal(trace.correction, correction)
    assert.equal(trace.signals[0]?.given_by, 'person')
  })
}

test('a repeated request id is the same sample', async () => {
  const first = await posted({ ...qa, request_id: 'r-1' })
  const again = await posted({ prompt: 'Another', completion: 'Other', request_id: 'r-1' })
  assert.equal(again.id, first.id)
})

test('feedback that comes with a known request id is feedback on its sample, once', async () => {
  const first = await posted({ ...qa, request_id: 'r-2' })
  for (const [feedback, verdict, signals] of [
    ['good', 'accepted', 1],
    ['good', 'accepted', 1],
    [{ verdict: 'edited', correction: 'Of bob@example.net' }, 'edited', 2],
    [{ verdict: 'edited', correction: 'Of bob@example.net' }, 'edited', 2],
  ] as const) {
    const again = await posted({ ...qa, request_id: 'r-2', feedback, labels: ['later'] })
    assert.equal(again.id, first.id)
    assert.equal(again.verdict, verdict)
    assert.equal(again.signals.length, signals)
    assert.deepEqual(again.tags, ['support', 'later'])
  }
})

test('feedback that comes with a known request id is a person’s, also where a judge said the same', async () => {
  const { id } = await posted({ ...qa, request_id: 'judged' })
  await judgeSample(hone.app, { workspaceId: await workspaceOf(hone), id }, 0.875)
  for (let times = 0; times < 2; times++) {
    const again = await posted({ ...qa, request_id: 'judged', feedback: 'good' })
    assert.deepEqual([again.verdict_by, again.signals.length], ['person', 2])
  }
})

test('labels that come with a known request id are added to its sample, with feedback or without', async () => {
  const first = await posted({ ...qa, request_id: 'r-3', labels: ['a'], feedback: 'good' })
  const beside = await posted({ ...qa, labels: ['beside'] })
  for (const [body, tags, signals] of [
    [{ labels: ['b'] }, ['support', 'a', 'b'], 1],
    [{ labels: ['a', 'b'] }, ['support', 'a', 'b'], 1],
    [{ labels: ['c'], feedback: 'good' }, ['support', 'a', 'b', 'c'], 1],
    [{ labels: ['d'], feedback: 'bad' }, ['support', 'a', 'b', 'c', 'd'], 2],
    [{}, ['support', 'a', 'b', 'c', 'd'], 2],
  ] as const) {
    const again = await posted({ ...qa, request_id: 'r-3', ...body })
    assert.deepEqual([again.id, again.tags, again.signals.length], [first.id, tags, signals])
    const path = `/api/loop/traces/${first.id}`
    const read = await hone.call('GET', path, { key: hone.owner.key })
    assert.deepEqual((read.json as unknown as { trace: Trace }).trace, again)
  }
  const untouched = await hone.call('GET', `/api/loop/traces/${beside.id}`, { key: hone.owner.key })
  assert.deepEqual((untouched.json as unknown as { trace: Trace }).trace, beside)
  const labels = Array.from({ length: 28 }, (_, index) => `l${index}`)
  const over = await post({ deployment_id: 'support', ...qa, request_id: 'r-3', labels })
  assert.deepEqual([over.status, over.json.error?.code], [400, 'BAD_REQUEST'])
  assert.match(over.json.error?.message ?? '', /would have 33;/)
  const fits = await posted({ ...qa, request_id: 'r-3', labels: labels.slice(1) })
  assert.equal(fits.tags.length, 32)
})

test('it is redacted', async () => {
  await posted({ prompt: 'I am max@example.net', completion: 'Hello max@example.net' })
  assert.deepEqual(await tablesWith(hone.app.storage.db, 'max@example.net'), [])
})

describe('refused', () => {
  for (const [name, body, status, message] of [
    ['no source', qa, 400, /deployment_id/],
    ['an unknown source', { deployment_id: 'nobody', ...qa }, 404, /source/],
    [
      'no conversation',
      { deployment_id: 'support' },
      400,
      /The body has neither messages nor prompt/,
    ],
    [
      'an answer twice',
      {
        deployment_id: 'support',
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
        completion: 'c',
      },
      400,
      /more than one answer/,
    ],
    [
      'a message of no role',
      { deployment_id: 'support', messages: [{ content: 'a' }] },
      400,
      /role/,
    ],
    [
      'a field nobody may set',
      { deployment_id: 'support', ...qa, workspace_id: 'x' },
      400,
      /workspace_id/,
    ],
    ['a balance', { deployment_id: 'support', ...qa, balance: 1 }, 400, /balance/],
    [
      'edited without correction',
      { deployment_id: 'support', ...qa, feedback: 'edited' },
      400,
      /correction/,
    ],
    [
      'a correction of blanks',
      {
        deployment_id: 'support',
        ...qa,
        feedback: { verdict: 'edited', correction: ' \n' },
      },
      400,
      /correction/,
    ],
    [
      'good where nobody answered',
      { deployment_id: 'support', prompt: 'Anybody?', feedback: 'good' },
      400,
      /judges an answer, but the sample has none/,
    ],
    ['a bad label', { deployment_id: 'support', ...qa, labels: ['Ä'] }, 400, /labels/],
  ] as const) {
    test(`${name} is ${status}`, async () => {
      const answer = await post(body)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error?.message ?? '', message)
    })
  }

  test('31 labels fit beside the pipeline’s own, 32 do not', async () => {
    const labels = Array.from({ length: 32 }, (_, index) => `l${index}`)
    assert.equal((await posted({ ...qa, labels: labels.slice(1) })).tags.length, 32)
    const over = await post({ deployment_id: 'support', ...qa, labels })
    assert.equal(over.status, 400)
    assert.match(over.json.error?.message ?? '', /33/)
    const alone = await post({ deployment_id: 'plain', ...qa, labels })
    assert.equal(alone.status, 201, alone.text)
  })

  test('a conversation just too large to keep', async () => {
    const trace = await posted({ prompt: 'x', completion: 'y'.repeat(4 * 1024 * 1024 - 300) })
    assert.ok(trace.bytes <= 4 * 1024 * 1024)
    const answer = await post({
      deployment_id: 'support',
      prompt: 'x',
      completion: 'y'.repeat(4 * 1024 * 1024),
    })
    assert.equal(answer.status, 413, answer.text)
    assert.equal(answer.json.error?.code, 'PAYLOAD_TOO_LARGE')
  })
})
