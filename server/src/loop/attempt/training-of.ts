// What belongs to the training of an attempt: its file of rows, its settings and its price.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TrainingChoice } from '#contract/pipeline-settings.ts'
import type { App } from '../../app.ts'
import { automaticTrainingSettings } from '../../compute/training-settings.ts'
import type { Picodollars } from '../../lib/money.ts'
import type { AttemptRow, AttemptSettings } from './attempt.ts'
import { mostOfTraining, trainingSecondsMax } from './cost-limit.ts'

export function rowsFileOf({ config }: Pick<App, 'config'>, { id }: AttemptRow): string {
  return join(rowsFolderOf({ config }), `${id}.jsonl`)
}

export function rowsFolderOf({ config }: Pick<App, 'config'>): string {
  return join(config.dataDir, 'rows')
}

/** Those that are there, also what a selection that was killed left beside its file. */
export async function listRowsFiles(
  app: Pick<App, 'config'>,
  attempt: AttemptRow,
): Promise<string[]> {
  const rows = rowsFileOf(app, attempt)
  const names = await readdir(rowsFolderOf(app)).catch(() => [])
  return names.map((name) => join(rowsFolderOf(app), name)).filter((file) => file.startsWith(rows))
}

export function mostItCosts({ training_price_per_hour: perHour }: AttemptRow): Picodollars {
  return mostOfTraining(BigInt(perHour))
}

/** Whole seconds, rounded up, and never more than was reserved. */
export function chargedSeconds(seconds: number): number {
  return Math.min(trainingSecondsMax, Math.ceil(seconds))
}

/** Rounded down to a pico-dollar. */
export function priceOf(attempt: AttemptRow, seconds: number): Picodollars {
  return (BigInt(seconds) * BigInt(attempt.training_price_per_hour)) / 3600n
}

/** What a member chose, and for the rest what is automatic for so many rows. */
export function settingsFor(
  choice: TrainingChoice,
  rows: number,
  minEpochs: number,
): AttemptSettings {
  const automatic = automaticTrainingSettings(rows, { minEpochs })
  return {
    epochs: choice.epochs ?? automatic.epochs,
    learning_rate: choice.learning_rate ?? automatic.learning_rate,
    lora_rank: choice.lora_rank ?? automatic.lora_rank,
    lora_alpha: choice.lora_alpha ?? automatic.lora_alpha,
    replay_percent: choice.replay_percent ?? automatic.replay_percent,
    custom: Object.values(choice).some((value) => value !== null && value !== undefined),
  }
}
