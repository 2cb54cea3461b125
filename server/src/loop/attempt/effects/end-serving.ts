// Ends the deployments that were there for the test alone.
import type { App } from '../../../app.ts'
import { endTestDeployments } from '../../../deployment/serve-for-test.ts'
import type { AttemptRow } from '../attempt.ts'

export async function endServing(app: App, { id }: AttemptRow): Promise<void> {
  await endTestDeployments(app.storage.db, id)
}
