// What the index names for a text, against a plain look at all texts: whatever holds the text is named, in every segment.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Blocks } from '#server/samples/search/block.ts'
import { buildBlocks } from '#server/samples/search/build-blocks.ts'
import { lookUp } from '#server/samples/search/candidates.ts'
import { chooseRanges, rangesToProbe } from '#server/samples/search/choose-ranges.ts'
import {
  addDoc,
  countCommon,
  countDocs,
  type DocSet,
  docsOf,
  emptySet,
} from '#server/samples/search/doc-set.ts'
import type { KeyRange } from '#server/samples/search/gram.ts'
import type { Snapshot } from '#server/samples/search/snapshot.ts'

/** Blocks as the table gives them out: of each range the one in which it begins, and those that begin within it. */
function snapshotOf(segments: readonly Blocks[]): Snapshot {
  return {
    rows: () => Promise.reject(new Error('nothing else is asked')),
    async prepared<Row>(_name: string, _text: string, values: readonly unknown[]) {
      const [ids, lows, highs] = values as [string[], number[], number[]]
      return ids.flatMap((id, segment) => {
        const { firstKeys, starts, bytes } = segments[Number(id)] as Blocks
        return lows.flatMap((low, range) => {
          const from = Math.max(
            0,
            firstKeys.findLastIndex((first) => first <= low),
          )
          const to = firstKeys.findLastIndex((first) => first < (highs[range] as number))
          return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => ({
            segment: segment + 1,
            range: range + 1,
            first_key: String(firstKeys[from + i]),
            entries: Buffer.from(bytes.subarray(starts[from + i], starts[from + i + 1])),
          }))
        })
      }) as Row[]
    },
  }
}

/** Of each segment, highest number first. */
async function candidates(texts: readonly string[][], blocks: Blocks[], sought: string) {
  const segments = texts.map((of, id) => ({ id: String(id), lastId: '', samples: of.length }))
  const [probe] = segments.toSorted((a, b) => b.samples - a.samples)
  assert.ok(probe)
  const lookup = await lookUp(snapshotOf(blocks), sought, probe)
  const found = await lookup.in(segments)
  assert.equal(found[Number(probe.id)]?.length, lookup.probed)
  return found
}

function holding(texts: readonly string[], sought: string): number[] {
  return texts.flatMap((text, doc) => (text.includes(sought) ? doc : [])).reverse()
}

let seed = 7
const upTo = (count: number): number => (seed = (seed * 48_271) % 0x7fff_ffff) % count
const oneOf = <T>(list: readonly T[]): T => list[upTo(list.length)] as T
const written = (letters: readonly string[], length: number): string =>
  Array.from({ length }, () => oneOf(letters)).join('')

const few = [...'abcde ']
const many = [
  ...'abcdefghijklmnopqrstuvwxyz 0123456789.,%_\\',
  'é',
  'ß',
  '漢',
  '字',
  '😀',
  '\u00ff',
]

describe('every text that holds what is sought is named', () => {
  for (const [what, letters, lengthMax] of [
    ['few letters, whose keys most texts have', few, 120],
    ['many letters, whose keys few texts have', many, 400],
  ] as const) {
    test(`among ${what}`, async () => {
      const texts = [900, 300, 3].map((count) =>
        Array.from({ length: count }, () => written(letters, upTo(lengthMax))),
      )
      const blocks = texts.map(buildBlocks)
      assert.ok(blocks[0] && blocks[0].firstKeys.length > 50, 'keys of many blocks')
      for (let round = 0; round < 150; round++) {
        const text = oneOf(oneOf(texts))
        const length = 2 + upTo(round % 3 === 0 ? 150 : 6)
        const from = upTo(Math.max(1, text.length - length))
        const piece = text.slice(from, from + length)
        const sought = piece.length > 1 && round % 5 > 0 ? piece : written(letters, length)
        const count = 1 + (round % 3)
        const found = await candidates(texts.slice(0, count), blocks, sought)
        texts.slice(0, count).forEach((of, segment) => {
          const expected = holding(of, sought)
          const named = found[segment] ?? []
          // Letters of ASCII have keys of their own, so a text no longer than a key is found by them alone.
          if (/^[\0-\x7f]{2,5}$/.test(sought)) return assert.deepEqual(named, expected, sought)
          const missing = expected.filter((doc) => !named.includes(doc))
          assert.deepEqual(missing, [], JSON.stringify(sought))
          assert.deepEqual(
            named,
            named.toSorted((a, b) => b - a),
            'newest first',
          )
        })
      }
    })
  }

  test('as the last of a full segment, and after thousands that do not hold it', async () => {
    const texts: string[] = Array.from({ length: 15_360 }, (_, doc) =>
      doc % 3 === 0 ? 'even so' : 'odd',
    )
    for (const doc of [0, 127, 128, 129, 8191, 15_359]) texts[doc] = 'a needle'
    const blocks = [buildBlocks(texts)]
    for (const sought of ['needle', 'ne', 'even so', 'odd', 'so', 'needles']) {
      assert.deepEqual(await candidates([texts], blocks, sought), [holding(texts, sought)], sought)
    }
  })
})

