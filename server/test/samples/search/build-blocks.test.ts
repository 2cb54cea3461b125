// The blocks of a segment against the plainest way to say what they must hold: every key of every text.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { addFromBlock, type Blocks, BlockWriter } from '#server/samples/search/block.ts'
import { buildBlocks } from '#server/samples/search/build-blocks.ts'
import { docsOf, emptySet } from '#server/samples/search/doc-set.ts'
import { groupPieces } from '#server/samples/search/group-pieces.ts'
import { gramLength, pairOf, rangesOf, symbolOf, tails } from '#server/samples/search/gram.ts'

function keysOf(text: string): Set<number> {
  const keys = new Set<number>()
  for (let at = 0; at + 1 < text.length; at++) {
    let tail = 0
    for (let i = at + 2; i < at + gramLength; i++) {
      tail = tail * 256 + (i < text.length ? symbolOf(text.charCodeAt(i)) : 0)
    }
    keys.add(pairOf(text.charCodeAt(at), text.charCodeAt(at + 1)) * tails + tail)
  }
  return keys
}

function expected(texts: readonly string[]): Map<number, number[]> {
  const docs = new Map<number, number[]>()
  texts.forEach((text, doc) => {
    for (const key of keysOf(text)) {
      const known = docs.get(key)
      if (known) known.push(doc)
      else docs.set(key, [doc])
    }
  })
  return docs
}

/** The documents of one key. */
function found({ firstKeys, starts, bytes }: Blocks, key: number): number[] {
  const set = emptySet()
  const at = firstKeys.findLastIndex((first) => first <= key)
  const entries = bytes.subarray(starts[at], starts[at + 1])
  addFromBlock({ firstKey: firstKeys[at] ?? 0, entries }, { from: key, to: key + 1 }, set)
  return docsOf(set).reverse()
}

function assertComplete(texts: readonly string[], stride = 1): void {
  const blocks = buildBlocks(texts)
  let at = 0
  for (const [key, docs] of expected(texts)) {
    if (at++ % stride === 0) assert.deepEqual(found(blocks, key), docs)
  }
}

test('whatever the texts are, every key leads to the texts that have it', () => {
  const alphabet = fc.constantFrom('a', 'b', ' ', 'é', '漢', '\ud83d', '\ude00', '\u00ff')
  const text = fc.oneof(fc.string({ unit: alphabet }), fc.string({ unit: 'binary' }))
  const searched = text.map((said) => said.replaceAll('\0', ' '))
  fc.assert(
    fc.property(fc.array(searched, { maxLength: 20 }), (texts) => assertComplete(texts)),
    { numRuns: 500 },
  )
})

test('so does a key that a text has again after thousands of others, and one that thousands of places have', () => {
  let seed = 1
  const letter = (): string => {
    seed = (seed * 48_271) % 0x7fff_ffff
    return String.fromCharCode(97 + (seed % 26))
  }
  const many = Array.from({ length: 60_000 }, letter).join('')
  const same = Array.from({ length: 30_000 }, () => `th${letter()}${letter()} `).join('')
  assertComplete([`again ${many} again`, same, many.slice(0, 20_000), `again ${same}`], 97)
})

/** Lines that are long enough to be told apart, so that texts share them. */
const line = fc
  .tuple(fc.constantFrom('a', 'b', 'the same words ', '漢字 '), fc.integer({ min: 120, max: 140 }))
  .map(([words, length]) => words.repeat(140).slice(0, length))
const piece = fc.oneof(
  { weight: 4, arbitrary: line },
  fc.constantFrom('', 'x', 'short', '\u0003', '\u0005'),
)
const turns = fc
  .array(fc.tuple(piece, fc.constantFrom('\n', '\u0003', '\u0004')), { maxLength: 12 })
  .map((said) => said.flat().join(''))

test('so do keys in lines that several texts have, and across the ends of such lines', () => {
  fc.assert(
    fc.property(fc.array(turns, { maxLength: 20 }), (texts) => assertComplete(texts)),
    { numRuns: 300 },
  )
})

test('so do keys of a conversation that goes on, and of texts far apart that have the same lines', () => {
  const words = (seed: number): string => {
    let said = ''
    for (let at = seed; said.length < 150; at = (at * 48_271 + 7) % 0x7fff_ffff) {
      said += `${at.toString(36)} `
    }
    return said
  }
  let conversation = words(1)
  const texts = Array.from({ length: 40 }, (_, turn) => {
    conversation += `\u0003${words(turn * 2 + 2)}\u0004${words(turn * 2 + 3)}`
    return conversation
  })
  assertComplete(texts)
  const others = Array.from({ length: 300 }, (_, at) => `${at}`)
  const far = `${words(5)}\n${words(6)}\n${words(5)}`
  assertComplete([far, ...others, `${words(9)}\n${far}`, ...others, `0${far}`])
})

/** Lines that are each in two of the texts, so that there are many groups. All of them have nearly the same keys. */
function inPairs(documents: number): string[] {
  const texts = Array.from({ length: documents }, () => '')
  let pairs = 0
  for (let one = 0; one < documents; one++) {
    for (let other = 0; other < one; other++) {
      const number = (pairs++).toString(2).padStart(15, '0')
      const said = `${'the same words again '.repeat(4)}${number.replace(/./g, (bit) => `n${bit} `)}!\n`
      texts[one] += said
      texts[other] += said
    }
  }
  return texts
}

