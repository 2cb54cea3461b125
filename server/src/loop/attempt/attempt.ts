// An attempt as its row: what it is made of, where it stands and how it ended. Its phases follow each other as they are listed; what a
// phase knows beyond the row is in `state`.
import type { JSONColumnType, Selectable } from 'kysely'
import type {
  AttemptDecision,
  AttemptPhase,
  AttemptReason,
  AttemptResult,
} from '#contract/attempt.ts'
import { heldBackRowsMin, trainingRowsMin } from '#contract/limits.ts'
import type { TrainingChoice } from '#contract/pipeline-settings.ts'
import type { SkipReason } from '#contract/run-plan.ts'
import type { TrainingSettings } from '#contract/training.ts'
import type { Verdict } from '#contract/verdict.ts'
import type { Away } from '../test/away-wait.ts'
import type { Unreadable } from '../test/storage-wait.ts'
import type { TestPlan } from '../test/tested-attempt.ts'
import type { EffectName, FailingName } from './effect-names.ts'

/** The last try to reserve funds, and how many pico-dollars the wallet lacked then; `0` once they are reserved. */
export type Funds = { asked_at: string; missing: string }

/** How it will end. It was decided once; what the attempt leaves behind is tidied before it has ended. */
export type Closing = {
  result: Exclude<AttemptResult, 'running'>
  error_code: string | null
  detail: string | null
  why: string
  /** Its samples are to be new again, so that the next attempt starts by itself; false once they are. */
  marks_back: boolean
  /** What it used is marked as learned by it, so that it can go live. */
  marks_learned?: boolean
  /** The pipeline is paused for want of funds. */
  pause: boolean
  /** The time of training is charged for. */
  charge: boolean
  decision: AttemptDecision | null
  /** A member may still decide on it. */
  waits: boolean
  /** What did not succeed for six hours, and is left as it is. */
  skipped?: EffectName[]
}

/**
 * What did not succeed, since when, and how often. An attempt whose effect fails leaves its machine to others; `holds` reserves the
 * machine for the next try of its training.
 */
export type Failing = { effect: FailingName; since: string; tries: number; holds: boolean }

type Phases =
  /**
   * Selects its rows, writes them to a file and marks them; then reserves funds. `unlearned`: with a live version, how many of the rows
   * to train on no version has learned.
   */
  | { phase: 'preparing'; unreadable?: Unreadable; funds?: Funds; unlearned?: number }
  /** The wallet does not cover what is to be paid; `since` counts towards the 24 hours (spec 2, limits). */
  | { phase: 'waiting_for_funds'; pays: 'training' | 'test'; since: string; funds: Funds }
  /** Behind other trainings of the machine. */
  | { phase: 'waiting_for_gpu' }
  | { phase: 'training'; since: string }
  /** Fixes what it is tested on, reserves the funds for that, and has its model served. */
  | { phase: 'starting_machine'; unreadable?: Unreadable; funds?: Funds }
  /** The workspace runs as many deployments as it may. */
  | { phase: 'waiting_for_room'; funds: Funds }
  /** `during`: the phase that goes on afterwards. */
  | {
      phase: 'waiting_for_storage'
      during: 'preparing' | 'starting_machine' | 'answering' | 'scoring'
      unreadable: Unreadable
      unlearned?: number
    }
  /** Both models answer. */
  | { phase: 'answering'; unreadable?: Unreadable; away?: Away }
  /** The judge reads their answers. */
  | { phase: 'scoring'; unreadable?: Unreadable; away?: Away }
  | { phase: 'deciding' }
  /** It was found better; its model is opened for callers. */
  | { phase: 'promoting'; model: 'closed' | 'open' }
  | { phase: 'ended' }

/** The phase under way, with its own data. */
export type AttemptState = Phases & { closing?: Closing; failing?: Failing }

export type InPhase<Phase extends AttemptState['phase']> = Extract<AttemptState, { phase: Phase }>

export type AttemptSettings = TrainingSettings & { custom: boolean }

/** The table as Kysely sees it. */
export type AttemptTable = {
  id: string
  workspace_id: string
  /** Whose wallet pays. */
  org_id: string
  pipeline_id: string
  attempt_no: number
  reason: AttemptReason
  state: JSONColumnType<AttemptState>
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
  /** What its pipeline had chosen when it was made; a change counts for the next one. */
  training: JSONColumnType<TrainingChoice>
  settings: JSONColumnType<AttemptSettings>
  min_epochs: number
  stops_early: boolean
  /** Null until the rows were selected. */
  train_rows: number | null
  holdout_rows: number | null
  replayed_rows: number | null
  skipped_rows: JSONColumnType<{ reason: SkipReason; count: number }[]>
  machine: string
  /** Pico-dollars. */
  training_price_per_hour: string
  /** Content hash of the adapter in the store of models. */
  adapter: string | null
  /** The version that it became. */
  version_no: number | null
  /** Null until its test was fixed. */
  test: JSONColumnType<TestPlan | null, string | null, string | null>
  /** Null until it was decided. */
  verdict: JSONColumnType<Verdict | null, string | null, string | null>
  candidate_pass_rate: number | null
  incumbent_pass_rate: number | null
  decision: AttemptDecision | null
  /** Until then a member may decide on it; null where none can. */
  decide_by: Date | null
  /** The member who approved it; from then on it is only put live. */
  approved_by: string | null
  /** When its test was begun once more, which it is at most once. */
  retested_at: Date | null
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

export type AttemptRow = Selectable<AttemptTable>

/** No other attempt of its pipeline begins beside it. One that was approved is only put live, so the next one may run. */
export function isUnderWay({
  result,
  approved_by,
}: Pick<AttemptRow, 'result' | 'approved_by'>): boolean {
  return result === 'running' && approved_by === null
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
