// The automatic settings of the next training, as a pipeline shows them.
import { trainingRowsMin } from '#contract/limits.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import { automaticTrainingSettings } from '../../compute/training-settings.ts'
import { automaticEpochs, trainingSteps } from './plan-run.ts'

/** The share of rows that an earlier attempt was trained on. */
const replayPercent = 50

/** No attempt trains on fewer rows than the least, so the settings are those for at least so many. */
export function trainingDefaults(
  usableRows: number,
  minEpochs: number,
): Pipeline['training_defaults'] {
  const rows = Math.max(usableRows, trainingRowsMin)
  const epochs = automaticEpochs(rows, minEpochs)
  return {
    ...automaticTrainingSettings(rows),
    epochs,
    replay_percent: replayPercent,
    min_epochs: minEpochs,
    steps: trainingSteps(rows, epochs),
  }
}