test('so do keys when there are more groups of lines than names for them', () => {
  const plain = inPairs(190)
  const groups = groupPieces(plain)
  const [one, other] = [1000, 1000 + (1 << 14)].map((group) => groups[group]?.pieces[0]?.text ?? '')
  assert.ok(one && other)
  // These two have the same name, and only they have this key.
  const texts = plain.map((text) =>
    [one, other].reduce((said, line) => said.replace(line, line.replace('again', 'zqzqz')), text),
  )
  const blocks = buildBlocks(texts)
  for (const sought of ['again', 'zqzqz', 'n0 !\n', 's aga']) {
    const [key = 0] = keysOf(sought)
    const holders = [...texts.keys()].filter((doc) => texts[doc]?.includes(sought))
    assert.deepEqual(found(blocks, key), holders, sought)
  }
})

test('pieces for which there is no group are left with each of their texts', () => {
  const texts = inPairs(30)
  for (const groupsMax of [30, 31, 200, 1000]) {
    const groups = groupPieces(texts, groupsMax)
    assert.ok(groups.length <= groupsMax)
    const heldBy = texts.map(() => '')
    for (const { docs, pieces } of groups) {
      for (const doc of docs) heldBy[doc] += pieces.map(({ text }) => text).join('')
    }
    texts.forEach((text, doc) => {
      for (const line of text.split(/(?<=\n)/)) assert.ok(heldBy[doc]?.includes(line))
    })
  }
})

test('so do places by the ten thousand that begin alike, and those for which there is only just room', () => {
  const alike = Array.from({ length: 20_000 }, (_, at) => `th${at.toString(36).padStart(3, '0')}`)
  assertComplete([alike.join('')], 7)
  let seed = 1
  const letter = (): string => {
    seed = (seed * 48_271) % 0x7fff_ffff
    return String.fromCharCode(0x4e00 + (seed % 20_000))
  }
  // A place at each of its letters but the last, and hardly two of them alike.
  for (const places of [1 << 16, (1 << 16) + 1, 70_000]) {
    const text = Array.from({ length: places + 1 }, letter).join('')
    const blocks = buildBlocks([text])
    for (const at of [0, 1000, places - 1]) {
      const [key] = keysOf(text.slice(at, at + gramLength))
      assert.deepEqual(found(blocks, key ?? 0), [0], `place ${at} of ${places}`)
    }
  }
})

test('whichever texts have a key, and however far apart they are, all of them are read again', () => {
  const step = fc.oneof(fc.nat(2), fc.integer({ min: 125, max: 131 }), fc.nat(15_000))
  const docs = fc.array(step, { minLength: 1, maxLength: 300 }).map((steps) => {
    let next = 0
    const list: number[] = []
    for (const gap of steps) {
      if (next + gap >= 15_360) break
      list.push(next + gap)
      next += gap + 1
    }
    return list
  })
  const keys = fc.array(
    fc.record({
      gap: fc.oneof(
        fc.integer({ min: 1, max: 200 }),
        fc.nat(2 ** 40).map((far) => far + 1),
      ),
      docs: docs.filter((list) => list.length > 0),
    }),
    { minLength: 1, maxLength: 40 },
  )
  fc.assert(
    fc.property(keys, (list) => {
      const writer = new BlockWriter()
      let key = 0
      const written = list.map((entry) => ({ key: (key += entry.gap), docs: entry.docs }))
      for (const entry of written) {
        writer.add(entry.key, Uint16Array.from(entry.docs), entry.docs.length)
      }
      const blocks = writer.end()
      assert.equal(blocks.starts.at(-1), blocks.bytes.length)
      for (const entry of written) assert.deepEqual(found(blocks, entry.key), entry.docs)
    }),
  )
})

// Whoever changes one of these has to have all samples indexed anew, or they are not found any more.
describe('an index that is stored is read for ever, so', () => {
  test('keys stay what they are', () => {
    const abcde = (97 * 128 + 98) * 256 ** 3 + 99 * 256 ** 2 + 100 * 256 + 101
    assert.deepEqual(rangesOf('abcde'), [{ from: abcde, to: abcde + 1 }])
    for (const [sought, from, to] of [
      ['ab', 209_950_081_024, 209_966_858_240],
      ['漢字', 3_312_426_418_176, 3_312_443_195_392],
      ['éa', 1_558_938_910_720, 1_558_955_687_936],
      ['a😀b', 2_025_995_395_584, 2_025_995_395_840],
      ['zß漢é\u00ff', 804_567_967_998, 804_567_967_999],
    ] as const) {
      assert.deepEqual(rangesOf(sought), [{ from, to }], sought)
    }
  })

  test('so do blocks', () => {
    const firstKey = 209_950_081_024
    const entries = Buffer.from(
      '0007f7ff0f8080e8bbb901020380809884080203808080b0c82702148080a0d7e420021480d0e389b7100214',
      'hex',
    )
    const docs = (sought: string): number[] => {
      const set = emptySet()
      for (const range of rangesOf(sought)) addFromBlock({ firstKey, entries }, range, set)
      return docsOf(set)
    }
    assert.deepEqual(docs('xyz'), [3])
    assert.deepEqual(docs('漢字 é'), [20])
    assert.deepEqual(
      docs('ab').toReversed(),
      [...Array(20).keys()].filter((doc) => doc !== 3),
    )
  })
})
