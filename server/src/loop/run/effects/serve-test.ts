// Has the new model served for its test alone, and beside it the live version, so that a switch of the live name changes no test.
import type { App } from '../../../app.ts'
import { serveForTest } from '../../../deployment/serve-for-test.ts'
import { newId } from '../../../lib/id.ts'
import type { AttemptRow } from '../../attempt/attempt.ts'
import { findVersion } from '../../version/version-store.ts'

export async function serveTest(app: App, attempt: AttemptRow): Promise<void> {
  const { db } = app.storage
  const at = app.clock.now()
  const common = {
    at,
    workspaceId: attempt.workspace_id,
    pipelineId: attempt.pipeline_id,
    attemptId: attempt.id,
    machine: attempt.machine,
  }
  const compared = attempt.test?.compared_with ?? null
  if (compared !== null) {
    const version = await findVersion(db, attempt.pipeline_id, compared)
    if (!version) throw new Error(`version ${compared} of ${attempt.pipeline_id} does not exist`)
    await serveForTest(db, {
      ...common,
      id: newId(at),
      side: 'compared',
      model: version.model,
      baseRevision: version.model_revision,
      adapter: version.adapter,
      merged: version.merged,
    })
  }
  await serveForTest(db, {
    ...common,
    id: newId(at),
    side: 'candidate',
    model: attempt.model,
    baseRevision: attempt.model_revision,
    adapter: attempt.adapter,
    merged: null,
  })
}
