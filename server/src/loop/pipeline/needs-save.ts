// Whether a pipeline must be saved before it can train: what it was saved with is gone, or its settings were never accepted.
import type { Catalog } from '../../catalog/catalog.ts'
import type { PipelineRow } from './pipeline.ts'
import { modelFolderOf } from './trainable-models.ts'

/** What stands in the settings and is no longer to be had, or was never accepted. */
export type NeedsSave = 'model' | 'challenger' | 'judge' | 'consent'

export function whatNeedsSave(catalog: Catalog, row: PipelineRow): NeedsSave | null {
  if (modelFolderOf(catalog, row.model) === null) return 'model'
  const { challenger_model: challenger } = row
  if (challenger !== null && modelFolderOf(catalog, challenger) === null) return 'challenger'
  if (!catalog.find(row.judge_model)) return 'judge'
  return row.consented_revision === row.revision ? null : 'consent'
}
