// Feedback on samples: both vocabularies, corrections, labels, history, and ids that are not there yet or never were.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addPerson, createKey, otherOrg } from '#test/support/accounts.ts'
import { tablesWith } from '#test/support/database-text.ts'
import { judgeSample } from '#test/support/judge-sample.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { ManualClock } from '#test/support/manual-clock.ts'
import type { Answer } from '#test/support/test-hone.ts'
import { newId } from '#server/lib/id.ts'
import { foldSizes } from '#server/samples/sample/stored-size-store.ts'

const clock = new ManualClock()
let hone: LoopHone

before(async () => {
  hone = await loopHone({ clock })
  await hone.pipeline('Support')
})
after(() => hone.stop())

async function sample(labels: string[] = []): Promise<string> {
  const answer = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: { deployment_id: 'support', prompt: 'A question', completion: 'An answer', labels },
  })
  assert.equal(answer.status, 201, answer.text)
  return (answer.json as unknown as { trace: { id: string } }).trace.id
}

function give(id: string, body: unknown, key = hone.owner.key): Promise<Answer> {
  return hone.call('POST', `/api/loop/traces/${id}/signals`, { key, body })
}

type Read = {
  verdict: string | null
  verdict_by: string | null
  score: number | null
  correction: string | null
  tags: string[]
  signals: { verdict: string; correction: string | null; given_by: string; gold: boolean }[]
}

async function read(id: string): Promise<Read> {
  const answer = await hone.call('GET', `/api/loop/traces/${id}`, { key: hone.owner.key })
  assert.equal(answer.status, 200, answer.text)
  return (answer.json as unknown as { trace: Read }).trace
}

for (const [word, stored] of [
  ['accepted', 'accepted'],
  ['good', 'accepted'],
  ['rejected', 'rejected'],
  ['bad', 'rejected'],
  ['edited', 'edited'],
  ['corrected', 'edited'],
] as const) {
  test(`${word} is stored and answered as ${stored}`, async () => {
    const id = await sample()
    const correction = stored === 'edited' ? { correction: 'Better' } : {}
    const answer = await give(id, { verdict: word, ...correction })
    assert.equal(answer.status, 201, answer.text)
    const { signal, trace } = answer.json as unknown as {
      signal: { verdict: string; sample_id: string; given_by: string; gold: boolean }
      trace: { verdict: string }
    }
    assert.equal(signal.verdict, stored)
    assert.equal(signal.sample_id, id)
    assert.equal(signal.given_by, 'person')
    assert.equal(signal.gold, true)
    assert.equal(trace.verdict, stored)
    assert.equal((await read(id)).verdict, stored)
  })
}

describe('a body that cannot be feedback', () => {
  for (const [name, body] of [
    ['no verdict', {}],
    ['an unknown word', { verdict: 'great' }],
    ['a word that objects inherit', { verdict: 'constructor' }],
    ['edited without a correction', { verdict: 'edited' }],
    ['edited with an empty one', { verdict: 'edited', correction: '' }],
    ['edited with a null one', { verdict: 'corrected', correction: null }],
    ['a correction beside another verdict', { verdict: 'good', correction: 'Better' }],
    ['a correction that is no text', { verdict: 'edited', correction: 7 }],
    ['a correction the database cannot hold', { verdict: 'edited', correction: 'a\0b' }],
    ['a field that nobody may set', { verdict: 'good', given_by: 'judge' }],
    ['a label that is no tag', { verdict: 'good', labels: ['Not A Tag'] }],
    ['a list', []],
  ] as const) {
    test(`${name} is 400 and changes nothing`, async () => {
      const id = await sample()
      const answer = await give(id, body)
      assert.equal(answer.status, 400, answer.text)
      assert.equal(answer.json.error?.code, 'BAD_REQUEST')
      assert.deepEqual((await read(id)).signals, [])
    })
  }
})

test('history is kept and the newest counts', async () => {
  const id = await sample()
  await give(id, { verdict: 'good' })
  clock.forward(1000)
  await give(id, { verdict: 'corrected', correction: 'Better' })
  clock.forward(1000)
  await give(id, { verdict: 'corrected', correction: 'Best' })
  const trace = await read(id)
  assert.deepEqual(
    trace.signals.map(({ verdict, correction }) => [verdict, correction]),
    [
      ['edited', 'Best'],
      ['edited', 'Better'],
      ['accepted', null],
    ],
  )
  assert.equal(trace.correction, 'Best')
  await give(id, { verdict: 'bad' })
  assert.equal((await read(id)).verdict, 'rejected')
  assert.equal((await read(id)).correction, null)
})

