// What of a pipeline decides which samples it learns from.
import type { Conditions } from '#contract/dataset.ts'
import type { App } from '../../../app.ts'
import { bundledModel } from '../../../engine/engines.ts'
import type { PipelineRow } from '../pipeline-store.ts'

export type SelectionSettings = {
  pipelineId: string
  workspaceId: string
  /** The pipeline's own. */
  tag: string
  tags: readonly string[]
  /** What its datasets select. */
  datasetConditions: readonly Conditions[]
  conditions: Conditions | null
  holdoutPercent: number
  buildsOn: 'live' | 'base'
  liveVersion: number | null
  replayPercent: number
  /** Ids of samples that a benchmark has pinned. */
  pinned: readonly string[]
  /** A Hugging Face folder. */
  modelFolder: string
  contextWindow: number
}

/** Null when the model of the pipeline can no longer be trained. */
export function selectionSettingsOf(app: App, row: PipelineRow): SelectionSettings | null {
  const model = app.catalog.find(row.model)
  const route = model?.routes.find(({ engine }) => engine === 'embedded')
  if (!model || route?.engine !== 'embedded') return null
  return {
    pipelineId: row.id,
    workspaceId: row.workspace_id,
    tag: row.tag,
    tags: [],
    datasetConditions: [],
    conditions: null,
    holdoutPercent: 5,
    buildsOn: 'live',
    liveVersion: null,
    replayPercent: 50,
    pinned: [],
    modelFolder: route.model_folder ?? bundledModel,
    contextWindow: model.context_window,
  }
}
