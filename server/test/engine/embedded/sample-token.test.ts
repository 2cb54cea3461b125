// Sampling: every setting changes the choice as it says, and a seed repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sampling } from '#server/core/request.ts'
import { randomSource } from '#server/engine/embedded/generate/random-source.ts'
import { sampleToken } from '#server/engine/embedded/generate/sample-token.ts'
import { tokenSet } from '#server/engine/embedded/grammar/token-set.ts'

const logits = Float32Array.of(2, 1, 0, -1, 5)
const allowed = tokenSet(5, [0, 1, 2, 3])

function draws(sampling: Sampling, count = 2000, counts = new Map<number, number>()): number[] {
  const random = randomSource(7)
  const seen = [0, 0, 0, 0, 0]
  for (let i = 0; i < count; i++) seen[sampleToken(logits, allowed, sampling, counts, random)]!++
  return seen
}

test('temperature 0 takes the best allowed token', () => {
  assert.deepEqual(draws({ temperature: 0 }, 10), [10, 0, 0, 0, 0])
})

test('without settings tokens come as often as the model says, and never a masked one', () => {
  const seen = draws({})
  const total = logits.slice(0, 4).reduce((sum, logit) => sum + Math.exp(logit), 0)
  for (const id of [0, 1, 2, 3]) {
    assert.ok(Math.abs(seen[id]! / 2000 - Math.exp(logits[id]!) / total) < 0.04)
  }
  assert.equal(seen[4], 0)
})

test('top_k keeps the best, top_p the smallest set of that weight', () => {
  assert.ok(draws({ topK: 2 }).every((count, id) => count > 0 === id < 2))
  // The best has 0.64 of the weight, the best two 0.88.
  assert.deepEqual(draws({ topP: 0.6 }), [2000, 0, 0, 0, 0])
  assert.ok(draws({ topP: 0.7 }).every((count, id) => count > 0 === id < 2))
  assert.ok(draws({ topP: 0 }).every((count, id) => count > 0 === id < 1))
})

test('top_k and top_p leave what sorting everything would leave, in a large vocabulary too', () => {
  const random = randomSource(3)
  const size = 5000
  const words = tokenSet(size, Array(size).keys())
  for (const spread of [0, 1, 8, 60]) {
    const scores = Float32Array.from({ length: size }, () => Math.round(random() * 200) * spread)
    const logits = scores.map((score) => score / 200)
    const best = logits.reduce((a, b) => Math.max(a, b))
    const shares = Array.from(logits, (logit) => Math.exp(logit - best))
    const total = shares.reduce((sum, share) => sum + share, 0)
    const order = [...shares.keys()].sort((a, b) => shares[b]! - shares[a]! || a - b)
    for (const sampling of [{ topK: 1 }, { topK: 50 }, { topP: 0.3 }, { topP: 0.95 }]) {
      let mass = 0
      const end = order.findIndex((id) => (mass += shares[id]!) >= total * (sampling.topP ?? 2))
      const kept = new Set(order.slice(0, sampling.topK ?? end + 1))
      const seen = new Set<number>()
      // Through all that is kept, from its first weight to its last.
      for (const at of [...Array(60).keys(), 60 - 1e-9]) {
        const settings = { temperature: 1, ...sampling }
        seen.add(sampleToken(logits, words, settings, new Map(), () => at / 60))
      }
      for (const id of seen) assert.ok(kept.has(id), `${id}, ${JSON.stringify(sampling)}`)
      assert.ok(seen.size > 1 || kept.size < 5, `${JSON.stringify(sampling)}, spread ${spread}`)
    }
  }
})

test('a low temperature sharpens, a high one flattens', () => {
  assert.ok(draws({ temperature: 0.2 })[0]! > draws({})[0]!)
  assert.ok(draws({ temperature: 3 })[3]! > draws({})[3]!)
})

test('penalties push back what was said', () => {
  const counts = new Map([[0, 3]])
  assert.equal(
    sampleToken(logits, allowed, { temperature: 0, presencePenalty: 1.5 }, counts, Math.random),
    1,
  )
  assert.equal(
    sampleToken(logits, allowed, { temperature: 0, frequencyPenalty: 0.2 }, counts, Math.random),
    0,
  )
  assert.equal(
    sampleToken(logits, allowed, { temperature: 0, frequencyPenalty: 0.4 }, counts, Math.random),
    1,
  )
})

test('the same seed gives the same numbers, another seed others', () => {
  const numbers = (seed: number) => Array.from({ length: 5 }, randomSource(seed))
  assert.deepEqual(numbers(1), numbers(1))
  assert.notDeepEqual(numbers(1), numbers(2))
  assert.notDeepEqual(numbers(1), numbers(1 + 2 ** 40))
})

test('where nothing is allowed nothing is picked', () => {
  assert.equal(sampleToken(logits, tokenSet(5), {}, new Map(), Math.random), -1)
})
