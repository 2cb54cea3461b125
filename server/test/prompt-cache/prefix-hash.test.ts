// Hashes of prefixes: equal for equal prefixes, different for anything else that rule 15 names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Block } from '#server/core/block.ts'
import type { CallRequest } from '#server/core/request.ts'
import { type PrefixScope, prefixHashes } from '#server/prompt-cache/prefix-hash.ts'
import { promptBlocks } from '#server/core/prompt-blocks.ts'
import { asking, assistant, text, user } from './requests.ts'

const scope: PrefixScope = {
  workspaceId: 'w',
  model: 'm',
  effort: null,
  thinkingBudgetTokens: null,
  hasImages: false,
}

async function hashes(
  parts: Partial<CallRequest>,
  lengths: number[],
  of: PrefixScope = scope,
): Promise<Record<number, string>> {
  const found = await prefixHashes(of, promptBlocks(asking(parts)), lengths)
  return Object.fromEntries([...found].map(([length, hash]) => [length, hash.toString('hex')]))
}

const short = { system: [text('s')], messages: [user('a')] }
const longer = { ...short, messages: [user('a'), assistant('b'), user('c')] }

test('rule 1: a prefix has the same hash in whatever it is the beginning of', async () => {
  const one = await hashes(short, [1, 2])
  const other = await hashes(longer, [1, 2, 3, 4])
  assert.equal(one[1], other[1])
  assert.equal(one[2], other[2])
  assert.equal(new Set(Object.values(other)).size, 4)
})

test('rule 1: one changed byte changes its prefix and all longer ones', async () => {
  const one = await hashes(longer, [1, 2, 3, 4])
  const other = await hashes(
    { ...longer, messages: [user('a'), assistant('B'), user('c')] },
    [1, 2, 3, 4],
  )
  assert.deepEqual([one[1] === other[1], one[2] === other[2]], [true, true])
  assert.deepEqual([one[3] === other[3], one[4] === other[4]], [false, false])
})

test('an image that is to be looked at more closely is another prompt', async () => {
  const source = { kind: 'url', url: 'https://example.com/a.png' } as const
  const found = [undefined, 'low', 'high'] as const
  const each = found.map(async (detail) => {
    const block: Block = { type: 'image', source, ...(detail ? { detail } : {}) }
    return (await hashes({ messages: [user(block)] }, [1]))[1]
  })
  assert.equal(new Set(await Promise.all(each)).size, found.length)
})

test('only what is asked for is read off, and lengths that do not exist are not there', async () => {
  assert.deepEqual(Object.keys(await hashes(longer, [2, 4, 9])), ['2', '4'])
  assert.deepEqual(await hashes(longer, []), {})
})

const scopes: Record<string, Partial<PrefixScope>> = {
  workspace: { workspaceId: 'v' },
  model: { model: 'n' },
  'workspace and model, cut elsewhere': { workspaceId: '', model: 'wm' },
  effort: { effort: 'high' },
  'thinking budget': { thinkingBudgetTokens: 1024 },
  'a budget of nothing': { thinkingBudgetTokens: 0 },
  images: { hasImages: true },
}

for (const [what, change] of Object.entries(scopes)) {
  test(`rule 15: another cache by ${what}`, async () => {
    const one = await hashes(short, [1])
    const other = await hashes(short, [1], { ...scope, ...change })
    assert.notEqual(one[1], other[1])
  })
}

test('no character is lost where a slice ends', async () => {
  // Characters of two code units around the end of the first slice, in texts that begin here or one unit later.
  const characters = 1 << 17
  for (const lead of ['', 'x']) {
    const seen = new Set<string | undefined>()
    for (let back = 0; back <= 30; back++) {
      const tail = back === 0 ? '' : '😁' + '😀'.repeat(back - 1)
      const value = lead + '😀'.repeat(characters - back) + tail + '😀'.repeat(100)
      seen.add((await hashes({ system: [text(value)] }, [1]))[1])
    }
    assert.equal(seen.size, 31)
  }
})

test('no character is lost where a slice ends, whatever stands around it', async () => {
  const sliceUnits = 1 << 18
  // The first and the last characters of two code units, and two in the middle.
  for (const [one, other] of [
    ['\u{10000}', '\u{10001}'],
    ['😀', '😁'],
    ['\u{10fffe}', '\u{10ffff}'],
  ]) {
    for (const before of ['', '\u{10000}']) {
      for (let back = 0; back <= 40; back++) {
        const lead = 'x'.repeat(sliceUnits - back) + before
        const each = [one, other].map((last) => hashes({ system: [text(`${lead}${last}y`)] }, [1]))
        const [a, b] = await Promise.all(each)
        assert.notEqual(a?.[1], b?.[1])
      }
    }
  }
})

test('where the hash is read off on the way changes nothing', async () => {
  const blocks = Array.from({ length: 5000 }, (_, index) => `${index}`)
  const request = { messages: [user(...blocks)] }
  const all = await hashes(
    request,
    blocks.map((_, index) => index + 1),
  )
  const some = await hashes(request, [2047, 2048, 2049, 4096, 5000])
  for (const [length, hash] of Object.entries(some)) assert.equal(hash, all[Number(length)])
  assert.equal(new Set(Object.values(all)).size, 5000)
})

test('nor does it where texts are longer than a slice', async () => {
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000))
  const request = { messages: [user(...texts)] }
  const all = await hashes(request, [1, 2, 3, 4])
  assert.deepEqual(await hashes(request, [4]), { 4: all[4] })
  assert.deepEqual(await hashes(request, [3]), { 3: all[3] })
})

test('hashing a large prompt lets others have their turn', async () => {
  let turns = 0
  let done = false
  const count = (): void => {
    turns++
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  await hashes({ system: [text('x'.repeat(8 << 20))] }, [1])
  done = true
  assert.ok(turns >= 8, `${turns} turns`)
})

test('equal prefixes have equal hashes and others do not', async () => {
  const texts = fc.array(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(texts, texts, async (one, other) => {
      const lengths = [1, 2, 3, 4, 5]
      const a = await hashes({ messages: [user(...one)] }, lengths)
      const b = await hashes({ messages: [user(...other)] }, lengths)
      for (let length = 1; length <= Math.min(one.length, other.length); length++) {
        const same = one.slice(0, length).every((value, index) => value === other[index])
        assert.equal(a[length] === b[length], same)
      }
    }),
  )
})
