// Picks the next token from logits: penalties, then the allowed set, then temperature, top_k and top_p.
import type { Sampling } from '../../../core/request.ts'
import { hasToken } from '../grammar/token-set.ts'
import type { TokenSet } from '../grammar/token-set.ts'
import type { RandomSource } from './random-source.ts'

/** How often each token was generated in this answer. */
export type TokenCounts = ReadonlyMap<number, number>

/** A token this much lighter than the best is never drawn in practice, and most tokens are. */
const negligible = 1e-10

/** Tokens with their weights, in arrays of numbers: a vocabulary may have a hundred thousand of them. */
type Candidates = { ids: Int32Array; weights: Float64Array }

/** Every id in `allowed` must have a logit. Returns -1 where nothing is allowed. */
export function sampleToken(
  logits: Float32Array,
  allowed: TokenSet,
  sampling: Sampling,
  counts: TokenCounts,
  random: RandomSource,
): number {
  const scores = penalized(logits, sampling, counts)
  const best = bestToken(scores, allowed)
  const temperature = sampling.temperature ?? 1
  if (best === -1 || temperature === 0) return best
  const candidates = nucleus(weighted(scores, allowed, best, temperature), sampling)
  return draw(candidates, random) ?? best
}

/** The allowed token with the highest score; the lowest id among equals, so that greedy is deterministic. */
export function bestToken(scores: Float32Array, allowed: TokenSet): number {
  let best = -1
  let bestScore = -Infinity
  for (let id = 0; id < scores.length; id++) {
    if (scores[id]! > bestScore && hasToken(allowed, id)) {
      best = id
      bestScore = scores[id]!
    }
  }
  return best
}

function penalized(logits: Float32Array, sampling: Sampling, counts: TokenCounts): Float32Array {
  const { frequencyPenalty = 0, presencePenalty = 0 } = sampling
  if ((frequencyPenalty === 0 && presencePenalty === 0) || counts.size === 0) return logits
  const scores = Float32Array.from(logits)
  for (const [id, count] of counts) scores[id]! -= presencePenalty + frequencyPenalty * count
  return scores
}

/** Weights relative to the best token, which has weight 1, by rising id. */
function weighted(
  scores: Float32Array,
  allowed: TokenSet,
  best: number,
  temperature: number,
): Candidates {
  const ids = new Int32Array(scores.length)
  const weights = new Float64Array(scores.length)
  const top = scores[best]!
  const least = top + temperature * Math.log(negligible)
  let count = 0
  for (let id = 0; id < scores.length; id++) {
    const score = scores[id]!
    if (score <= least || !hasToken(allowed, id)) continue
    ids[count] = id
    weights[count++] = Math.exp((score - top) / temperature)
  }
  return { ids: ids.subarray(0, count), weights: weights.subarray(0, count) }
}

/** What top_k and top_p leave. */
function nucleus(candidates: Candidates, { topK = 0, topP = 1 }: Sampling): Candidates {
  let kept = candidates
  if (topK > 0 && topK < kept.ids.length) kept = heaviest(kept, topK, Infinity)
  return topP >= 1 ? kept : heaviest(kept, Infinity, sum(kept) * topP)
}

const bucketsPerUnit = 64
const buckets = Math.ceil(-Math.log(negligible) * bucketsPerUnit) + 1

/**
 * The heaviest candidates, until there are `count` of them or they weigh `mass` together; one at least. They are first
 * counted by the size of their weight, so that of a large vocabulary only those around the limit are sorted.
 */
function heaviest({ ids, weights }: Candidates, count: number, mass: number): Candidates {
  const bucketOf = weights.map((weight) => Math.floor(-Math.log(weight) * bucketsPerUnit))
  const counts = new Float64Array(buckets)
  const masses = new Float64Array(buckets)
  for (let i = 0; i < weights.length; i++) {
    counts[bucketOf[i]!]! += 1
    masses[bucketOf[i]!]! += weights[i]!
  }
  let [edge, found, reached] = [0, 0, 0]
  while (edge < buckets && found + counts[edge]! < count && reached + masses[edge]! < mass) {
    found += counts[edge]!
    reached += masses[edge]!
    edge++
  }
  const kept: number[] = []
  const atEdge: number[] = []
  for (let i = 0; i < ids.length; i++) {
    if (bucketOf[i]! < edge) kept.push(i)
    else if (bucketOf[i]! === edge) atEdge.push(i)
  }
  atEdge.sort((a, b) => weights[b]! - weights[a]! || a - b)
  for (const place of atEdge) {
    if (kept.length > 0 && (kept.length >= count || reached >= mass)) break
    kept.push(place)
    reached += weights[place]!
  }
  return pick({ ids, weights }, kept)
}

function pick({ ids, weights }: Candidates, places: readonly number[]): Candidates {
  const picked = { ids: new Int32Array(places.length), weights: new Float64Array(places.length) }
  for (let i = 0; i < places.length; i++) {
    picked.ids[i] = ids[places[i]!]!
    picked.weights[i] = weights[places[i]!]!
  }
  return picked
}

function draw({ ids, weights }: Candidates, random: RandomSource): number | undefined {
  let point = random() * sum({ ids, weights })
  for (let i = 0; i < ids.length; i++) {
    point -= weights[i]!
    if (point < 0) return ids[i]
  }
  return ids.at(-1)
}

function sum({ weights }: Candidates): number {
  let total = 0
  for (const weight of weights) total += weight
  return total
}
