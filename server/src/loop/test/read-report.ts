// The report of a test: its conversations with both answers and what the judge said of them. On the wire the candidate is `new`.
import type { z } from 'zod'
import { samplesPerPage } from '#contract/limits.ts'
import type { ReportRow, reportQuery } from '#contract/report.ts'
import type { App } from '../../app.ts'
import type { Block } from '../../core/block.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { LoopTurns } from '../../lib/loop-turns.ts'
import { countKeptElsewhere, listReported } from './report-store.ts'
import { readAnswers, readReadings } from './test-store.ts'
import { answerText } from './judge/answer-text.ts'
import { questionText } from './judge/question-text.ts'
import { tryReadObject } from '../../samples/own-storage/read-text.ts'
import { foldForSearch } from '../../samples/sample/search-text.ts'
import { questionBytesMost, type QuestionReading, readTestQuestions } from './test-questions.ts'
import type { AnswerRow, ReadingRow, Side, TestedRow } from './test-tables.ts'
import type { TestedAttempt } from './tested-attempt.ts'

const objectsAtOnce = 16

/** Longer questions are shown without their middle. */
const shownWindow = { context_window: 32_768 }

export type Report = { page: number; total: number; not_searched: number; rows: ReportRow[] }

const turns = new LoopTurns()

export function readReport(
  app: App,
  attempt: TestedAttempt,
  query: z.infer<typeof reportQuery>,
): Promise<Report> {
  return app.samples.longReads.run(attempt.workspace_id, () => readPage(app, attempt, query))
}

async function readPage(
  app: App,
  attempt: TestedAttempt,
  { page, q, filter }: z.infer<typeof reportQuery>,
): Promise<Report> {
  const { db } = app.storage
  const list = () =>
    listReported(db, attempt.id, {
      filter: filter ?? null,
      sought: q === undefined ? null : foldForSearch(q),
      limit: samplesPerPage,
      offset: (page - 1) * samplesPerPage,
    })
  // Spec 2, errors: one search of a workspace at a time.
  const { rows, total } = await (q === undefined
    ? list()
    : app.samples.searches.run(attempt.workspace_id, list))
  const ids = rows.map(({ sample_id }) => sample_id)
  const questions = new Map<string, QuestionReading>()
  // Reading a long one takes a while, so that few are read in one go.
  for (let left = ids; left.length > 0; left = left.filter((id) => !questions.has(id))) {
    const portion = await readTestQuestions(app, attempt, left, questionBytesMost)
    for (const [id, question] of portion) questions.set(id, question)
  }
  const answers = ids.length === 0 ? [] : await readAnswers(db, attempt.id, ids)
  const readings = ids.length === 0 ? [] : await readReadings(db, attempt.id, ids)
  const readable = (row: { sample_id: string }) => questions.get(row.sample_id) !== 'unreadable'
  const words = await readObjects(app, attempt, [
    ...answers.filter(readable).map(({ answer_key: key }) => key),
    ...readings.filter(readable).map(({ reason_key: key }) => key),
  ])
  const shown: ReportRow[] = []
  for (const row of rows) {
    await turns.next()
    shown.push(
      reportRow(row, {
        question: questions.get(row.sample_id) ?? 'gone',
        answers: answers.filter(({ sample_id }) => sample_id === row.sample_id),
        readings: readings.filter(({ sample_id }) => sample_id === row.sample_id),
        words,
      }),
    )
  }
  const notSearched = q === undefined ? 0 : await countKeptElsewhere(db, attempt.id)
  return { page, total, not_searched: notSearched, rows: shown }
}

/** What is in the workspace's own bucket, by its keys; without what cannot be read there now. */
async function readObjects(
  app: App,
  { workspace_id: workspaceId }: TestedAttempt,
  keys: readonly (string | null)[],
): Promise<Map<string, string>> {
  const words = new Map<string, string>()
  const held = keys.filter((key) => key !== null)
  await inParallel(held, objectsAtOnce, async (key) => {
    const reading = await tryReadObject(app, workspaceId, key)
    if ('text' in reading) words.set(key, reading.text)
  })
  return words
}

type Found = {
  question: QuestionReading
  answers: readonly AnswerRow[]
  readings: readonly ReadingRow[]
  /** By the objects that have them. */
  words: ReadonlyMap<string, string>
}

function reportRow(row: TestedRow, { question, answers, readings, words }: Found): ReportRow {
  const known = typeof question === 'object' ? question : null
  const wordsIn = (key: string | null | undefined) => (key && words.get(key)) || null
  const answer = (side: Side): string | null => {
    const found = answers.find((one) => one.side === side)
    const stored = found?.answer ?? wordsIn(found?.answer_key)
    return stored === null ? null : answerText(JSON.parse(stored) as Block[])
  }
  return {
    sample_id: row.sample_id,
    question: known && questionText(known.conversation, shownWindow),
    right_answer: known && answerText(known.rightAnswer),
    answer: answer('candidate'),
    live_answer: answer('live'),
    score: row.score,
    live_score: row.live_score,
    winner: winnerOf(row.outcome),
    readings: readings.map(({ kind, score, better, reason, reason_key, failure }) => ({
      kind: kind === 'score_candidate' ? 'score_new' : kind,
      score,
      better: better === 'candidate' ? 'new' : better,
      reason: reason ?? wordsIn(reason_key),
      failure,
    })),
    unscored: (row.outcome === 'missing' ? 'missing' : row.unscored) as ReportRow['unscored'],
  }
}

function winnerOf(outcome: string | null): ReportRow['winner'] {
  switch (outcome) {
    case 'win':
      return 'new'
    case 'loss':
      return 'live'
    case 'tie':
      return 'tie'
    default:
      return null
  }
}