describe('a judge’s score', () => {
  let workspaceId: string
  before(async () => {
    workspaceId = (await hone.login(hone.owner.email, hone.owner.password))['x-workspace-id'] ?? ''
  })
  const judge = (id: string, score: number) => {
    clock.forward(1)
    return judgeSample(hone.app, { workspaceId, id }, score)
  }
  const counting = ({ verdict, verdict_by, score }: Read) => [verdict, verdict_by, score]

  test('counts until a person says something, and is kept', async () => {
    const id = await sample()
    await judge(id, 0.25)
    await judge(id, 0.5)
    assert.deepEqual(counting(await read(id)), ['rejected', 'judge', 0.5])
    clock.forward(1)
    const { json } = await give(id, { verdict: 'good' })
    assert.deepEqual(counting((json as unknown as { trace: Read }).trace), [
      'accepted',
      'person',
      null,
    ])
    const sampleAfter = await judge(id, 0.125)
    assert.equal(sampleAfter.verdict_by, 'person')
    const trace = await read(id)
    assert.deepEqual(counting(trace), ['accepted', 'person', null])
    assert.deepEqual(
      trace.signals.map(({ given_by, gold }) => [given_by, gold]),
      [
        ['judge', false],
        ['person', true],
        ['judge', false],
        ['judge', false],
      ],
    )
  })

  test('leaves a person’s correction the right answer', async () => {
    const id = await sample()
    await give(id, { verdict: 'edited', correction: 'Better' })
    await judge(id, 0.875)
    assert.deepEqual([(await read(id)).verdict, (await read(id)).correction], ['edited', 'Better'])
  })

  test('is no review: lists and counts take the sample as unreviewed', async () => {
    const { rule_id } = await hone.pipeline('Judged')
    const ids: string[] = []
    for (const label of ['judged', 'judged', 'judged']) ids.push(await sample([label]))
    const [scored = '', reviewed = '', untouched = ''] = ids
    await judge(scored, 0.875)
    await give(reviewed, { verdict: 'good' })
    await judge(reviewed, 0.25)
    const listed = async (feedback: string) => {
      const path = `/api/loop/traces?tags=judged&feedback=${feedback}`
      const { json } = await hone.call('GET', path, { key: hone.owner.key })
      return (json as unknown as { traces: { id: string }[] }).traces.map(({ id }) => id)
    }
    assert.deepEqual(await listed('none'), [untouched, scored].sort().reverse())
    for (const feedback of ['any', 'accepted']) {
      assert.deepEqual(await listed(feedback), [reviewed], feedback)
    }
    assert.deepEqual(await listed('rejected'), [])
    const path = `/api/loop/pipelines/${rule_id}`
    const { json } = await hone.call('GET', path, { key: hone.owner.key })
    const { pipeline } = json as unknown as { pipeline: { samples: object } }
    const counts = { total: 3, accepted: 1, rejected: 0, edited: 0, unreviewed: 2 }
    assert.deepEqual(pipeline.samples, counts)
    const before = (await hone.stats()).samples
    await judge(untouched, 0.875)
    assert.deepEqual((await hone.stats()).samples, before)
  })
})

