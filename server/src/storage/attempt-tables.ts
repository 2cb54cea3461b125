// The tables of attempts and their tests as Kysely sees them.
import type { JsonChanging, JsonSetting, Numeric } from './schema.ts'

export type AttemptTables = {
  attempt: {
    id: string
    workspace_id: string
    org_id: string
    pipeline_id: string
    attempt_no: number
    reason: string
    state: JsonChanging
    result: string
    error_code: string | null
    detail: string | null
    cancelled_at: Date | null
    cancelled_by: string | null
    model: string
    model_revision: string
    builds_on: number | null
    settings: JsonChanging
    min_epochs: number
    stops_early: boolean
    train_rows: number | null
    holdout_rows: number | null
    replayed_rows: number | null
    skipped_rows: JsonChanging
    machine: string
    training_price_per_hour: Numeric
    adapter: string | null
    version_no: number | null
    test: JsonSetting
    verdict: JsonSetting
    candidate_pass_rate: number | null
    incumbent_pass_rate: number | null
    decision: string | null
    decide_by: Date | null
    revision: number
    wake_at: Date
    leased_until: Date | null
    leased_by: string | null
    created_at: Date
    started_at: Date | null
    ended_at: Date | null
  }
  tested_sample: {
    attempt_id: string
    no: number
    sample_id: string
    signal_id: string
    question: string
    question_key: Buffer | null
    live_words: boolean
    tags: string[]
    outcome: string | null
    unscored: string | null
    score: number | null
    live_score: number | null
  }
  test_answer: {
    attempt_id: string
    sample_id: string
    side: string
    answer: string | null
    answer_key: string | null
    failure: string | null
    cost: string
  }
  test_reading: {
    attempt_id: string
    sample_id: string
    kind: string
    score: number | null
    better: string | null
    reason: string | null
    reason_key: string | null
    failure: string | null
    cost: string
  }
  attempt_move: {
    attempt_id: string
    no: number
    from_phase: string
    to_phase: string
    why: string
    at: Date
  }
  attempt_curve: { attempt_id: string; points: JsonChanging }
}
