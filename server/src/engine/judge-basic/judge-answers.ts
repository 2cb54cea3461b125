// The verdicts of the basic judge. It compares with the right answer; where there is none it leaves the question open, because it
// cannot judge content, and a score that it made up would count as one.
import { compareAnswers } from './compare-answers.ts'
import type { JudgeQuestion } from '../judge-prompt.ts'
import type { OpenPair, OpenScore, PairVerdict, ScoreVerdict } from '../judge-verdict.ts'

/** Scores nearer than this are the same; floating point must not decide a win. */
const tieMargin = 0.001

const nothingToGoBy =
  'There is no right answer; this judge only compares with one and cannot judge content.'

export function judgeAnswers(
  question: JudgeQuestion,
): ScoreVerdict | PairVerdict | OpenScore | OpenPair {
  const { rightAnswer } = question
  if (rightAnswer === null) {
    return question.kind === 'score'
      ? { score: null, reason: nothingToGoBy }
      : { better: null, reason: nothingToGoBy }
  }
  return question.kind === 'score'
    ? scoreOf(question.answer, rightAnswer)
    : comparison(question.a, question.b, rightAnswer)
}

function scoreOf(answer: string, rightAnswer: string): ScoreVerdict {
  const { score, reason } = compareAnswers(answer, rightAnswer)
  return { score: Number(score.toFixed(4)), reason }
}

function comparison(a: string, b: string, rightAnswer: string): PairVerdict {
  const [ofA, ofB] = [compareAnswers(a, rightAnswer), compareAnswers(b, rightAnswer)]
  const difference = ofA.score - ofB.score
  const better = Math.abs(difference) < tieMargin ? 'tie' : difference > 0 ? 'a' : 'b'
  return { better, reason: `Answer a: ${ofA.reason} Answer b: ${ofB.reason}` }
}
