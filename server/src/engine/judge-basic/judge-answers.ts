// The verdicts of the basic judge. With a right answer it compares; without one it says that it cannot judge
// content, and looks only at whether there is a whole answer at all.
import { compareAnswers } from './compare-answers.ts'
import type { Agreement } from './compare-answers.ts'
import type { JudgeQuestion, PairQuestion } from './judge-prompt.ts'
import type { PairVerdict, ScoreVerdict } from './judge-verdict.ts'

/** Scores nearer than this are the same; floating point must not decide a win. */
const tieMargin = 0.001

export function judgeAnswers(question: JudgeQuestion): ScoreVerdict | PairVerdict {
  if (question.kind === 'pair') return comparePair(question)
  const { score, reason } = rate(question.answer, question.rightAnswer)
  return { score: Number(score.toFixed(4)), reason }
}

function comparePair({ a, b, rightAnswer }: PairQuestion): PairVerdict {
  const [ofA, ofB] = [rate(a, rightAnswer), rate(b, rightAnswer)]
  const difference = ofA.score - ofB.score
  const better = Math.abs(difference) < tieMargin ? 'tie' : difference > 0 ? 'a' : 'b'
  return { better, reason: `Answer a: ${ofA.reason} Answer b: ${ofB.reason}` }
}

function rate(answer: string, rightAnswer: string | null): Agreement {
  return rightAnswer === null ? rateForm(answer) : compareAnswers(answer, rightAnswer)
}

/** Never enough to pass: a judge that cannot read must not let anything through. */
function rateForm(answer: string): Agreement {
  const cannot = 'Without a right answer this judge cannot judge content'
  if (answer.trim() === '') return { score: 0, reason: `${cannot}; the answer is empty.` }
  if (looksCut(answer)) return { score: 0.25, reason: `${cannot}; the answer looks cut off.` }
  return { score: 0.5, reason: `${cannot}; the answer is there and looks whole.` }
}

function looksCut(answer: string): boolean {
  const text = answer.trim()
  if (/^[[{]/.test(text)) {
    try {
      JSON.parse(text)
      return false
    } catch {
      return true
    }
  }
  // A few words need no full stop; a longer text that stops without one was probably not finished.
  return text.length > 80 && !/[.!?…。！？)\]}"'”’`*>:]$/u.test(text)
}
