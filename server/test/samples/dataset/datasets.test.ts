// Datasets: names, revisions, and that a selection is live.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client } from 'pg'
import type { Dataset } from '#contract/dataset.ts'
import { sampleCountMax } from '#contract/limits.ts'
import { otherOrg } from '#test/support/accounts.ts'
import { type LoopHone, loopHone } from '#test/support/loop-hone.ts'
import { firstWorkspace, keepSamples, newSample } from '#test/support/new-samples.ts'
import type { Answer } from '#test/support/test-hone.ts'

let hone: LoopHone

before(async () => {
  hone = await loopHone({ storage: {} })
})
after(() => hone.stop())

function call(method: string, path: string, body?: unknown, key = hone.owner.key): Promise<Answer> {
  return hone.call(method, `/api/loop/datasets${path}`, { key, ...(body ? { body } : {}) })
}

const datasetOf = (answer: Answer): Dataset =>
  (answer.json as unknown as { dataset: Dataset }).dataset

async function made(name: string, conditions: object = {}): Promise<Dataset> {
  const answer = await call('POST', '', { name, conditions })
  assert.equal(answer.status, 201, answer.text)
  return datasetOf(answer)
}

async function post(labels: string[], feedback?: string): Promise<void> {
  const answer = await hone.call('POST', '/api/loop/traces', {
    key: hone.owner.key,
    body: {
      deployment_id: 'plain',
      prompt: 'q',
      completion: 'a',
      labels,
      ...(feedback ? { feedback } : {}),
    },
  })
  assert.equal(answer.status, 201, answer.text)
}

test('a selection is live: it counts what fits it now', async () => {
  const all = { tags: ['red', 'blue'], match: 'all' }
  const [either, both, good] = [
    await made('Either', { tags: ['red', 'blue'] }),
    await made('Both', all),
    await made('Good', { tags: ['red'], feedback: 'good' }),
  ]
  const count = async ({ id }: Dataset): Promise<number> =>
    datasetOf(await call('GET', `/${id}`)).samples
  assert.deepEqual([await count(either), await count(both), await count(good)], [0, 0, 0])
  await post(['red'])
  await post(['red', 'blue'])
  await post(['blue'], 'good')
  await post(['red'], 'good')
  assert.deepEqual([await count(either), await count(both), await count(good)], [4, 1, 1])
  const list = await hone.call('GET', `/api/loop/traces?dataset_id=${both.id}`, {
    key: hone.owner.key,
  })
  assert.equal((list.json as unknown as { total: number }).total, 1)
})

test('counting stops, unless it is to be exact', async () => {
  const { id: workspaceId } = await firstWorkspace(hone)
  const many = Array.from({ length: sampleCountMax + 5 }, () =>
    newSample(workspaceId, new Date(), { tags: ['many'] }),
  )
  await keepSamples(hone.app, many)
  const { id } = await made('Many', { tags: ['many'] })
  for (const [query, samples, isMinimum] of [
    ['', sampleCountMax, true],
    ['?count=exact', many.length, false],
  ] as const) {
    const list = (await call('GET', query)).json as unknown as { datasets: Dataset[] }
    for (const dataset of [datasetOf(await call('GET', `/${id}${query}`)), list.datasets[0]]) {
      assert.deepEqual([dataset?.samples, dataset?.samples_is_minimum], [samples, isMinimum], query)
    }
  }
})

test('conditions are stored as given and in the stored words', async () => {
  const conditions = {
    tags: ['a'],
    match: 'any',
    feedback: 'corrected',
    origin: 'imported',
    model: 'plain',
    from: '2026-01-01T00:00:00Z',
    to: '2027-01-01T00:00:00Z',
  }
  const { id } = await made('All conditions', conditions)
  assert.deepEqual(datasetOf(await call('GET', `/${id}`)).conditions, {
    ...conditions,
    feedback: 'edited',
  })
})

test('one that cannot be counted in time is still created, changed, read and listed', async () => {
  const blocking = new Client({ connectionString: hone.databaseUrl })
  await blocking.connect()
  await blocking.query('begin; lock table sample in access exclusive mode')
  try {
    const dataset = await made('Uncounted')
    assert.deepEqual([dataset.samples, dataset.samples_is_minimum], [0, true])
    const answers = await Promise.all([
      call('GET', `/${dataset.id}`),
      call('PUT', `/${dataset.id}`, { conditions: { tags: ['other'] } }),
      call('GET', ''),
    ])
    for (const answer of answers) assert.equal(answer.status, 200, answer.text)
    const exact = await call('GET', `/${dataset.id}?count=exact`)
    assert.deepEqual(
      [exact.status, exact.json.error?.code],
      [503, 'UNAVAILABLE'],
      'no bound instead',
    )
  } finally {
    await blocking.query('rollback')
    await blocking.end()
  }
})