test('twenty at once are all kept, and one of them counts', async () => {
  const id = await sample()
  const words = Array.from({ length: 20 }, (_, index) => (index % 2 ? 'good' : 'bad'))
  const answers = await Promise.all(words.map((verdict) => give(id, { verdict })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal((await read(id)).signals.length, 20)
})

test('feedback on one sample changes no other', async () => {
  const [one, other, older] = [await sample(['one']), await sample(['other']), await sample()]
  await give(older, { verdict: 'bad' })
  const before = [await read(other), await read(older)]
  await give(one, { verdict: 'edited', correction: 'Better', labels: ['late'] })
  assert.deepEqual([await read(other), await read(older)], before)
})

test('a signal says who gave it, with which key, and when', async () => {
  const id = await sample()
  const person = await addPerson(hone, 'member')
  const { secret, api_key } = await createKey(hone, person.headers)
  const given: object[] = []
  for (const by of [{ headers: person.headers }, { key: secret }]) {
    clock.forward(1000)
    const path = `/api/loop/traces/${id}/signals`
    const answer = await hone.call('POST', path, { ...by, body: { verdict: 'good' } })
    assert.equal(answer.status, 201, answer.text)
    const { signal, trace } = answer.json as unknown as { signal: object; trace: object }
    const expected = { user_id: person.userId, key_id: 'key' in by ? api_key.key_id : null }
    assert.partialDeepStrictEqual(signal, { ...expected, created_at: clock.now().toISOString() })
    assert.partialDeepStrictEqual(trace, { id, verdict: 'accepted', verdict_by: 'person' })
    given.unshift(signal)
  }
  assert.deepEqual((await read(id)).signals, given, 'and it reads back so')
  assert.equal((await read(id)).verdict_by, 'person')
})

test('a correction is redacted before it is stored', async () => {
  const id = await sample()
  await give(id, { verdict: 'edited', correction: 'Write to zoe@example.org.' })
  assert.match((await read(id)).correction ?? '', /redacted:email/)
  assert.deepEqual(await tablesWith(hone.app.storage.db, 'zoe@example.org'), [])
})

describe('labels with feedback', () => {
  test('are added to those there are', async () => {
    const id = await sample(['one'])
    const answer = await give(id, { verdict: 'good', labels: ['two', 'one', 'a.b_c-9'] })
    const tags = ['support', 'one', 'two', 'a.b_c-9']
    assert.deepEqual((answer.json as unknown as { trace: Read }).trace.tags, tags)
    assert.deepEqual((await read(id)).tags, tags)
  })

  const labels = (count: number): string[] => Array.from({ length: count }, (_, i) => `l${i}`)

  test('up to 32 in all', async () => {
    const id = await sample(labels(20))
    const more = Array.from({ length: 11 }, (_, i) => `m${i}`)
    assert.equal((await give(id, { verdict: 'good', labels: more })).status, 201)
    assert.equal((await read(id)).tags.length, 32)
    const over = await give(id, { verdict: 'bad', labels: ['one-too-many'] })
    assert.equal(over.status, 400, over.text)
    assert.match(over.json.error?.message ?? '', /would have 33;/)
    assert.equal((await read(id)).verdict, 'accepted')
  })

  test('of 63 characters and no more', async () => {
    const id = await sample()
    assert.equal((await give(id, { verdict: 'good', labels: ['x'.repeat(63)] })).status, 201)
    assert.equal((await give(id, { verdict: 'good', labels: ['x'.repeat(64)] })).status, 400)
    assert.equal((await give(id, { verdict: 'good', labels: [''] })).status, 400)
  })
})

describe('an id that is not there', () => {
  const routes: [string, (id: string) => Promise<Answer>][] = [
    ['feedback', (id) => give(id, { verdict: 'good' })],
    ['reading', (id) => hone.call('GET', `/api/loop/traces/${id}`, { key: hone.owner.key })],
    ['deleting', (id) => hone.call('DELETE', `/api/loop/traces/${id}`, { key: hone.owner.key })],
  ]
  for (const [name, ask] of routes) {
    if (name === 'reading') {
      test(`${name}: is 404, however young`, async () => {
        const answer = await ask(newId(clock.now()))
        assert.equal(answer.status, 404, answer.text)
        assert.equal(answer.json.error?.code, 'NOT_FOUND')
      })
    } else {
      test(`${name}: young, it may still come`, async () => {
        const id = newId(clock.now())
        const answer = await ask(id)
        assert.equal(answer.status, 409, answer.text)
        assert.equal(answer.json.error?.code, 'SAMPLE_NOT_YET_RECORDED')
        assert.equal(answer.headers.get('retry-after'), '2')
        assert.equal(answer.headers.get('x-should-retry'), null)
      })

      test(`${name}: after five minutes it never will`, async () => {
        const id = newId(clock.now())
        clock.forward(5 * 60 * 1000)
        assert.equal((await ask(id)).json.error?.code, 'SAMPLE_NOT_YET_RECORDED')
        clock.forward(1)
        const late = await ask(id)
        assert.equal(late.status, 404, late.text)
        assert.equal(late.json.error?.code, 'NOT_FOUND')
      })
    }

    test(`${name}: no id at all`, async () => {
      for (const id of ['nothing', '%00', '..%2f..', "'; drop table sample; --", 'x'.repeat(300)]) {
        assert.equal((await ask(encodeURIComponent(id))).status, 404)
      }
      // Of another version, so it says nothing about its time.
      assert.equal((await ask('8f14e45f-ceea-467f-a0e6-1f5b1c8f1d3a')).status, 404)
    })

    test(`${name}: another workspace's sample is not found`, async () => {
      const stranger = await otherOrg(hone)
      const id = await sample()
      const key = stranger.secret
      const foreign = (ours: string): Promise<Answer> =>
        name === 'feedback'
          ? give(ours, { verdict: 'good' }, key)
          : hone.call(name === 'reading' ? 'GET' : 'DELETE', `/api/loop/traces/${ours}`, { key })
      const old = newId(clock.now())
      for (const forwardMs of [0, 5 * 60 * 1000 + 1]) {
        clock.forward(forwardMs)
        const answer = await foreign(id)
        assert.deepEqual([answer.status, answer.json.error?.code], [404, 'NOT_FOUND'])
      }
      assert.equal((await foreign(id)).text, (await foreign(old)).text)
      assert.deepEqual((await read(id)).signals, [])
    })
  }
})

test('a deleted sample leaves nothing behind', async () => {
  const answer = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: {
      deployment_id: 'support',
      prompt: 'The word is xylograph',
      completion: 'Indeed, zeugmatic',
      labels: ['quokka'],
      feedback: { verdict: 'edited', correction: 'No, phlogiston' },
    },
  })
  const { id } = (answer.json as unknown as { trace: { id: string } }).trace
  assert.ok((await tablesWith(hone.app.storage.db, 'xylograph')).length > 0)
  const gone = await hone.call('DELETE', `/api/loop/traces/${id}`, { key: hone.owner.key })
  assert.equal(gone.status, 204, gone.text)
  // What is left of a label that nothing carries any more are two counts that cancel out, until they are folded.
  await foldSizes(hone.app.storage.db)
  for (const word of ['xylograph', 'zeugmatic', 'quokka', 'phlogiston']) {
    assert.deepEqual(await tablesWith(hone.app.storage.db, word), [], word)
  }
  for (const forwardMs of [0, 5 * 60 * 1000 + 1]) {
    clock.forward(forwardMs)
    for (const method of ['GET', 'DELETE']) {
      const again = await hone.call(method, `/api/loop/traces/${id}`, { key: hone.owner.key })
      assert.equal(again.status, 404, 'it is not on its way: it was there and is gone')
    }
  }
})

