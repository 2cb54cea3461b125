// The tables of tests as Kysely sees them.

/** The two models of a test. */
export type Side = 'candidate' | 'live'
export type ReadingKind = 'score_candidate' | 'score_live' | 'pair' | 'pair_swapped'

export type TestedRow = {
  attempt_id: string
  no: number
  sample_id: string
  signal_id: string
  question: 'asked' | 'missing'
  question_key: Buffer | null
  live_words: boolean
  tags: string[]
  outcome: string | null
  unscored: string | null
  score: number | null
  live_score: number | null
}

export type AnswerRow = {
  attempt_id: string
  sample_id: string
  side: Side
  answer: string | null
  answer_key: string | null
  failure: string | null
  cost: string
}

export type ReadingRow = {
  attempt_id: string
  sample_id: string
  kind: ReadingKind
  score: number | null
  better: Side | 'tie' | null
  reason: string | null
  reason_key: string | null
  failure: string | null
  cost: string
}

export type TestTables = {
  tested_sample: TestedRow
  test_answer: AnswerRow
  test_reading: ReadingRow
}
