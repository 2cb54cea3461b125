// What the next attempt would train on, how long it would take and what it would cost.
import type { RunPlan } from '#contract/attempt.ts'
import { automaticTrainingSettings, samplesPerStep } from '../../../compute/training-settings.ts'
import { formatUsd, type Picodollars } from '../../../lib/money.ts'
import { heldBackCount, heldBackRowsMin } from './hold-back.ts'
import type { RowsSelection } from './select-rows.ts'

/** What an attempt trains on at least. */
const trainingRowsMin = 1000
/** The trainer keeps the rest aside for its checks. */
const trainedShare = 0.95

export type RunFacts = {
  selection: Pick<
    RowsSelection,
    'trainRows' | 'holdoutRows' | 'unlearnedRows' | 'skipped' | 'tokens'
  >
  holdoutPercent: number
  /** Whether a version is live, so that only what no version has learned counts. */
  hasVersion: boolean
  enabled: boolean
  /** Whether the files of its model are at hand. */
  trainable: boolean
  secondsPerToken: number
  usdPerHour: Picodollars
}

export function planRun(facts: RunFacts): RunPlan {
  const { trainRows, holdoutRows, unlearnedRows, skipped, tokens } = facts.selection
  const have = facts.hasVersion ? unlearnedRows : trainRows + holdoutRows
  const need = facts.hasVersion ? trainingRowsMin : firstNeed(facts.holdoutPercent)
  const enough = have >= need && trainRows >= trainingRowsMin && holdoutRows >= heldBackRowsMin
  const steps = trainingSteps(trainRows)
  const tokensPerStep = samplesPerStep * (tokens / Math.max(1, trainRows))
  const seconds = Math.ceil(steps * tokensPerStep * facts.secondsPerToken)
  return {
    train_rows: trainRows,
    holdout_rows: holdoutRows,
    skipped_rows: skipped,
    have,
    need,
    steps,
    seconds,
    cost_usd: formatUsd((BigInt(seconds) * facts.usdPerHour) / 3600n),
    blocked_by: blockedBy(facts, enough),
  }
}

/** The first of what stands in the way. */
function blockedBy({ enabled, trainable }: RunFacts, enough: boolean): RunPlan['blocked_by'] {
  if (!enabled) return 'RULE_PAUSED'
  if (!trainable) return 'PIPELINE_NEEDS_SAVE'
  return enough ? null : 'NOT_ENOUGH_SAMPLES'
}

/** The fewest samples that leave enough to train on once the held-back ones are taken away. */
export function firstNeed(percent: number): number {
  let need = trainingRowsMin + heldBackRowsMin
  while (need - heldBackCount(need, percent) < trainingRowsMin) need++
  return need
}

function trainingSteps(rows: number): number {
  const { epochs } = automaticTrainingSettings(rows)
  return epochs * Math.ceil((trainedShare * rows) / samplesPerStep)
}
