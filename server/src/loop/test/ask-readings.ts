// Has the judge read what was answered: each answer alone, and both side by side in either order. Spec 2, held-back test, rule 2.
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import type { CatalogModel } from '../../catalog/catalog-file.ts'
import type { Block } from '../../core/block.ts'
import type { JudgeQuestion } from '../../engine/judge-prompt.ts'
import { askJudge, type JudgeReading } from './judge/ask-judge.ts'
import { answerText } from './judge/answer-text.ts'
import { questionText } from './judge/question-text.ts'
import { type KeptWords, keepWords, readWords } from './keep-words.ts'
import { redactReason } from './redact-words.ts'
import { askPortion, type PortionTry, portionMost, type Waits } from './ask-portion.ts'
import type { TestQuestion } from './test-questions.ts'
import {
  failMissingReadings,
  insertReading,
  listMissingReadings,
  type MissingReading,
  type NewReading,
} from './test-store.ts'
import type { Side } from './test-tables.ts'
import type { TestedAttempt, TestPlan } from './tested-attempt.ts'

export async function askReadings(
  app: App,
  attempt: TestedAttempt & { test: TestPlan },
  { caller, signal, waits }: { caller: Caller; signal: AbortSignal; waits: Waits },
): Promise<PortionTry> {
  const { db } = app.storage
  const { judge, rubric } = attempt.test
  const row = app.catalog.find(judge)
  if (!row) throw new Error(`the judge ${judge} is not in the catalog any more`)
  const missing = await listMissingReadings(db, attempt.id, portionMost)
  const leaveOut = () => failMissingReadings(db, attempt.id)
  return askPortion(app, attempt, { missing, waits, leaveOut }, async (one, asked) => {
    const answers = await readAnswers(app, attempt.workspace_id, one)
    if (typeof answers === 'string') return answers
    const question = judgeQuestion(one.kind, asked, { ...answers, rubric, judge: row })
    const reading = await askJudge(app, { caller, judge: row, question, signal })
    const reason = await redactReason(app, reading.verdict?.reason ?? null)
    return {
      away: reading.away,
      cost: reading.cost,
      async store() {
        const place = { attempt, sampleId: one.sample_id, sampleObject: asked.sampleObject }
        const kept = await keepWords(app, place, reason)
        if (!kept) return false
        await insertReading(db, attempt, readingRow(one, reading, kept))
        return true
      },
    }
  })
}

type Answers = { byCandidate: string; byLive: string }

async function readAnswers(
  app: App,
  workspaceId: string,
  missing: MissingReading,
): Promise<Answers | 'gone' | 'unreadable'> {
  const { answer, answer_key, live_answer, live_answer_key } = missing
  const byCandidate = await readWords(app, workspaceId, { words: answer, key: answer_key })
  const byLive = await readWords(app, workspaceId, { words: live_answer, key: live_answer_key })
  if (typeof byCandidate === 'string') return byCandidate
  if (typeof byLive === 'string') return byLive
  return { byCandidate: textOf(byCandidate.words), byLive: textOf(byLive.words) }
}

function judgeQuestion(
  kind: MissingReading['kind'],
  { conversation, rightAnswer }: TestQuestion,
  { byCandidate, byLive, rubric, judge }: Answers & { rubric: string | null; judge: CatalogModel },
): JudgeQuestion {
  const subject = {
    question: questionText(conversation, judge),
    rightAnswer: answerText(rightAnswer),
    rubric,
  }
  switch (kind) {
    case 'score_candidate':
      return { kind: 'score', ...subject, answer: byCandidate }
    case 'score_live':
      return { kind: 'score', ...subject, answer: byLive }
    case 'pair':
      return { kind: 'pair', ...subject, a: byCandidate, b: byLive }
    case 'pair_swapped':
      return { kind: 'pair', ...subject, a: byLive, b: byCandidate }
  }
}

function textOf(stored: string | null): string {
  return stored === null ? '' : answerText(JSON.parse(stored) as Block[])
}

function readingRow(
  { sample_id, kind }: MissingReading,
  { verdict, failure, cost }: JudgeReading,
  kept: KeptWords,
): NewReading {
  const score = verdict && 'score' in verdict ? verdict.score : null
  const said = verdict && 'better' in verdict ? verdict.better : null
  const reason = { reason: kept.words, reason_key: kept.key }
  return { sample_id, kind, score, better: said && sideOf(kind, said), ...reason, failure, cost }
}

function sideOf(kind: MissingReading['kind'], said: 'a' | 'b' | 'tie'): Side | 'tie' {
  if (said === 'tie') return 'tie'
  return (said === 'a') === (kind === 'pair') ? 'candidate' : 'live'
}
