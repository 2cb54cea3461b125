// Removes what compute has left of the training.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'

export async function forgetTraining(app: App, { id }: AttemptRow): Promise<void> {
  await app.learning.compute.forget(id)
}
