// What an attempt would train on, how long that takes and what it costs. Pure; a dry run shows it.
import { trainingRowsMin } from '#contract/limits.ts'
import type { TrainingChoice } from '#contract/pipeline-settings.ts'
import type { RunPlan } from '#contract/run-plan.ts'
import { automaticTrainingSettings, samplesPerStep } from '../../compute/training-settings.ts'
import { formatUsd, type Picodollars } from '../../lib/money.ts'
import { mostOfTraining } from '../attempt/cost-limit.ts'
import { obstacles, type StartFacts } from '../attempt/obstacles.ts'
import { scoredLeast } from '../test/verdict/verdict-of-counts.ts'
import { firstNeed, lackingOf, needWith } from '../selection/minimums.ts'
import type { RowsSelection } from '../selection/rows-selection.ts'

/** The trainer keeps the rest aside for its checks. */
const trainedShare = 0.95

/** How many steps so many passes over so many rows take, unless training stops early. */
export function trainingSteps(rows: number, epochs: number): number {
  return epochs * Math.ceil((trainedShare * rows) / samplesPerStep)
}

export type PlannedTest = {
  samples: number
  /** What each costs as a rule, and at most. */
  usual: Picodollars
  most: Picodollars
  money: Picodollars
  /** Why the money is not enough for one. */
  unaffordable: string | null
}

export type RunFacts = {
  selection: Pick<
    RowsSelection,
    'trainRows' | 'holdoutRows' | 'unlearnedRows' | 'skipped' | 'tokens'
  >
  training: TrainingChoice
  heldBackPercent: number
  minEpochs: number
  /** Whether a version is live, so that only what no version has learned counts. */
  hasVersion: boolean
  secondsPerToken: number
  trainingPricePerHour: Picodollars
  /** Null where nothing can be held back. */
  test: PlannedTest | null
  /** What else may stand in the way. */
  start: StartFacts
}

export function planRun(facts: RunFacts): RunPlan {
  const { trainRows, holdoutRows, unlearnedRows, skipped, tokens } = facts.selection
  const have = facts.hasVersion ? unlearnedRows : trainRows + holdoutRows
  const usualNeed = facts.hasVersion ? trainingRowsMin : firstNeed(facts.heldBackPercent)
  const lacking = lackingOf(facts.selection, facts.hasVersion)
  const need = needWith(lacking.samples, { have, usual: usualNeed })
  const { minEpochs } = facts
  const epochs = facts.training.epochs ?? automaticTrainingSettings(trainRows, { minEpochs }).epochs
  const steps = trainingSteps(trainRows, epochs)
  const tokensPerStep = samplesPerStep * (tokens / Math.max(1, trainRows))
  const seconds = Math.ceil(steps * tokensPerStep * facts.secondsPerToken)
  const tested = BigInt(testedCount(facts.test))
  const { usual = 0n, most = 0n, money = 0n, unaffordable = null } = facts.test ?? {}
  // The samples that are tested may be cheaper than the mean; what they cost is within the money.
  const withinMoney = (cost: Picodollars): Picodollars =>
    unaffordable === null && cost > money ? money : cost
  const samples = { have, need, reason: have >= need ? null : 'too few could be selected' }
  const [first] = obstacles({ ...facts.start, samples, unaffordable })
  return {
    train_rows: trainRows,
    holdout_rows: holdoutRows,
    skipped_rows: skipped,
    have,
    need,
    steps,
    seconds,
    cost_usd: formatUsd((BigInt(seconds) * facts.trainingPricePerHour) / 3600n),
    test_usd: formatUsd(withinMoney(tested * usual)),
    most_usd: formatUsd(mostOfTraining(facts.trainingPricePerHour) + withinMoney(tested * most)),
    blocked_by: first?.code ?? null,
  }
}

/** As many as the money surely pays for; where that decides nothing, as many as would. */
function testedCount(test: PlannedTest | null): number {
  if (test === null) return 0
  const { samples, most, money } = test
  const paid = most === 0n ? samples : Number(money / most)
  return Math.min(samples, Math.max(scoredLeast, paid))
}
