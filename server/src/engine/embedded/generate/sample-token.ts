// Picks the next token from logits: penalties, then the allowed set, then temperature, top_k and top_p.
import type { Sampling } from '../../../core/request.ts'
import { hasToken } from '../grammar/token-set.ts'
import type { TokenSet } from '../grammar/token-set.ts'
import type { RandomSource } from './random-source.ts'

/** How often each token was generated in this answer. */
export type TokenCounts = ReadonlyMap<number, number>

/** A token this much lighter than the best is never drawn in practice, and most tokens are. */
const negligible = 1e-10

type Candidate = { id: number; weight: number }

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

/** Weights relative to the best token, which has weight 1. */
function weighted(
  scores: Float32Array,
  allowed: TokenSet,
  best: number,
  temperature: number,
): Candidate[] {
  const candidates: Candidate[] = []
  for (let id = 0; id < scores.length; id++) {
    if (!hasToken(allowed, id)) continue
    const weight = Math.exp((scores[id]! - scores[best]!) / temperature)
    if (weight > negligible) candidates.push({ id, weight })
  }
  return candidates
}

/** What top_k and top_p leave. */
function nucleus(candidates: Candidate[], { topK = 0, topP = 1 }: Sampling): Candidate[] {
  let kept = candidates
  if (topK > 0 && topK < kept.length) kept = descending(kept).slice(0, topK)
  if (topP >= 1) return kept
  const total = sum(kept)
  // Tokens this light weigh less than 1 - top_p together, so none is in the nucleus and none needs sorting.
  const light = (total * (1 - topP)) / kept.length
  kept = descending(kept.filter((candidate) => candidate.weight >= light))
  let mass = 0
  const end = kept.findIndex((candidate) => (mass += candidate.weight) >= total * topP)
  return end === -1 ? kept : kept.slice(0, end + 1)
}

function descending(candidates: Candidate[]): Candidate[] {
  return candidates.toSorted((a, b) => b.weight - a.weight || a.id - b.id)
}

function draw(candidates: Candidate[], random: RandomSource): number | undefined {
  let point = random() * sum(candidates)
  for (const { id, weight } of candidates) {
    point -= weight
    if (point < 0) return id
  }
  return candidates.at(-1)?.id
}

function sum(candidates: Candidate[]): number {
  return candidates.reduce((total, candidate) => total + candidate.weight, 0)
}
