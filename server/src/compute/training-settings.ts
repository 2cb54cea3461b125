// The ranges of the training settings, and the settings chosen where the user chose none.
import type { TrainingSettings } from './compute.ts'

export const samplesPerStep = 16
const loraRanks = [4, 8, 16, 32, 64]

const automaticSteps = 1100

/** About 1,100 steps of 16 samples, within 3 to 15 passes over the rows. */
export function automaticTrainingSettings(rowCount: number): TrainingSettings {
  const passes = Math.round((automaticSteps * samplesPerStep) / Math.max(1, rowCount))
  return {
    epochs: Math.min(15, Math.max(3, passes)),
    learning_rate: 0.0002,
    lora_rank: 16,
    lora_alpha: 32,
  }
}

/** What is wrong with the settings, as a sentence; null if nothing is. */
export function settingsFault(settings: TrainingSettings): string | null {
  const { epochs, learning_rate: rate, lora_rank: rank, lora_alpha: alpha } = settings
  if (!Number.isInteger(epochs) || epochs < 1 || epochs > 15) {
    return `epochs must be a whole number from 1 to 15, not ${epochs}.`
  }
  if (!(rate >= 1e-6 && rate <= 0.01)) {
    return `learning_rate must be between 0.000001 and 0.01, not ${rate}.`
  }
  if (!loraRanks.includes(rank)) return `lora_rank must be 4, 8, 16, 32 or 64, not ${rank}.`
  if (!(alpha >= 1 && alpha <= 512)) return `lora_alpha must be between 1 and 512, not ${alpha}.`
  return null
}
