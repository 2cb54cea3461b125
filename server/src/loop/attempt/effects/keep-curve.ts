// Keeps the loss over the steps of the training, before compute forgets it.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'
import { keepCurve } from '../attempt-store.ts'

export async function keepTrainingCurve(app: App, { id }: AttemptRow): Promise<void> {
  const status = await app.learning.compute.status(id)
  if (status.state === 'unknown') return
  await keepCurve(app.storage.db, id, status.progress.curve)
}
