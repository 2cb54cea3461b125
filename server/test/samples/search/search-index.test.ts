// The search index against a plain look at all texts, and what is in it after deletions, faults and competition.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { foldForSearch } from '#server/samples/sample/search-text.ts'
import { addFromBlock, type Block } from '#server/samples/search/block.ts'
import { countDocs, emptySet } from '#server/samples/search/doc-set.ts'
import { rangesOf } from '#server/samples/search/gram.ts'
import { indexDefaults } from '#server/samples/search/index-workspace.ts'
import { SampleIndexer } from '#server/samples/search/sample-indexer.ts'
import { indexSamples } from '#server/task/index-samples.ts'
import { inDatabase } from '#test/support/in-database.ts'
import { testHone } from '#test/support/test-hone.ts'
import { atOnce, type SearchRig, searchRig, type Shelf } from './search-rig.ts'
import { until } from '#test/support/until.ts'

let rig: SearchRig
before(async () => {
  rig = await searchRig()
})
after(() => rig.stop())

type SegmentRow = { id: string; samples: number; ids: string }

async function segmentsOf({ workspaceId }: Shelf): Promise<SegmentRow[]> {
  return inDatabase<SegmentRow>(
    rig.hone.databaseUrl,
    `select id, samples, encode(sample_ids, 'hex') as ids from search_segment
     where workspace_id = '${workspaceId}' order by first_id`,
  )
}

async function samplesIn(shelf: Shelf): Promise<string[]> {
  const segments = await segmentsOf(shelf)
  return segments.flatMap(({ ids }) => ids.match(/.{32}/g) ?? []).sort()
}

const bare = (ids: readonly string[]): string[] => ids.map((id) => id.replaceAll('-', '')).sort()

async function queued({ workspaceId }: Shelf): Promise<number> {
  const rows = await inDatabase<{ n: string }>(
    rig.hone.databaseUrl,
    `select coalesce(sum(cardinality(sample_ids)), 0) as n from search_queue
     where workspace_id = '${workspaceId}'`,
  )
  return Number(rows[0]?.n)
}

/** How many documents of the workspace's index hold each of the keys of a text. */
async function documentsWith(shelf: Shelf, text: string): Promise<number[]> {
  const { rows } = await sql<{ first_key: string; entries: Buffer }>`
    select b.first_key, b.entries from search_block b join search_segment g on g.id = b.segment_id
    where g.workspace_id = ${shelf.workspaceId}
  `.execute(rig.hone.app.storage.db)
  const blocks: Block[] = rows.map((row) => ({
    firstKey: Number(row.first_key),
    entries: row.entries,
  }))
  return rangesOf(text).map((range) => {
    const docs = emptySet()
    for (const block of blocks) addFromBlock(block, range, docs)
    return countDocs(docs)
  })
}

describe('the same as a plain look at all texts', () => {
  const letters = fc.constantFrom(...'aab bc%_\\AÉé😀Σσς退\n')
  const words = fc.array(letters, { maxLength: 30 }).map((list) => list.join(''))
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: fc.array(words, { minLength: 1, maxLength: 4 }) }) },
    { weight: 3, arbitrary: fc.constant({ index: true as const }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.array(fc.nat(50), { maxLength: 3 }) }) },
  )
  const sought = fc.oneof(
    fc.array(letters, { minLength: 2, maxLength: 7 }).map((list) => list.join('')),
    // A part of some text, so that there is something to find.
    fc.record({ of: fc.nat(50), from: fc.nat(30), length: fc.integer({ min: 2, max: 20 }) }),
  )

  test('whatever is stored, indexed, merged and deleted before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 24 }),
        fc.array(sought, { minLength: 1, maxLength: 6 }),
        async (steps, queries) => {
          const shelf = await rig.shelf()
          const texts = new Map<string, string>()
          for (const one of steps) {
            if ('add' in one) {
              const ids = await shelf.add(...one.add)
              ids.forEach((id, i) => texts.set(id, one.add[i] as string))
            } else if ('index' in one) {
              await shelf.indexStep()
            } else {
              const gone = one.remove.flatMap((at) => [...texts.keys()][at] ?? [])
              if (gone.length > 0) await shelf.remove(gone)
              for (const id of gone) texts.delete(id)
            }
          }
          const check = async (): Promise<void> => {
            const all = [...texts].sort(([a], [b]) => (a < b ? 1 : -1))
            for (const query of queries) {
              const q =
                typeof query === 'string'
                  ? query
                  : (all[query.of]?.[1] ?? '')
                      .slice(query.from, query.from + query.length)
                      .toWellFormed()
              if ([...q].length < 2 || !q.isWellFormed()) continue
              const plain = all.filter(([, text]) => foldForSearch(text).includes(foldForSearch(q)))
              assert.deepEqual(
                await shelf.find(q),
                plain.map(([id]) => id),
                JSON.stringify(q),
              )
            }
          }
          await check()
          await shelf.index()
          await check()
          assert.deepEqual(await samplesIn(shelf), bare([...texts.keys()]))
          assert.equal(await queued(shelf), 0)
        },
      ),
      { numRuns: 25, endOnFailure: true },
    )
  })
})

