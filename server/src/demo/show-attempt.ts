// Shows what an attempt came to: its result and why, what the test measured, what it cost, and how long each phase took.
import type { Attempt } from '#contract/attempt.ts'
import { phaseNames, phaseTimes } from './attempt-phases.ts'
import { lasted, type Printout } from './printout.ts'

const percent = (rate: number | null): string =>
  rate === null ? 'unknown' : `${Math.round(100 * rate)}%`

export function showAttempt(paper: Printout, attempt: Attempt): void {
  const { result, decision, version_no, explanation, verdict, costs } = attempt
  const decided = decision === null ? '' : `, ${decision}`
  const version = version_no === null ? '' : `, version ${version_no}`
  paper.line(`Result: ${result}${decided}${version}`)
  const { headline, detail, next } = explanation
  paper.paragraph([headline, detail, next].filter((sentence) => sentence !== null).join(' '))
  paper.line()
  if (verdict !== null) {
    const { candidate_pass_rate: candidate, incumbent_pass_rate: incumbent } = attempt
    paper.line(`Pass rates: ${percent(candidate)} new model, ${percent(incumbent)} live model`)
    for (const { rule, passed, sentence } of verdict.checks) {
      const check = `  ${passed ? 'passed' : 'FAILED'}  ${rule.padEnd(8)}  `
      paper.paragraph(check + sentence, check.length)
    }
  }
  const { training_usd: training, scoring_usd: scoring, total_usd: total } = costs
  paper.line(`Cost: ${total} USD, of it ${training} for training and ${scoring} for scoring`)
  const times = phaseTimes(attempt.moves).map(({ phase, seconds }) => {
    return `${phaseNames[phase]} ${lasted(seconds)}`
  })
  paper.paragraph(`Time: ${times.join(', ')}`, 6)
}
