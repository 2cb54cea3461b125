// Finds a pipeline of the caller's workspace, or refuses.
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { recordNotFound, requireRecordId } from '../../core/record-refusals.ts'
import { findPipeline } from './pipeline-store.ts'
import type { PipelineRow } from './pipeline.ts'

export async function requirePipeline(app: App, caller: Caller, id: string): Promise<PipelineRow> {
  const pipelineId = requireRecordId('pipeline', id)
  const row = await findPipeline(app.storage.db, caller.workspace.id, pipelineId)
  if (!row) throw recordNotFound('pipeline')
  return row
}
