// The settings of a training that are chosen where the user chose none. Spec 2, Limits.
import { settingFault, trainingSettingNames } from '#contract/training.ts'
import type { TrainingSettings } from '#contract/training.ts'

export const samplesPerStep = 16

const automaticSteps = 1100
const epochsMax = 15
export const minEpochsDefault = 3
/** Of what an attempt that builds on the live version trains on. */
export const replayPercent = 50

/** About 1,100 steps of 16 samples, within `minEpochs` to 15 passes over the rows. */
export function automaticTrainingSettings(
  rowCount: number,
  { minEpochs = minEpochsDefault }: { minEpochs?: number } = {},
): TrainingSettings {
  const passes = Math.round((automaticSteps * samplesPerStep) / Math.max(1, rowCount))
  return {
    epochs: Math.min(epochsMax, Math.max(minEpochs, passes)),
    learning_rate: 0.0002,
    lora_rank: 16,
    lora_alpha: 32,
    replay_percent: replayPercent,
  }
}

/** What is wrong with the settings, as a sentence; null if nothing is. */
export function settingsFault(settings: TrainingSettings): string | null {
  for (const name of trainingSettingNames) {
    const fault = settingFault(name, settings[name])
    if (fault !== null) return fault
  }
  return null
}
