// An attempt as its row: what it is made of, where it stands and how it ended. Its phases follow each other as they are listed; what a
// phase knows beyond the row is in `state`.
import { heldBackRowsMin, trainingRowsMin } from '#contract/limits.ts'
import type {
  AttemptDecision,
  AttemptPhase,
  AttemptReason,
  AttemptResult,
} from '#contract/attempt.ts'
import type { SkipReason } from '#contract/run-plan.ts'
import type { TrainingSettings } from '#contract/training.ts'
import type { Verdict } from '#contract/verdict.ts'

/** The last try to reserve funds, and how many pico-dollars the wallet lacked then; `0` once they are reserved. */
export type Funds = { asked_at: string; missing: string }

/** How it will end. It was decided once; what the attempt leaves behind is tidied before it has ended. */
export type Closing = {
  result: Exclude<AttemptResult, 'running'>
  error_code: string | null
  detail: string | null
  why: string
  /** Its samples are new again, so that the next attempt starts by itself. */
  marks_back: boolean
  /** The pipeline is paused for want of funds. */
  pause: boolean
  /** The time of training is charged for. */
  charge: boolean
  decision?: AttemptDecision
  /** A member may still decide on it. */
  waits?: true
}

/** How it is tested: fixed before the first call, so that what is asked does not depend on what was answered. */
export type TestPlan = {
  /** The models as they are called. */
  candidate: string
  live: string
  /** The version that answers as the live model; null for the base model. */
  compared_with: number | null
  judge: string
  /** What a good answer is. */
  rubric: string | null
  /** Of the samples that were held back: those that models are asked, and those that are gone. */
  asked: number
  missing: number
  /** Held back, and left out because the money does not cover them. */
  left_out?: number
  /** Which limit the money has: that of an attempt, or what the scoring key may still spend in the month. */
  limited_by?: 'attempt' | 'month'
  /** The most that it can cost, in pico-dollars. */
  most: string
}

/**
 * Since when samples in the caller's own storage cannot be read, and how many could not when they were last tried. `since` counts
 * towards the hour (spec 2, held-back test, rule 5).
 */
export type Unreadable = { since: string; tried_at: string; count: number }

/** Since when the servers of a model or the judge take no calls, and when they were last asked. */
export type Away = { since: string; tried_at: string }

/**
 * An effect that did not succeed, since when, and how often. A failing attempt leaves its machine to others; `holds` reserves the
 * machine for the next try of its training.
 */
export type Failing = { effect: string; since: string; tries: number; holds?: true }

type Phases =
  /**
   * Selects its rows, writes them to a file and marks them; then reserves funds. `unlearned`: with a live version, how many of the rows
   * to train on no version has learned.
   */
  | { phase: 'preparing'; unreadable?: Unreadable; funds?: Funds; unlearned?: number }
  /** The wallet does not cover the training, or the test; `since` counts towards the 24 hours (spec 2, limits). */
  | { phase: 'waiting_for_funds'; since: string; funds: Funds; test?: true }
  /** Behind other trainings of the machine. */
  | { phase: 'waiting_for_gpu' }
  | { phase: 'training'; since: string }
  /** Fixes what it is tested on, reserves the funds for that, and has its model served. */
  | { phase: 'starting_machine'; unreadable?: Unreadable; funds?: Funds }
  /** `during`: the phase that goes on afterwards; without it, what is asked is not fixed yet. */
  | {
      phase: 'waiting_for_storage'
      unreadable: Unreadable
      during?: 'preparing' | 'answering' | 'scoring'
      unlearned?: number
    }
  /** Both models answer. */
  | { phase: 'answering'; unreadable?: Unreadable; away?: Away }
  /** The judge reads their answers. */
  | { phase: 'scoring'; unreadable?: Unreadable; away?: Away }
  | { phase: 'deciding' }
  /** It was found better; its model is made ready for callers. `ready` once that is so. */
  | { phase: 'promoting'; ready?: true }
  | { phase: 'ended' }

/** The phase under way, with its own data. */
export type AttemptState = Phases & { closing?: Closing; failing?: Failing }

export type AttemptSettings = TrainingSettings & { custom: boolean }

export type AttemptRow = {
  id: string
  workspace_id: string
  /** Whose wallet pays. */
  org_id: string
  pipeline_id: string
  attempt_no: number
  reason: AttemptReason
  state: AttemptState
  result: AttemptResult
  error_code: string | null
  /** What an explanation needs beyond the codes, such as the trainer's own sentence. */
  detail: string | null
  /** A member asked for its end; the user, or null for the pipeline's deletion. */
  cancelled_at: Date | null
  cancelled_by: string | null
  model: string
  model_revision: string
  /** The version that it builds on. */
  builds_on: number | null
  settings: AttemptSettings
  min_epochs: number
  stops_early: boolean
  /** Null until the rows were selected. */
  train_rows: number | null
  holdout_rows: number | null
  replayed_rows: number | null
  skipped_rows: { reason: SkipReason; count: number }[]
  machine: string
  /** Pico-dollars. */
  training_price_per_hour: string
  /** Content hash of the adapter in the store of models. */
  adapter: string | null
  /** The version that it became. */
  version_no: number | null
  /** Null until its test was fixed. */
  test: TestPlan | null
  /** Null until it was decided. */
  verdict: Verdict | null
  candidate_pass_rate: number | null
  incumbent_pass_rate: number | null
  decision: AttemptDecision | null
  decide_by: Date | null
  /** Counts moves; each is made only on the revision that was read. */
  revision: number
  /** When it is looked at again. */
  wake_at: Date
  /** Until then one process works on it. */
  leased_until: Date | null
  leased_by: string | null
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
}

export type AttemptMove = {
  attempt_id: string
  no: number
  from: AttemptPhase
  to: AttemptPhase
  why: string
  at: Date
}

/** Spec 2, held-back test, rule 6. With a live version, what a version has learned is not counted: 1,000 new ones are needed. */
export function hasEnoughRows(
  rows: Pick<AttemptRow, 'train_rows' | 'holdout_rows'>,
  unlearned = rows.train_rows,
): boolean {
  return (unlearned ?? 0) >= trainingRowsMin && (rows.holdout_rows ?? 0) >= heldBackRowsMin
}
