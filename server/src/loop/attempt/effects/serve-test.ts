// Has the new model served for its test alone, and beside it what it is compared with: the live version, or before there is one the
// base that the attempt is pinned to. So neither a switch of the live name nor a change of the catalog's base changes a test.
import type { App } from '../../../app.ts'
import { serveForTest, type TestDeployment } from '../../../deployment/serve-for-test.ts'
import { newId } from '../../../lib/id.ts'
import type { AttemptRow } from '../attempt.ts'
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
  const compared = await comparedWeights(app, attempt)
  await serveForTest(db, { ...common, id: newId(at), side: 'compared', ...compared })
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

type Weights = Pick<TestDeployment, 'model' | 'baseRevision' | 'adapter' | 'merged'>

async function comparedWeights(app: App, attempt: AttemptRow): Promise<Weights> {
  const { pipeline_id: pipelineId, model, model_revision: baseRevision } = attempt
  const compared = attempt.test?.compared_with ?? null
  if (compared === null) return { model, baseRevision, adapter: null, merged: null }
  const version = await findVersion(app.storage.db, pipelineId, compared)
  if (!version) throw new Error(`version ${compared} of ${pipelineId} does not exist`)
  const { adapter, merged } = version
  return { model: version.model, baseRevision: version.model_revision, adapter, merged }
}
