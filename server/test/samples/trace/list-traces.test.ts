// Lists of samples: order, pages, and everything they are narrowed by.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { notSearchedCountMax, previewCharacters, sampleCountMax } from '#contract/limits.ts'
import type { NewSample, NewSignal } from '#server/samples/sample/sample.ts'
import { newId } from '#server/lib/id.ts'
import { otherOrg } from '#test/support/accounts.ts'
import { conversing, saying, type SearchRig, searchRig, type Shelf } from '../search/search-rig.ts'

let rig: SearchRig
before(async () => {
  rig = await searchRig()
})
after(() => rig.stop())

const judged = (verdict: NewSignal['verdict']): Partial<NewSample> => ({
  ...saying('hello'),
  signal: {
    id: newId(new Date()),
    verdict,
    correction: verdict === 'edited' ? 'Better.' : null,
    givenBy: 'person',
    gold: true,
    userId: null,
    keyId: null,
  },
})
const outside = (given: Partial<NewSample> = {}): Partial<NewSample> => ({
  ...saying('hello'),
  objectKey: 'prefix/object',
  ...given,
})

describe('pages', () => {
  test('come newest first, 25 each, and the last one is short', async () => {
    const shelf = await rig.shelf()
    const ids = await shelf.add(...Array.from({ length: 60 }, (_, i) => `sample ${i}`))
    const newest = ids.toReversed()
    for (const [page, from, to] of [
      [1, 0, 25],
      [2, 25, 50],
      [3, 50, 60],
      [4, 60, 60],
      [1000, 60, 60],
      [1_000_000, 60, 60],
    ] as const) {
      const answer = await shelf.list({ page })
      assert.deepEqual(
        answer.traces.map((trace) => trace.id),
        newest.slice(from, to),
      )
      assert.deepEqual(
        { ...answer, traces: [] },
        {
          traces: [],
          page,
          total: 60,
          total_is_minimum: false,
          not_searched: 0,
          not_searched_is_minimum: false,
        },
      )
    }
  })

  test('an empty workspace has an empty first page', async () => {
    const shelf = await rig.shelf()
    const answer = await shelf.list({})
    assert.deepEqual(answer.traces, [])
    assert.equal(answer.total, 0)
  })

  test('counting stops unless it is to be exact, and pages go on behind it', async () => {
    const shelf = await rig.shelf()
    const ids: string[] = []
    while (ids.length < sampleCountMax + 30) {
      ids.push(...(await shelf.add(...Array.from({ length: 206 }, () => 'hello'))))
    }
    const newest = ids.toReversed()
    const first = await shelf.list({})
    assert.equal(first.total, sampleCountMax)
    assert.equal(first.total_is_minimum, true)
    const last = await shelf.list({ page: 40 })
    assert.equal(last.total_is_minimum, true)
    const beyond = await shelf.list({ page: 41 })
    assert.deepEqual(
      beyond.traces.map((trace) => trace.id),
      newest.slice(1000, 1025),
    )
    assert.deepEqual([beyond.total, beyond.total_is_minimum], [1025, true])
    const end = await shelf.list({ page: 42 })
    assert.deepEqual(
      end.traces.map((trace) => trace.id),
      newest.slice(1025),
    )
    assert.deepEqual([end.total, end.total_is_minimum], [newest.length, false])
    for (const page of [43, 1_000_000]) {
      const past = await shelf.list({ page })
      const { traces, total, total_is_minimum } = past
      assert.deepEqual([traces, total, total_is_minimum], [[], newest.length, false])
    }
    for (const [page, shown] of [
      [1, 25],
      [41, 25],
      [42, newest.length - 1025],
      [1_000_000, 0],
    ] as const) {
      const { traces, total, total_is_minimum } = await shelf.list({ page, count: 'exact' })
      assert.deepEqual([traces.length, total, total_is_minimum], [shown, newest.length, false])
    }
    const none = await shelf.list({ tags: 'none', count: 'exact' })
    assert.deepEqual([none.total, none.total_is_minimum], [0, false])
    const search = await shelf.ask({ q: 'hello', count: 'exact' })
    assert.equal(search.status, 400, search.text)
    assert.match(search.json.error?.message ?? '', /field count: must be left out with q/)
    await shelf.remove(ids.slice(0, ids.length - sampleCountMax))
    const exactly = await shelf.list({})
    assert.deepEqual([exactly.total, exactly.total_is_minimum], [sampleCountMax, false])
  })
})