describe('a name', () => {
  test('is unique, ignoring case', async () => {
    await made('Größe')
    for (const name of ['Größe', 'GRÖßE', 'größe', 'Grösse']) {
      const answer = await call('POST', '', { name })
      const same = name.toLowerCase() === 'größe'
      assert.equal(answer.status, same ? 409 : 201, name)
      if (same) assert.equal(answer.json.error?.code, 'DATASET_NAME_TAKEN')
    }
  })

  test('cannot become another’s', async () => {
    await made('Held')
    const { id } = await made('Free')
    const answer = await call('PUT', `/${id}`, { name: 'HELD' })
    assert.equal(answer.json.error?.code, 'DATASET_NAME_TAKEN')
    assert.equal(datasetOf(await call('PUT', `/${id}`, { name: 'FREE' })).name, 'FREE')
  })

  test('is free again after deletion', async () => {
    const { id } = await made('Again')
    assert.equal((await call('DELETE', `/${id}`)).status, 204)
    assert.equal((await call('GET', `/${id}`)).status, 404)
    await made('Again')
  })

  test('has 1 to 120 characters', async () => {
    for (const [name, status] of [
      ['', 400],
      ['x'.repeat(120), 201],
      ['y'.repeat(121), 400],
    ] as const) {
      assert.equal((await call('POST', '', { name })).status, status)
    }
  })
})

test('a revision that is gone is refused, and nothing changes', async () => {
  const { id, revision } = await made('Revised')
  assert.equal(revision, 1)
  const tags = { tags: ['t'] }
  assert.equal(
    datasetOf(await call('PUT', `/${id}`, { conditions: tags, expected_revision: 1 })).revision,
    2,
  )
  const late = await call('PUT', `/${id}`, { conditions: {}, expected_revision: 1 })
  assert.equal(late.status, 409)
  assert.equal(late.json.error?.code, 'REVISION_MISMATCH')
  assert.deepEqual(datasetOf(await call('GET', `/${id}`)).conditions, tags)
})

test('two writers of one revision: one wins', async () => {
  const { id } = await made('Contested')
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((tag) =>
      call('PUT', `/${id}`, { conditions: { tags: [tag] }, expected_revision: 1 }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
})

describe('conditions', () => {
  for (const [name, conditions] of [
    ['an unknown one', { colour: 'red' }],
    ['a bad tag', { tags: ['A b'] }],
    ['a match of its own', { match: 'some' }],
    ['unknown feedback', { feedback: 'maybe' }],
    ['an unknown origin', { origin: 'found' }],
    ['a time that is none', { from: 'yesterday' }],
    ['times the wrong way round', { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
    ['no object', 'all'],
  ] as const) {
    test(`${name} is 400`, async () => {
      assert.equal((await call('POST', '', { name: 'Bad', conditions })).status, 400)
    })
  }
})

test('lists page by page, the newest first', async () => {
  for (let index = 0; index < 5; index++) await made(`Page ${index}`)
  const first = (await call('GET', '?limit=3')).json as unknown as {
    datasets: Dataset[]
    next_cursor: string
  }
  assert.deepEqual(
    first.datasets.map(({ name }) => name),
    ['Page 4', 'Page 3', 'Page 2'],
  )
  const second = (await call('GET', `?limit=2&cursor=${first.next_cursor}`)).json as unknown as {
    datasets: Dataset[]
  }
  assert.deepEqual(
    second.datasets.map(({ name }) => name),
    ['Page 1', 'Page 0'],
  )
})

test('its times may be of any zone', async () => {
  const times = { from: '2026-01-01T12:00:00+02:00', to: '2026-01-01T09:00:00-02:00' }
  assert.deepEqual((await made('Zones', times)).conditions, times)
  const turned = { from: '2026-01-01T12:00:00+01:00', to: '2026-01-01T12:00:00+02:00' }
  const answer = await call('POST', '', { name: 'Zones turned', conditions: turned })
  assert.match(answer.json.error?.message ?? '', /must be earlier than to/)
  const query = new URLSearchParams(times).toString()
  const list = await hone.call('GET', `/api/loop/traces?${query}`, { key: hone.owner.key })
  assert.equal(list.status, 200, list.text)
})

test('its two times are compared as times, however finely they are written', async () => {
  const second = '2026-01-01T00:00:00Z'
  const later = '2026-01-01T00:00:00.500Z'
  await made('Half a second', { from: second, to: later })
  const conditions = { from: later, to: second }
  assert.equal((await call('POST', '', { name: 'Backwards', conditions })).status, 400)
})

test('another workspace’s is 404, like none', async () => {
  const stranger = await otherOrg(hone)
  const { id } = await made('Mine alone')
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { name: 'Theirs' }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await call(method, `/${id}`, body, stranger.secret)
    assert.equal(answer.status, 404)
    assert.equal(answer.text, (await call(method, '/no-such-id', body, stranger.secret)).text)
  }
  const traces = await hone.call('GET', `/api/loop/traces?dataset_id=${id}`, {
    key: stranger.secret,
  })
  assert.equal(traces.status, 404)
})
