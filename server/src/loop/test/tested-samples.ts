// What was measured in the test of an attempt, as the verdict takes it.
import type { App } from '../../app.ts'
import type { TestedSample } from './verdict/readings.ts'
import {
  type AnswerResult,
  listAnswerResults,
  listReadingResults,
  listTested,
  type ReadingResult,
} from './test-store.ts'
import type { TestedRow } from './test-tables.ts'

export async function readTestedSamples(
  { storage: { db } }: Pick<App, 'storage'>,
  attemptId: string,
): Promise<TestedSample[]> {
  const answers = bySample(await listAnswerResults(db, attemptId))
  const readings = bySample(await listReadingResults(db, attemptId))
  return (await listTested(db, attemptId)).map((row) =>
    testedSample(row, answers.get(row.sample_id) ?? [], readings.get(row.sample_id) ?? []),
  )
}

function testedSample(
  row: TestedRow,
  answers: readonly AnswerResult[],
  readings: readonly ReadingResult[],
): TestedSample {
  const isTooLong = answers.some(
    ({ side, failure }) => side === 'candidate' && failure === 'too_long',
  )
  const answered = (side: AnswerResult['side']): boolean =>
    answers.some((one) => one.side === side && one.failure === null)
  const of = (kind: ReadingResult['kind']): ReadingResult | undefined =>
    readings.find((one) => one.kind === kind)
  return {
    sampleId: row.sample_id,
    questionKey: row.question_key?.toString('hex') ?? null,
    tags: row.tags,
    liveWords: row.live_words,
    question: row.question === 'asked' && isTooLong ? 'too_long' : row.question,
    candidateAnswered: answered('candidate'),
    liveAnswered: answered('live'),
    score: of('score_candidate')?.score ?? null,
    liveScore: of('score_live')?.score ?? null,
    pair: of('pair')?.better ?? null,
    swappedPair: of('pair_swapped')?.better ?? null,
    failure: (readings.find(({ failure }) => failure !== null)?.failure ??
      null) as TestedSample['failure'],
  }
}

function bySample<Row extends { sample_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  return Map.groupBy(rows, ({ sample_id }) => sample_id)
}