describe('filters', () => {
  let shelf: Shelf
  let ids: Record<string, string>
  before(async () => {
    shelf = await rig.shelf()
    const given: Record<string, Partial<NewSample>> = {
      plain: saying('hello'),
      a: { ...saying('hello'), tags: ['a'] },
      ab: { ...saying('hello'), tags: ['a', 'b'] },
      accepted: judged('accepted'),
      rejected: { ...judged('rejected'), tags: ['b'] },
      edited: judged('edited'),
      imported: { ...saying('hello'), origin: 'imported', tags: ['a'] },
      model: { ...saying('hello'), model: "it's/a-model" },
      outside: outside({ tags: ['b'] }),
      old: { ...saying('hello'), createdAt: new Date('2025-05-05T05:05:05.005Z') },
    }
    const stored = await shelf.add(...Object.values(given))
    ids = Object.fromEntries(Object.keys(given).map((name, i) => [name, stored[i] as string]))
  })
  const named = async (params: Record<string, string>): Promise<string[]> => {
    const { traces, total } = await shelf.list(params)
    assert.equal(total, traces.length)
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
    return traces.map((trace) => names.get(trace.id) ?? 'unknown').sort()
  }

  test('tags, any or all of them', async () => {
    assert.deepEqual(await named({ tags: 'a' }), ['a', 'ab', 'imported'])
    assert.deepEqual(await named({ tags: 'a,b' }), ['a', 'ab', 'imported', 'outside', 'rejected'])
    assert.deepEqual(await named({ tags: 'a,b', match: 'any' }), [
      'a',
      'ab',
      'imported',
      'outside',
      'rejected',
    ])
    assert.deepEqual(await named({ tags: 'a,b', match: 'all' }), ['ab'])
    assert.deepEqual(await named({ tags: 'c' }), [])
  })

  test('feedback, in the words of the SDK too', async () => {
    assert.deepEqual(await named({ feedback: 'any' }), ['accepted', 'edited', 'rejected'])
    assert.deepEqual(await named({ feedback: 'accepted' }), ['accepted'])
    assert.deepEqual(await named({ feedback: 'good' }), ['accepted'])
    assert.deepEqual(await named({ feedback: 'rejected' }), ['rejected'])
    assert.deepEqual(await named({ feedback: 'edited' }), ['edited'])
    assert.deepEqual(await named({ feedback: 'none' }), [
      'a',
      'ab',
      'imported',
      'model',
      'old',
      'outside',
      'plain',
    ])
  })

  test('origin and model', async () => {
    assert.deepEqual(await named({ origin: 'imported' }), ['imported'])
    assert.equal((await named({ origin: 'captured' })).length, 9)
    assert.deepEqual(await named({ model: "it's/a-model" }), ['model'])
    assert.deepEqual(await named({ model: 'it' }), [])
  })

  test('times: from is in, to is out', async () => {
    const at = '2025-05-05T05:05:05.005Z'
    const later = '2025-05-05T05:05:05.006Z'
    assert.deepEqual(await named({ to: later }), ['old'])
    assert.deepEqual(await named({ to: at }), [])
    assert.deepEqual(await named({ from: at, to: later }), ['old'])
    assert.equal((await named({ from: at })).length, 10)
    assert.equal((await named({ from: later })).length, 9)
    assert.deepEqual(await named({ from: later, to: at }), [])
    assert.deepEqual(await named({ to: '0001-01-01T00:00:00Z' }), [])
    assert.deepEqual(await named({ from: '9999-12-31T23:59:59Z' }), [])
  })

  test('all together', async () => {
    assert.deepEqual(await named({ tags: 'a', origin: 'imported', feedback: 'none' }), ['imported'])
    assert.deepEqual(await named({ tags: 'b', feedback: 'rejected' }), ['rejected'])
    assert.deepEqual(await named({ tags: 'a', feedback: 'rejected' }), [])
  })

  test('a search keeps to them, indexed or not', async () => {
    for (const step of ['queued', 'indexed']) {
      if (step === 'indexed') await shelf.index()
      assert.deepEqual(await named({ q: 'hello', tags: 'a' }), ['a', 'ab', 'imported'], step)
      assert.deepEqual(await named({ q: 'hello', tags: 'a,b', match: 'all' }), ['ab'], step)
      assert.deepEqual(await named({ q: 'ell', feedback: 'edited' }), ['edited'], step)
      assert.deepEqual(await named({ q: 'hello', model: "it's/a-model" }), ['model'], step)
      assert.deepEqual(await named({ q: 'lo', origin: 'imported' }), ['imported'], step)
      assert.deepEqual(await named({ q: 'he', to: '2025-12-31T00:00:00Z' }), ['old'], step)
      assert.equal((await named({ q: 'he', from: '2025-12-31T00:00:00Z' })).length, 8, step)
    }
  })

  test('a search says how many samples of the own storage it left out', async () => {
    assert.equal((await shelf.list({ q: 'hello' })).not_searched, 1)
    assert.equal((await shelf.list({ q: 'hello', tags: 'b' })).not_searched, 1)
    assert.equal((await shelf.list({ q: 'hello', tags: 'a' })).not_searched, 0)
    assert.equal((await shelf.list({ tags: 'b' })).not_searched, 0)
  })

  test('a dataset, alone and with more', async () => {
    const { storage } = rig.hone.app
    const save = async (workspaceId: string, conditions: object): Promise<string> => {
      const at = new Date()
      const row = { id: newId(at), workspace_id: workspaceId, name: newId(at), name_key: newId(at) }
      const more = { revision: 1, created_at: at, updated_at: at }
      await storage.db
        .insertInto('dataset')
        .values({ ...row, ...more, conditions: JSON.stringify(conditions) })
        .execute()
      return row.id
    }
    const tagged = await save(shelf.workspaceId, { tags: ['a', 'b'], match: 'all' })
    assert.deepEqual(await named({ dataset_id: tagged }), ['ab'])
    assert.deepEqual(await named({ dataset_id: tagged.toUpperCase() }), ['ab'])
    assert.deepEqual(await named({ dataset_id: tagged, feedback: 'any' }), [])
    const all = await save(shelf.workspaceId, {})
    assert.equal((await named({ dataset_id: all })).length, 10)
    const judgedOnes = await save(shelf.workspaceId, { feedback: 'any' })
    assert.deepEqual(await named({ dataset_id: judgedOnes, tags: 'b' }), ['rejected'])
    assert.deepEqual(await named({ dataset_id: judgedOnes, q: 'hello', tags: 'b' }), ['rejected'])
    const untagged = await save(shelf.workspaceId, { tags: [] })
    assert.equal((await named({ dataset_id: untagged })).length, 10)
    assert.deepEqual(await named({ dataset_id: untagged, tags: 'b' }), [
      'ab',
      'outside',
      'rejected',
    ])

    const taggedA = await save(shelf.workspaceId, { tags: ['a'] })
    for (const tags of ['b', 'b,a', 'b,c']) {
      const both = { dataset_id: taggedA, tags, match: tags === 'b,a' ? 'all' : 'any' }
      assert.deepEqual(await named(both), ['ab'], tags)
      assert.deepEqual(await named({ ...both, q: 'hello' }), ['ab'], tags)
      assert.equal((await shelf.list({ ...both, q: 'hello' })).not_searched, 0, tags)
    }
    const outsideOf = async (dataset_id: string) =>
      (await shelf.list({ dataset_id, q: 'hello' })).not_searched
    assert.deepEqual(await Promise.all([untagged, taggedA, tagged].map(outsideOf)), [1, 0, 0])

    const foreign = await save((await otherOrg(rig.hone)).workspaceId, {})
    const absent = await shelf.ask({ dataset_id: newId(new Date()) })
    assert.deepEqual([absent.status, absent.json.error?.code], [404, 'NOT_FOUND'])
    const stranger = await shelf.ask({ dataset_id: foreign })
    assert.deepEqual([stranger.status, stranger.text], [404, absent.text])
  })

  test('what is not a filter is refused in a sentence', async () => {
    for (const params of [
      { page: 0 },
      { page: -1 },
      { page: 'two' },
      { page: 1_000_001 },
      { tags: 'Not A Tag' },
      { tags: '' },
      { tags: Array.from({ length: 33 }, (_, i) => `t${i}`).join(',') },
      { match: 'some' },
      { feedback: 'fine' },
      { origin: 'elsewhere' },
      { model: '' },
      { from: 'yesterday' },
      { dataset_id: 'not-an-id' },
      { colour: 'red' },
    ]) {
      const answer = await shelf.ask(params)
      assert.equal(answer.status, 400, JSON.stringify(params))
      assert.equal(answer.json.error?.code, 'BAD_REQUEST')
    }
  })
})

