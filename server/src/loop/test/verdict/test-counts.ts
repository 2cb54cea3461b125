// The held-back samples of one test, counted and summed: all that the rules look at. Samples that ask the same question have one
// vote, because they are answered alike: their luck counts once. Pure.
import type { UnscoredReason } from '#contract/verdict.ts'
import { readSample, type TestedSample } from './readings.ts'

export type TestCounts = {
  scored: number
  unscored: number
  missing: number
  /** Held back, and not tested for want of money. */
  leftOut: number
  /** Of the scored samples. */
  questions: number
  /** Questions of whose samples more were won than lost. */
  wins: number
  losses: number
  /** Sums over the scored samples. */
  scoreSum: number
  liveScoreSum: number
  /** How far the change of a question, summed over its samples, is from what the mean change makes of them; squared. */
  squaresAroundMean: number
}

export type CountedTest = TestCounts & {
  unscoredBy: ReadonlyMap<UnscoredReason, number>
  /** How many samples of different questions would say as much, if those of one question always came out alike. */
  effective: number
  silent: number
  tooLong: number
  /** Of the pairs that were read in both orders; null without any. */
  orderFlips: number | null
}

type Question = { samples: number; votes: number; change: number }

export function countTest(samples: readonly TestedSample[], leftOut = 0): CountedTest {
  const sums = { scored: 0, unscored: 0, missing: 0, scoreSum: 0, liveScoreSum: 0 }
  const unscoredBy = new Map<UnscoredReason, number>()
  const byQuestion = new Map<string | symbol, Question>()
  for (const sample of samples) {
    const result = readSample(sample)
    switch (result.kind) {
      case 'missing':
        sums.missing += 1
        break
      case 'unscored':
        sums.unscored += 1
        unscoredBy.set(result.reason, (unscoredBy.get(result.reason) ?? 0) + 1)
        break
      case 'scored': {
        sums.scored += 1
        sums.scoreSum += result.score
        sums.liveScoreSum += result.liveScore
        const key = sample.questionKey ?? Symbol()
        const question = byQuestion.get(key) ?? { samples: 0, votes: 0, change: 0 }
        question.samples += 1
        question.votes += voteOf[result.outcome]
        question.change += result.score - result.liveScore
        byQuestion.set(key, question)
      }
    }
  }
  const questions = [...byQuestion.values()]
  const mean = (sums.scoreSum - sums.liveScoreSum) / sums.scored
  const total = (of: (question: Question) => number): number =>
    questions.reduce((sum, question) => sum + of(question), 0)
  return {
    ...sums,
    leftOut,
    questions: questions.length,
    wins: questions.filter(({ votes }) => votes > 0).length,
    losses: questions.filter(({ votes }) => votes < 0).length,
    squaresAroundMean: total((one) => (one.change - one.samples * mean) ** 2),
    unscoredBy,
    effective: sums.scored ** 2 / total((one) => one.samples ** 2),
    ...countAnswers(samples),
  }
}

const voteOf = { win: 1, loss: -1, tie: 0 } as const

function countAnswers(samples: readonly TestedSample[]) {
  const pairs = samples.filter(({ pair, swappedPair }) => pair !== null && swappedPair !== null)
  const flipped = pairs.filter(({ pair, swappedPair }) => pair !== swappedPair)
  return {
    silent: samples.filter(
      ({ question, candidateAnswered }) => question === 'asked' && !candidateAnswered,
    ).length,
    tooLong: samples.filter(({ question }) => question === 'too_long').length,
    orderFlips: pairs.length === 0 ? null : flipped.length / pairs.length,
  }
}
