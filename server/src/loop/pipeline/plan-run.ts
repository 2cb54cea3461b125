// What an attempt would train on, how long that takes and what it costs. Pure; a dry run shows it.
import { firstOf, type PlatformErrorCode } from '#contract/errors.ts'
import { heldBackRowsMin, trainingRowsMin } from '#contract/limits.ts'
import type { TrainingChoice } from '#contract/pipeline-settings.ts'
import type { RunPlan, SkipReason } from '#contract/run-plan.ts'
import { automaticTrainingSettings, samplesPerStep } from '../../compute/training-settings.ts'
import { formatUsd, type Picodollars } from '../../lib/money.ts'
import { firstNeed } from './selection/minimums.ts'

/** The trainer keeps the rest aside for its checks. */
const trainedShare = 0.95

/** How many steps so many passes over so many rows take, unless training stops early. */
export function trainingSteps(rows: number, epochs: number): number {
  return epochs * Math.ceil((trainedShare * rows) / samplesPerStep)
}

/** Epochs where a member chose none. */
export function automaticEpochs(rows: number, minEpochs: number): number {
  return Math.max(minEpochs, automaticTrainingSettings(rows).epochs)
}

export type RunFacts = {
  selected: {
    train_rows: number
    holdout_rows: number
    skipped_rows: { reason: SkipReason; count: number }[]
  }
  training: TrainingChoice
  heldBackPercent: number
  minEpochs: number
  /** Whether a version went live already, so that only new rows count. */
  hasVersion: boolean
  secondsPerStep: number
  trainingPricePerHour: Picodollars
  /** Codes of everything but the data that would refuse the run. */
  blocks: readonly PlatformErrorCode[]
}

export function planRun(facts: RunFacts): RunPlan {
  const { train_rows, holdout_rows } = facts.selected
  const have = facts.hasVersion ? train_rows : train_rows + holdout_rows
  const need = facts.hasVersion ? trainingRowsMin : firstNeed(facts.heldBackPercent)
  const enough = have >= need && train_rows >= trainingRowsMin && holdout_rows >= heldBackRowsMin
  const epochs = facts.training.epochs ?? automaticEpochs(train_rows, facts.minEpochs)
  const steps = trainingSteps(train_rows, epochs)
  const seconds = Math.ceil(steps * facts.secondsPerStep)
  return {
    ...facts.selected,
    have,
    need,
    steps,
    seconds,
    cost_usd: formatUsd((BigInt(seconds) * facts.trainingPricePerHour) / 3600n),
    blocked_by: firstOf<PlatformErrorCode>(
      enough ? facts.blocks : [...facts.blocks, 'NOT_ENOUGH_SAMPLES'],
    ),
  }
}
