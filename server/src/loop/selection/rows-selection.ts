// The port behind which rows are selected, and what goes in and comes out.
import type { Conditions } from '#contract/dataset.ts'
import type { SkipReason } from '#contract/run-plan.ts'
import type { MarkedSamples } from './mark-store.ts'
import type { QuestionMarks } from './question-marks.ts'
import type { TestSet } from './test-set.ts'

/** What of a pipeline decides which samples it learns from. */
export type SelectionSettings = {
  pipelineId: string
  workspaceId: string
  /** The pipeline's own. */
  tag: string
  tags: readonly string[]
  /** What its datasets select. */
  datasetConditions: readonly Conditions[]
  conditions: Conditions | null
  holdoutPercent: number
  buildsOn: 'live' | 'base'
  liveVersion: number | null
  replayPercent: number
  /** Ids of samples that a benchmark has pinned. */
  pinned: readonly string[]
  /** The pinned base, as the store of models has it. */
  modelFolder: string
  contextWindow: number
}

export type SelectTask = {
  settings: SelectionSettings
  atMs: number
  /** Decides which learned rows are repeated. */
  seed: number
  /** Where the rows to train on are written; null to count only. */
  rowsFile: string | null
  /** Single objects that cannot be read for now are skipped, instead of waited for. */
  leavesOut?: boolean
}

export type RowsSelection = {
  trainRows: number
  holdoutRows: number
  /** Of those that could be trained on or held back. */
  usable: number
  /** Of those to train on, what no version has learned yet. */
  unlearnedRows: number
  /** Of these, what no attempt has used yet. */
  newRows: number
  replayed: number
  skipped: { reason: SkipReason; count: number }[]
  /** Of those skipped, how many may be readable later. */
  leftOut: number
  /** Of the rows to train on, once each. */
  tokens: number
  /** What is held back is tested with; null where nothing is. */
  test: TestSet | null
  /** All of those held back, also those that were before. */
  heldBack: MarkedSamples
  /** What is trained on, and packed ids of the feedback that counted for it. */
  used: MarkedSamples & { signals: Uint8Array }
  /** Packed ids of what stands on neither side. It counts nowhere. */
  setAside: Uint8Array
  questions: QuestionMarks
}

export interface RowSelector {
  /** Rejects when the rows could not be selected, with StorageAway where they can be later, and when Hone is stopped meanwhile. */
  select(task: SelectTask): Promise<RowsSelection>
  /** Refused after a few seconds while another one of the workspace runs. */
  dryRun<T>(workspaceId: string, work: () => Promise<T>): Promise<T>
}