describe('segments', () => {
  test('a short queue is left alone, a long one becomes a segment', async () => {
    const shelf = await rig.shelf()
    await shelf.add(...Array.from({ length: 255 }, () => 'words'))
    assert.equal(await shelf.indexStep(indexDefaults), false)
    await shelf.add('words')
    assert.equal(await shelf.indexStep(indexDefaults), true)
    assert.deepEqual([(await segmentsOf(shelf)).length, await queued(shelf)], [1, 0])
  })

  test('a heavy queue becomes one too', async () => {
    const shelf = await rig.shelf()
    await shelf.add('long words '.repeat(100_000))
    assert.equal(await shelf.indexStep(indexDefaults), true)
    assert.equal((await shelf.find('ng words lo')).length, 1)
  })

  test('many small ones become a larger one, and their rows are gone', async () => {
    const shelf = await rig.shelf()
    const ids: string[] = []
    for (let i = 0; i < 8; i++) {
      ids.push(...(await shelf.add(`words of ${i}`, 'and more')))
      await shelf.indexStep()
    }
    assert.equal((await segmentsOf(shelf)).length, 8)
    await shelf.index()
    const [only, ...others] = await segmentsOf(shelf)
    assert.deepEqual([only?.samples, others], [16, []])
    assert.deepEqual(await samplesIn(shelf), bare(ids))
    const { rows } = await sql<{ n: string }>`
      select count(*) as n from search_block b
      where not exists (select 1 from search_segment g where g.id = b.segment_id)
    `.execute(rig.hone.app.storage.db)
    assert.equal(rows[0]?.n, '0')
  })

  test('a batch that is heavier than a segment should be is one by itself, and what came after it is found too', async () => {
    const shelf = await rig.shelf()
    const heavy = (word: string): string => `${word} ${'a'.repeat(4_500_000)}`
    const first = await shelf.add(heavy('first'), heavy('second'), heavy('third'))
    const later = await shelf.add('fourth')
    assert.equal(await shelf.indexStep(), true)
    assert.deepEqual(await samplesIn(shelf), bare(first))
    assert.equal(await queued(shelf), 1)
    await shelf.index()
    assert.deepEqual(await samplesIn(shelf), bare([...first, ...later]))
    for (const [at, word] of ['first', 'second', 'third', 'fourth'].entries()) {
      assert.deepEqual(await shelf.find(word), [[...first, ...later][at]])
    }
  })

  test('one that is stored in several pieces is found by whatever is in it', async () => {
    const shelf = await rig.shelf()
    let seed = 1
    const word = (): string => {
      seed = (seed * 48_271) % 0x7fff_ffff
      return seed.toString(36)
    }
    const words = Array.from({ length: 50_000 }, word)
    const [id] = await shelf.add(words.join(' '))
    await shelf.index()
    const stored = await inDatabase<{ bytes: string }>(
      rig.hone.databaseUrl,
      `select sum(length(b.entries)) as bytes from search_block b
       join search_segment g on g.id = b.segment_id where g.workspace_id = '${shelf.workspaceId}'`,
    )
    assert.ok(Number(stored[0]?.bytes) > 1024 * 1024, 'more than goes into one piece')
    for (let at = 0; at < words.length; at += 5000) {
      assert.deepEqual(await shelf.find(words[at] as string), [id], words[at])
    }
  })

  test('the task indexes by itself', async () => {
    const shelf = await rig.shelf()
    const ids = await shelf.add(...Array.from({ length: 300 }, (_, i) => `words ${i}`))
    const { databaseUrl } = rig.hone
    const indexer = new SampleIndexer(databaseUrl)
    const busy = await testHone({ databaseUrl, tasks: [indexSamples(indexer)] })
    await until(async () => (await queued(shelf)) === 0)
    await busy.stop()
    await indexer.close()
    assert.deepEqual(await samplesIn(shelf), bare(ids))
    assert.deepEqual(await shelf.find('words 299'), [ids[299]])
  })
})