test('of a long text the keys that few have are looked up, wherever in it they stand', async () => {
  const texts = [900, 800].map((count) =>
    Array.from({ length: count }, (_, doc) => `so many words ${doc === 7 ? 'and a needle' : ''}`),
  )
  const blocks = texts.map(buildBlocks)
  for (const sought of ['so many words and a needle', 'so many words and']) {
    assert.deepEqual(await candidates(texts, blocks, sought), [[7], [7]], sought)
  }
})

describe('keys of a long text', () => {
  const ranges = (count: number): KeyRange[] =>
    Array.from({ length: count }, (_, at) => ({ from: at, to: at + 1 }))

  test('are looked at from its first to its last, and no more of them than 48', () => {
    for (const count of [1, 47, 48]) assert.deepEqual(rangesToProbe(ranges(count)), ranges(count))
    for (const count of [49, 100, 396]) {
      const probed = rangesToProbe(ranges(count)).map(({ from }) => from)
      assert.deepEqual([probed.length, probed[0], probed.at(-1)], [48, 0, count - 1])
      const gaps = probed.slice(1).map((from, at) => from - (probed[at] as number))
      assert.ok(Math.min(...gaps) > 0 && Math.max(...gaps) - Math.min(...gaps) <= 1, gaps.join())
    }
  })

  const docs = fc.uniqueArray(fc.nat(15_359), { maxLength: 60 })
  const setOf = (list: readonly number[]): DocSet => {
    const set = emptySet()
    for (const doc of list) addDoc(set, doc)
    return set
  }

  test('that are chosen leave together as little as can be, and are as few as do', () => {
    const some = fc.uniqueArray(fc.nat(40))
    // Each spares little, so that it takes many of them.
    const most = fc
      .uniqueArray(fc.nat(40), { maxLength: 2 })
      .map((gone) => [...Array(41).keys()].filter((doc) => !gone.includes(doc)))
    const lists = fc.array(
      fc.oneof({ weight: 1, arbitrary: some }, { weight: 4, arbitrary: most }),
      {
        minLength: 1,
        maxLength: 20,
      },
    )
    fc.assert(
      fc.property(lists, (all) => {
        const left = (places: readonly number[]): number =>
          places
            .map((place) => all[place] as number[])
            .reduce((kept, list) => kept.filter((doc) => list.includes(doc))).length
        const places = [...all.keys()]
        const common = left(places)
        const sets = all.map(setOf)
        const chosen = chooseRanges(sets, common)
        assert.deepEqual(sets, all.map(setOf), 'the sets stay what they are')
        assert.equal(new Set(chosen).size, chosen.length, 'each once')
        const after = chosen.map((_, at) => left(chosen.slice(0, at + 1)))
        const least = chosen.map((_, at) =>
          Math.min(...places.map((place) => left([...chosen.slice(0, at), place]))),
        )
        assert.deepEqual(after, least)
        const enough = after.findIndex((count) => count <= common + 2)
        assert.equal(chosen.length, enough === -1 ? Math.min(8, all.length) : enough + 1)
      }),
      { numRuns: 300 },
    )
  })

  test('have their documents counted as they are, and listed from the highest on', () => {
    fc.assert(
      fc.property(docs, docs, (some, others) => {
        assert.equal(countDocs(setOf(some)), some.length)
        const both = some.filter((doc) => others.includes(doc)).length
        assert.equal(countCommon(setOf(some), setOf(others)), both)
        assert.deepEqual(
          docsOf(setOf(some)),
          some.toSorted((a, b) => b - a),
        )
      }),
    )
  })
})
