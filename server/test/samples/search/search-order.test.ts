// Of many that hold a text the newest are shown, wherever they stand: waiting, or in segments whose times overlap.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { searchSamples } from '#server/samples/search/search-samples.ts'
import { inSnapshot, type Snapshot } from '#server/samples/search/snapshot.ts'
import { saying, type SearchRig, searchRig } from './search-rig.ts'

let rig: SearchRig
before(async () => {
  rig = await searchRig()
})
after(() => rig.stop())

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute))

test('of many that wait the newest are shown, and counted as far as searches count', async () => {
  const shelf = await rig.shelf()
  const ids = await shelf.add(...Array.from({ length: 202 }, () => 'needle'))
  const newest = ids.toReversed()
  for (const [gone, total, isMinimum] of [
    [0, 200, true],
    [1, 200, true],
    [2, 200, false],
    [3, 199, false],
  ] as const) {
    await shelf.remove(ids.slice(0, gone))
    const listed = await shelf.list({ q: 'needle' })
    assert.deepEqual([listed.total, listed.total_is_minimum], [total, isMinimum])
    assert.deepEqual(
      listed.traces.map(({ id }) => id),
      newest.slice(0, 25),
    )
  }
})

test('of segments with samples of the same hours, each is looked at as far as the page needs', async () => {
  const shelf = await rig.shelf()
  const all: string[] = []
  for (const first of [0, 1]) {
    const minutes = Array.from({ length: 250 }, (_, i) => first + 2 * i)
    all.push(
      ...(await shelf.add(
        ...minutes.map((minute) => ({ ...saying('needle'), createdAt: at(minute) })),
      )),
    )
    await shelf.indexStep()
  }
  const newest = all.sort().reverse()
  for (const page of [1, 2, 3]) {
    const { traces } = await shelf.list({ q: 'needle', page })
    assert.deepEqual(
      traces.map(({ id }) => id),
      newest.slice(25 * (page - 1), 25 * page),
    )
  }
})

test('heavy samples that came in another order than that of their times are found by their times', async () => {
  const shelf = await rig.shelf()
  // More than is read at once, when a segment is made of each two of them and when one is made of all.
  const heavy = saying(`needle ${'ß'.repeat(600_000)}`)
  const minutes = Array.from({ length: 16 }, (_, i) => 16 - i)
  const ids: string[] = []
  for (const minute of minutes) {
    ids.push(...(await shelf.add({ ...heavy, createdAt: at(minute) })))
    if (minute % 2 === 1) await shelf.indexStep()
  }
  for (const step of ['apart', 'joined']) {
    for (const [from, to] of [
      [1, 2],
      [5, 12],
      [16, 17],
    ] as const) {
      assert.deepEqual(
        await shelf.find('needle', { from: at(from).toISOString(), to: at(to).toISOString() }),
        ids.filter((_, i) => from <= 16 - i && 16 - i < to),
        `${step} ${from}`,
      )
    }
    await shelf.index()
  }
})

test('of a few that are selected among many, those are shown that hold the text, each once', async () => {
  const shelf = await rig.shelf()
  const all = await shelf.add(
    ...Array.from({ length: 1800 }, (_, i) => ({
      ...saying(i % 18 === 0 ? 'something else' : 'common words'),
      tags: i % 6 === 0 ? ['few'] : ['many'],
    })),
  )
  await shelf.index()
  const holding = all.filter((_, i) => i % 6 === 0 && i % 18 > 0)
  assert.deepEqual(await shelf.find('common', { tags: 'few' }), holding.toReversed())
})

test('with the page full, as many are counted as three hundred texts tell', async () => {
  const shelf = await rig.shelf()
  await shelf.add(
    ...Array.from({ length: 280 }, (_, i) => ({ ...saying('needle'), tags: i % 2 ? ['x'] : [] })),
  )
  await shelf.index()
  const listed = await shelf.list({ q: 'needle', tags: 'x' })
  assert.deepEqual([listed.total, listed.total_is_minimum], [140, false])
})

test('two letters are found whatever follows them, in a segment with thousands of keys', async () => {
  const shelf = await rig.shelf()
  const many = Array.from({ length: 2000 }, (_, i) => `qq${i.toString(36).padStart(3, '0')}`)
  const ids = await shelf.add(many.join(' '), 'qqzzz', 'qqmmm')
  await shelf.index()
  assert.deepEqual(await shelf.find('qq'), ids.toReversed())
})

test('segments that become one while they are searched are searched as they were', async () => {
  const shelf = await rig.shelf()
  const ids: string[] = []
  for (let i = 0; i < 8; i++) {
    ids.push(...(await shelf.add('needle')))
    await shelf.indexStep()
  }
  const selection = { workspaceId: shelf.workspaceId, at: new Date(), conditions: [] }
  const wanted = { pageEnd: 25, countMax: 200, overdue: () => false }
  let statements = 0
  const found = await inSnapshot(rig.hone.app.storage, (snapshot) => {
    const slow: Snapshot = {
      ...snapshot,
      async rows(query) {
        const rows = await snapshot.rows(query)
        // What waits was read, and which segments there are.
        if (++statements === 2) await shelf.index()
        return rows
      },
    }
    return searchSamples(slow, selection, 'needle', wanted)
  })
  assert.deepEqual(found, { ids: ids.toReversed(), total: 8, isMinimum: false })
})
