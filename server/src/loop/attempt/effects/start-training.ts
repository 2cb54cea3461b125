// Hands the rows to compute. A second call with the same id attaches to the training that is there.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import { rowsFileOf } from '../training-of.ts'

export async function startTraining(app: App, attempt: AttemptRow): Promise<void> {
  const { id, model, model_revision: revision, stops_early: stopsEarly } = attempt
  const { custom: _custom, ...settings } = attempt.settings
  await app.learning.compute.train({
    id,
    base: { path: app.learning.modelStore.modelPath(revision), revision },
    baseName: model,
    rowsFile: rowsFileOf(app, attempt),
    settings,
    stopsEarly,
    seed: attempt.attempt_no,
  })
}