describe('previews', () => {
  test('show how the last question and the answer begin', async () => {
    const shelf = await rig.shelf()
    await shelf.add(
      conversing({
        tools: [],
        system: [{ type: 'text', text: 'Be kind.' }],
        messages: [
          { role: 'user', blocks: [{ type: 'text', text: 'First question' }] },
          { role: 'assistant', blocks: [{ type: 'text', text: 'First answer' }] },
          {
            role: 'user',
            blocks: [
              { type: 'text', text: 'Second' },
              { type: 'text', text: 'question' },
            ],
          },
          {
            role: 'user',
            blocks: [{ type: 'tool-result', toolCallId: 'x', content: [], isError: false }],
          },
          { role: 'assistant', blocks: [{ type: 'text', text: 'Begun' }] },
        ],
        answer: [
          { type: 'thinking', text: 'a thought', signature: '' },
          { type: 'text', text: 'Last answer' },
        ],
      }),
    )
    await shelf.add(saying(`${'😀'.repeat(previewCharacters)}x`, 'y'.repeat(previewCharacters + 1)))
    await shelf.add(saying('no answer'), outside(), saying(`${'long '.repeat(300_000)}`))
    const { traces } = await shelf.list({})
    assert.deepEqual(
      traces.map((trace) => trace.preview),
      [
        null,
        null,
        { question: 'no answer', answer: '' },
        { question: '😀'.repeat(previewCharacters), answer: 'y'.repeat(previewCharacters) },
        { question: 'Second\nquestion', answer: 'Last answer' },
      ],
    )
    assert.deepEqual(
      traces.map((trace) => trace.where),
      ['platform', 'your_storage', 'platform', 'platform', 'platform'],
    )
  })
})

