// Asks a judge for one reading, and once more where its reply cannot be read. What cannot be read is a failure to score, never a zero.
import type { Caller } from '../../../account/caller.ts'
import type { App } from '../../../app.ts'
import type { CatalogModel } from '../../../catalog/catalog-file.ts'
import type { JudgeQuestion } from '../../../engine/judge-prompt.ts'
import {
  type PairVerdict,
  type Reading,
  readPairVerdict,
  readScoreVerdict,
  type ScoreVerdict,
} from '../../../engine/judge-verdict.ts'
import type { Picodollars } from '../../../lib/money.ts'
import { answerText } from './answer-text.ts'
import { callModel } from './ask-model.ts'
import { readingRequest } from './test-request.ts'

export type JudgeAsked = {
  caller: Caller
  /** The judge's row of the catalog. */
  judge: CatalogModel
  question: JudgeQuestion
  /** Aborted when the reading is not wanted any more. */
  signal: AbortSignal
}

export type ReadingFailure = 'unreadable' | 'judge_failed' | 'no_right_answer'

export type JudgeReading =
  | { verdict: ScoreVerdict | PairVerdict; failure: null; away: false; cost: Picodollars }
  /** `away`: its servers took no call, so that nothing was paid. */
  | { verdict: null; failure: ReadingFailure; away: boolean; cost: Picodollars }

export async function askJudge(
  app: App,
  { caller, judge, question, signal }: JudgeAsked,
): Promise<JudgeReading> {
  const asked = { judgeModel: judge.id, row: judge, question }
  let cost = 0n
  let unreadable: string | undefined
  for (const isLast of [false, true]) {
    const wrong = unreadable === undefined ? {} : { unreadable }
    const request = readingRequest({ ...asked, ...wrong })
    const reply = await callModel(app, { caller, request, signal })
    cost += reply.cost
    if ('failed' in reply) {
      const away = reply.away && cost === 0n
      return { verdict: null, failure: 'judge_failed', away, cost }
    }
    const reading = readingOf(question, answerText(reply.blocks))
    if (reading.kind === 'verdict') {
      return { verdict: reading.verdict, failure: null, away: false, cost }
    }
    if (reading.kind === 'open') {
      return { verdict: null, failure: 'no_right_answer', away: false, cost }
    }
    if (isLast) break
    unreadable = reading.why
  }
  return { verdict: null, failure: 'unreadable', away: false, cost }
}

function readingOf(
  question: JudgeQuestion,
  reply: string,
): Reading<ScoreVerdict> | Reading<PairVerdict> {
  const reading = question.kind === 'score' ? readScoreVerdict(reply) : readPairVerdict(reply)
  // With a right answer there is something to go by.
  return reading.kind === 'open' && question.rightAnswer !== null
    ? { kind: 'unreadable', why: 'It held no verdict, although there is a right answer.' }
    : reading
}
