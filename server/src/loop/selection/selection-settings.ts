// What of a pipeline decides which samples it learns from.
import type { App } from '../../app.ts'
import { replayPercent } from '../../compute/training-settings.ts'
import { findConditions } from '../../samples/dataset/dataset-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { modelFolderOf } from '../pipeline/trainable-models.ts'
import type { SelectionSettings } from './rows-selection.ts'

/** Null when the model of the pipeline can no longer be trained. */
export async function selectionSettingsOf(
  app: App,
  row: PipelineRow,
): Promise<SelectionSettings | null> {
  const model = app.catalog.find(row.model)
  if (!model || modelFolderOf(app.catalog, row.model) === null) return null
  const { workspace_id: workspaceId } = row
  const datasets = await findConditions(app.storage.db, workspaceId, row.datasets)
  return {
    pipelineId: row.id,
    workspaceId,
    tag: row.tag,
    tags: row.tags,
    datasetConditions: [...datasets.values()],
    conditions: row.conditions,
    holdoutPercent: row.held_back_percent,
    buildsOn: row.builds_on,
    liveVersion: null,
    replayPercent: row.training.replay_percent ?? replayPercent,
    pinned: [],
    modelFolder: app.learning.modelStore.modelPath(row.model_revision),
    contextWindow: model.context_window,
  }
}
