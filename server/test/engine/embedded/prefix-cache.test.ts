// What of earlier prompts is kept, for whom, and what makes room for what.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PrefixCache, type PrefixEntry } from '#server/engine/embedded/serve/prefix-cache.ts'
import type { KvState } from '#server/engine/embedded/llama/forward.ts'

const stateOf = (length: number): KvState => ({
  length,
  bytes: length,
  copy: (shorter) => stateOf(shorter),
})

/** Tokens that begin with a number of their own, so that no two of them begin alike. */
function prompt(first: number, length = 20): number[] {
  return Array.from({ length }, (_, at) => (at === 0 ? first : at))
}

function entryOf(tokens: number[], owner = 'w'): PrefixEntry {
  return { owner, tokens, state: stateOf(tokens.length) }
}

const found = (cache: PrefixCache, tokens: number[], owner = 'w'): number | null =>
  cache.find(owner, tokens)?.length ?? null

test('a prompt begins with the longest that is kept, and one token is left to compute', () => {
  const cache = new PrefixCache(1000)
  const tokens = prompt(1, 40)
  cache.add(entryOf([...tokens.slice(0, 30), 99]))
  cache.add(entryOf([...tokens.slice(0, 20), 98]))
  assert.equal(found(cache, tokens), 30)
  assert.equal(found(cache, tokens.slice(0, 30)), 29)
  assert.equal(found(cache, [...tokens.slice(0, 20), 98, 97]), 21)
})

test('fewer than sixteen tokens are not worth keeping, nor sharing', () => {
  const cache = new PrefixCache(1000)
  cache.add(entryOf(prompt(1, 15)))
  assert.equal(cache.bytes, 0)
  cache.add(entryOf(prompt(1, 16)))
  assert.equal(cache.bytes, 16)
  assert.equal(found(cache, prompt(1, 16)), null)
  assert.equal(found(cache, prompt(1, 17)), 16)
  assert.equal(found(cache, [...prompt(1, 15), 99, 98]), null)
})

test('nothing is found for another owner', () => {
  const cache = new PrefixCache(1000)
  cache.add(entryOf(prompt(1), 'a'))
  assert.equal(found(cache, prompt(1), 'b'), null)
  assert.equal(found(cache, prompt(1), 'a'), 19)
})

test('what a longer one covers is not kept beside it, whichever came first', () => {
  for (const lengths of [
    [20, 30],
    [30, 20],
  ]) {
    const cache = new PrefixCache(1000)
    cache.add(entryOf(prompt(2, 25)))
    for (const length of lengths) cache.add(entryOf(prompt(1, length)))
    assert.equal(cache.bytes, 30 + 25)
    assert.equal(found(cache, prompt(1, 40)), 30)
    assert.equal(found(cache, prompt(2, 40)), 25)
  }
})

test('the same twice is kept once', () => {
  const cache = new PrefixCache(1000)
  cache.add(entryOf(prompt(1)))
  cache.add(entryOf(prompt(1)))
  assert.equal(cache.bytes, 20)
})

test('what is taken away is gone, and nothing else', () => {
  const cache = new PrefixCache(1000)
  const [one, two] = [entryOf(prompt(1)), entryOf(prompt(2))]
  cache.add(one)
  cache.add(two)
  cache.remove(one)
  assert.equal(found(cache, prompt(1)), null)
  assert.equal(found(cache, prompt(2)), 19)
  cache.remove(one)
  cache.remove(two)
  assert.equal(cache.bytes, 0)
})

/** Which of the prompts are still there, by their first token. */
function kept(cache: PrefixCache, owners: Record<string, number[]>): number[] {
  return Object.entries(owners).flatMap(([owner, firsts]) =>
    firsts.filter((first) => found(cache, prompt(first), owner) !== null),
  )
}

test('the least recently used of all owners makes room, and only where there is none', () => {
  const cache = new PrefixCache(80)
  for (const [index, owner] of ['a', 'b', 'c', 'd'].entries()) {
    cache.add(entryOf(prompt(index + 1), owner))
  }
  assert.equal(cache.bytes, 80)
  // Finding one and adding it again are uses too.
  assert.equal(found(cache, prompt(1), 'a'), 19)
  cache.add(entryOf(prompt(2), 'b'))
  cache.add(entryOf(prompt(5), 'e'))
  assert.equal(cache.bytes, 80)
  assert.deepEqual(kept(cache, { a: [1], b: [2], c: [3], d: [4], e: [5] }), [1, 2, 4, 5])
})

test('the least recently used is found among owners with several', () => {
  const cache = new PrefixCache(80)
  cache.add(entryOf(prompt(1), 'a'))
  cache.add(entryOf(prompt(2), 'b'))
  cache.add(entryOf(prompt(3), 'a'))
  assert.equal(found(cache, prompt(1), 'a'), 19)
  cache.add(entryOf(prompt(4), 'c'))
  cache.add(entryOf(prompt(5), 'd'))
  assert.deepEqual(kept(cache, { a: [1, 3], b: [2], c: [4], d: [5] }), [1, 3, 4, 5])
})

test('an owner with more than half of everything pushes out its own', () => {
  const cache = new PrefixCache(80)
  cache.add(entryOf(prompt(1), 'a'))
  for (const first of [2, 3, 4]) cache.add(entryOf(prompt(first), 'b'))
  cache.add(entryOf(prompt(5), 'b'))
  assert.deepEqual(kept(cache, { a: [1], b: [2, 3, 4, 5] }), [1, 3, 4, 5])
})

test('an owner with no more than half pushes out whoever is oldest', () => {
  const cache = new PrefixCache(80)
  for (const first of [1, 2, 3]) cache.add(entryOf(prompt(first), 'a'))
  cache.add(entryOf(prompt(4), 'b'))
  cache.add(entryOf(prompt(5), 'b'))
  assert.deepEqual(kept(cache, { a: [1, 2, 3], b: [4, 5] }), [2, 3, 4, 5])
})

test('what has no room at all is not kept', () => {
  const cache = new PrefixCache(19)
  cache.add(entryOf(prompt(1)))
  assert.equal(cache.bytes, 0)
})