describe('deleted samples', () => {
  test('are not found, and leave nothing behind in the index', async () => {
    const shelf = await rig.shelf()
    const [kept, gone] = await shelf.add('harmless words', 'the secret zyxwvutsr')
    await shelf.index()
    assert.deepEqual(await shelf.find('zyxw'), [gone])
    assert.ok((await documentsWith(shelf, 'zyxwvutsr')).every((count) => count === 1))

    await shelf.remove([gone as string])
    assert.deepEqual(await shelf.find('zyxw'), [])
    assert.equal(await shelf.indexStep(indexDefaults), false, 'not for each one')
    await shelf.index()
    assert.deepEqual(await shelf.find('words'), [kept])
    assert.ok((await documentsWith(shelf, 'zyxwvutsr')).every((count) => count === 0))
    assert.deepEqual(await samplesIn(shelf), bare([kept as string]))
  })

  test('of a whole segment take it with them at once', async () => {
    const shelf = await rig.shelf()
    const ids = await shelf.add('one text', 'another text')
    await shelf.index()
    await shelf.remove(ids)
    assert.equal(await shelf.indexStep(indexDefaults), true)
    assert.deepEqual(await segmentsOf(shelf), [])
    assert.ok((await documentsWith(shelf, 'text')).every((count) => count === 0))
  })

  test('that wait to be indexed never are', async () => {
    const shelf = await rig.shelf()
    const ids = await shelf.add('one text', 'another text')
    await shelf.remove(ids)
    assert.equal(await queued(shelf), 0)
    assert.equal(await shelf.indexStep(), false)
  })

  test('leave over HTTP as well', async () => {
    const shelf = await rig.shelf()
    const [id] = await shelf.add('one text')
    await shelf.index()
    const session = await rig.hone.login(rig.hone.owner.email, rig.hone.owner.password)
    const headers = { ...session, 'x-workspace-id': shelf.workspaceId }
    const answer = await rig.hone.call('DELETE', `/api/loop/traces/${id}`, { headers })
    assert.equal(answer.status, 204)
    await shelf.index()
    assert.deepEqual(await segmentsOf(shelf), [])
  })
})

/** Connections of the pool may be dead without having been told; each is found out by its next use. */
async function workingAgain(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await work()
      return
    } catch (error) {
      if (tries === 40) throw error
    }
  }
}

describe('faults', () => {
  test('several indexers at once put every sample into one segment', async () => {
    const shelf = await rig.shelf()
    const ids = await shelf.add(...Array.from({ length: 400 }, (_, i) => `words ${i}`))
    const indexUntilDone = async (): Promise<void> => {
      while ((await queued(shelf)) > 0) if (!(await shelf.indexStep())) await delay(5)
    }
    await Promise.all([1, 2, 3, 4].map(indexUntilDone))
    assert.deepEqual(await samplesIn(shelf), bare(ids))
  })

  test('samples deleted while they are indexed are not in the index afterwards', async () => {
    const shelf = await rig.shelf()
    const kept: string[] = []
    for (let round = 0; round < 8; round++) {
      const ids = await shelf.add(...Array.from({ length: 40 }, (_, i) => `round ${round} ${i}`))
      const gone = ids.filter((_, i) => i % 3 === 0)
      kept.push(...ids.filter((_, i) => i % 3 !== 0))
      const removing = delay(round * 15).then(() => shelf.remove(gone))
      await Promise.all([shelf.indexStep(), removing])
    }
    await shelf.index()
    assert.deepEqual(await samplesIn(shelf), bare(kept))
    assert.deepEqual(bare(await shelf.find('round')), bare(kept))
  })

  test('an indexer that loses the database in the middle leaves all as it was, or all done', async () => {
    const shelf = await rig.shelf()
    // Long enough that indexing them takes longer than ending a connection does.
    const text = (i: number): string => `words number ${i} `.repeat(1500)
    const ids = await shelf.add(...Array.from({ length: 300 }, (_, i) => text(i)))
    let interrupted = 0
    for (let wait = 0; (await queued(shelf)) > 0 && wait < 400; wait += 10) {
      const indexing = shelf.indexStep(atOnce).catch(() => interrupted++)
      await delay(wait)
      await inDatabase(
        rig.hone.databaseUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'hone' and pid <> pg_backend_pid()`,
      )
      await indexing
      const [row] = await inDatabase<{ n: string }>(
        rig.hone.databaseUrl,
        `select (select coalesce(sum(cardinality(sample_ids)), 0) from search_queue
            where workspace_id = '${shelf.workspaceId}')
           + (select coalesce(sum(samples), 0) from search_segment
              where workspace_id = '${shelf.workspaceId}') as n`,
      )
      assert.equal(Number(row?.n), ids.length)
    }
    assert.ok(interrupted > 0)
    await workingAgain(() => shelf.index())
    assert.deepEqual(await samplesIn(shelf), bare(ids))
    await workingAgain(() => shelf.find('number'))
    assert.deepEqual((await shelf.find('number')).length, ids.length)
  })
})