test('a workspace sees only its own, whichever of them is indexed', async () => {
  const [one, other] = [await rig.shelf(), await rig.shelf()]
  const [mine] = await one.add('our secret plan')
  const [theirs] = await other.add('our secret plan')
  for (const indexed of [null, one, other]) {
    // What is the other's is nothing to do here, or there would be no end of it.
    for (let steps = 0; await indexed?.indexStep(); steps++) assert.ok(steps < 10)
    for (const params of [{}, { q: 'secret' }, { from: '2000-01-01T00:00:00Z' }]) {
      assert.deepEqual(
        (await one.list(params)).traces.map((trace) => trace.id),
        [mine],
      )
      assert.deepEqual(
        (await other.list(params)).traces.map((trace) => trace.id),
        [theirs],
      )
    }
  }
})

describe('samples that a search cannot see', () => {
  const counted = async (shelf: Shelf, params: Record<string, string>) => {
    const { not_searched, not_searched_is_minimum } = await shelf.list({ q: 'hello', ...params })
    return [not_searched, not_searched_is_minimum]
  }
  const expiresAt = new Date('2026-02-02T00:00:00Z')

  test('are counted to the last one, also under a tag, without those whose time is over', async () => {
    const shelf = await rig.shelf()
    const over = sampleCountMax + 7
    await shelf.add(...Array.from({ length: over }, () => outside({ tags: ['b'] })))
    await shelf.add(outside({ expiresAt }), outside({ tags: ['b'], expiresAt }), 'hello')
    await shelf.add(outside({ tags: ['b', 'c'], model: 'm' }))
    assert.deepEqual(await counted(shelf, {}), [over + 1, false])
    assert.deepEqual(await counted(shelf, { tags: 'b' }), [over + 1, false])
    assert.deepEqual(await counted(shelf, { tags: 'c' }), [1, false])
    assert.deepEqual(await counted(shelf, { tags: 'd' }), [0, false])
    assert.deepEqual(await counted(shelf, { tags: 'b,c' }), [over + 1, false])
    assert.deepEqual(await counted(shelf, { tags: 'b,c', match: 'all' }), [1, false])
    assert.deepEqual(await counted(shelf, { tags: 'b', model: 'm' }), [1, false])
    assert.deepEqual(await counted(shelf, { origin: 'captured' }), [over + 1, false])
    assert.deepEqual(await counted(shelf, { to: '2026-01-01T00:00:00Z' }), [0, false])
  })

  test('under other conditions are counted far, and beyond that said to be more', async () => {
    const shelf = await rig.shelf()
    const batch = Array.from({ length: 1000 }, () => outside())
    for (let at = 0; at < notSearchedCountMax; at += batch.length) await shelf.add(...batch)
    assert.deepEqual(await counted(shelf, { origin: 'captured' }), [notSearchedCountMax, false])
    await shelf.add(outside())
    assert.deepEqual(await counted(shelf, { origin: 'captured' }), [notSearchedCountMax, true])
    assert.deepEqual(await counted(shelf, {}), [notSearchedCountMax + 1, false])
  })
})
