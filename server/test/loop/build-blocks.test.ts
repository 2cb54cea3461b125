// The blocks of a segment against the plainest way to say what they must hold: every key of every text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addFromBlock, type Blocks } from '#server/loop/search/block.ts'
import { buildBlocks } from '#server/loop/search/build-blocks.ts'
import { docsOf, emptySet } from '#server/loop/search/doc-set.ts'
import { gramLength, pairOf, symbolOf, tails } from '#server/loop/search/gram.ts'

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