test('the ids of repeated calls are gone with the sample they named, at once', async () => {
  const headers = { 'x-loop-pipeline': 'support', 'x-request-id': 'asked-by-two-at-once' }
  const answers = await Promise.all(
    [1, 2, 3].map(() => hone.ask({ model: 'slow', stream: true, headers })),
  )
  const traces = await Promise.all(answers.map((answer) => hone.sampleOf(answer)))
  const ids = answers.map((answer) => answer.headers.get('x-loop-sample-id') ?? '')
  assert.equal(new Set(ids).size, 3, 'each was given an id of its own')
  const [id = '', ...rest] = new Set(traces.map((trace) => trace.id))
  assert.deepEqual(rest, [], 'and all became one sample')
  const key = hone.owner.key
  // By one of its other names.
  const other = ids.find((one) => one !== id) ?? ''
  const stranger = await otherOrg(hone)
  const foreign = await give(other, { verdict: 'good' }, stranger.secret)
  assert.equal(foreign.status, 404, 'under each of its names it is somebody else’s')
  const given = await give(other, { verdict: 'good' })
  assert.equal(given.status, 201, given.text)
  assert.equal((given.json as unknown as { signal: { sample_id: string } }).signal.sample_id, id)
  assert.deepEqual(
    [(await read(id)).verdict, (await read(other)).verdict],
    ['accepted', 'accepted'],
  )
  assert.equal((await hone.call('DELETE', `/api/loop/traces/${other}`, { key })).status, 204)
  for (const one of ids) {
    const answer = await give(one, { verdict: 'good' })
    assert.deepEqual([answer.status, answer.json.error?.code], [404, 'NOT_FOUND'], answer.text)
  }
})

test('a sample without an answer takes the right one as a correction, and no other feedback', async () => {
  const posted = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: { deployment_id: 'support', prompt: 'Anybody?' },
  })
  const { id } = (posted.json as unknown as { trace: { id: string } }).trace
  for (const verdict of ['good', 'accepted', 'bad', 'rejected']) {
    const answer = await give(id, { verdict, labels: ['late'] })
    assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
    assert.match(answer.json.error?.message ?? '', /send the right answer as a correction/)
  }
  assert.deepEqual((await read(id)).tags, ['support'])
  const answer = await give(id, { verdict: 'edited', correction: 'Yes, me.' })
  assert.equal(answer.status, 201, answer.text)
  assert.deepEqual([(await read(id)).verdict, (await read(id)).correction], ['edited', 'Yes, me.'])
})

test('a correction of blanks is none', async () => {
  const id = await sample()
  for (const correction of [
    '',
    ' ',
    '\n\t',
    '\u00a0 \u3000',
    '\u200b',
    '\u00ad\u200d\u3164 \ufe0f',
  ]) {
    const answer = await give(id, { verdict: 'edited', correction })
    assert.deepEqual([answer.status, answer.json.error?.code], [400, 'BAD_REQUEST'])
    assert.match(answer.json.error?.message ?? '', /correction/)
  }
  assert.equal((await give(id, { verdict: 'edited', correction: ' x ' })).status, 201)
  assert.equal((await read(id)).correction, ' x ', 'what is around it is kept')
})
