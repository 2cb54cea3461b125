// Ends the training within seconds, unless it has ended by itself.
import type { App } from '../../../app.ts'
import type { AttemptRow } from '../attempt.ts'

export async function stopTraining(app: App, { id }: AttemptRow): Promise<void> {
  await app.learning.compute.stop(id)
}
