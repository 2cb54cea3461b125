// What was measured on one held-back sample, and how it counts: as a result, as a failure, or not at all. Pure.
import type { UnscoredReason } from '#contract/verdict.ts'

export type PairReading = 'candidate' | 'live' | 'tie'

/** What was measured on one held-back sample. */
export type TestedSample = {
  sampleId: string
  /** Samples with the same one ask the same; with null it is the only one of its question. */
  questionKey: string | null
  tags: readonly string[]
  /** The right answer is the live version's own words, marked good as they were. */
  liveWords: boolean
  /** `too_long`: the new model cannot be asked. `missing`: it was deleted, or could not be read, before the comparison. */
  question: 'asked' | 'too_long' | 'missing'
  candidateAnswered: boolean
  liveAnswered: boolean
  /** What the judge said; null where it gave no verdict that could be read. It is not asked about a missing answer. */
  score: number | null
  liveScore: number | null
  /** Which answer was better, in each order; null as above. */
  pair: PairReading | null
  swappedPair: PairReading | null
  /** Why the judge gave no verdict, where it gave none. */
  failure: Exclude<UnscoredReason, 'live_no_answer'> | null
}

export type Outcome = 'win' | 'loss' | 'tie'
export type Result =
  | { kind: 'scored'; score: number; liveScore: number; outcome: Outcome }
  | { kind: 'unscored'; reason: UnscoredReason }
  | { kind: 'missing' }

export function readSample(sample: TestedSample): Result {
  const { question, candidateAnswered, liveAnswered, score, liveScore, pair, swappedPair } = sample
  if (question === 'missing') return { kind: 'missing' }
  // Spec 2, held-back test, rules 7 and 1: a question that is too long is a loss, and so is one that was not answered.
  if (question === 'too_long' || !candidateAnswered) {
    // If the live answer has no score, full marks are the worst case for the new model: neither silence nor a short window may
    // help it.
    const lost = liveAnswered ? (liveScore ?? 1) : 0
    return { kind: 'scored', score: 0, liveScore: lost, outcome: 'loss' }
  }
  if (!liveAnswered) return { kind: 'unscored', reason: 'live_no_answer' }
  if (score === null || liveScore === null || pair === null || swappedPair === null) {
    return { kind: 'unscored', reason: sample.failure ?? 'unreadable' }
  }
  return { kind: 'scored', score, liveScore, outcome: outcomeOf(pair, swappedPair) }
}

/** Spec 2, held-back test, rule 2: a win needs both readings to agree. */
function outcomeOf(pair: PairReading, swappedPair: PairReading): Outcome {
  if (pair !== swappedPair || pair === 'tie') return 'tie'
  return pair === 'candidate' ? 'win' : 'loss'
}
