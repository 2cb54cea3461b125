// The automatic settings of the next training, as a pipeline shows them.
import { trainingRowsMin } from '#contract/limits.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import { automaticTrainingSettings } from '../../compute/training-settings.ts'
import { trainingSteps } from './plan-run.ts'

/** No attempt trains on fewer rows than the least, so the settings are those for at least so many. */
export function trainingDefaults(
  usableRows: number,
  minEpochs: number,
): Pipeline['training_defaults'] {
  const rows = Math.max(usableRows, trainingRowsMin)
  const automatic = automaticTrainingSettings(rows, { minEpochs })
  return { ...automatic, min_epochs: minEpochs, steps: trainingSteps(rows, automatic.epochs) }
}
