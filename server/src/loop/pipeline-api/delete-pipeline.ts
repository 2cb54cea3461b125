// Deletes a pipeline. Its running attempt is stopped and its live version answers no more, unless another pipeline has that as its model;
// its samples stay, and its name and its tag stay taken. What was said in its tests is forgotten in the background.
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { deleteLiveDeployment, detachLiveDeployment } from '../../deployment/deployment-store.ts'
import { askToStop } from '../attempt/attempt-store.ts'
import { queueForgetting } from '../test/test-words-store.ts'
import { deleteCaptureConfigRow } from '../../samples/capture/capture-config-store.ts'
import { isSharedSource } from '../../samples/capture/require-source.ts'
import { revokeScoringKey } from '../test/judge/scoring-key.ts'
import { recordNotFound, requireRecordId } from '../../core/record-refusals.ts'
import { endLive } from '../version/version-store.ts'
import { namedModel } from '../pipeline/pipeline.ts'
import * as store from '../pipeline/pipeline-store.ts'

/** What was recorded under the pipeline's own source is recorded no more. */
export async function deletePipeline(app: App, caller: Caller, id: string): Promise<void> {
  const pipelineId = requireRecordId('pipeline', id)
  await app.storage.db.transaction().execute(async (tx) => {
    const row = await store.lockPipeline(tx, caller.workspace.id, pipelineId)
    if (!row) throw recordNotFound('pipeline')
    const now = app.clock.now()
    await store.replacePipeline(tx, {
      ...row,
      revision: row.revision + 1,
      updated_at: now,
      deleted_at: now,
    })
    await revokeScoringKey(tx, row.id, now)
    const isNamed = await store.isDeploymentNamed(tx, row.workspace_id, `loop-${row.tag}`)
    await (isNamed ? detachLiveDeployment : deleteLiveDeployment)(tx, row.id, now)
    await endLive(tx, row.id, now)
    await askToStop(tx, { pipelineId: row.id }, { at: now, by: null })
    await queueForgetting(tx, row.id)
    // A model may have come into the catalog under the tag since.
    if (!isSharedSource(app, row.tag)) await deleteCaptureConfigRow(tx, row.workspace_id, row.tag)
    const detail = { name: row.name, enabled: row.enabled, model: namedModel(row) }
    const event = { action: 'pipeline.deleted', targetId: row.id, detail }
    await recordAudit(tx, actorOf(caller), event, now)
  })
  app.samples.captureBook.forget(caller.workspace.id)
}
