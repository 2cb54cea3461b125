// Whether a pipeline must be saved before it can train: what it was saved with is gone, or its settings were never accepted.
import type { Catalog } from '../../catalog/catalog.ts'
import type { NextFacts } from '../pipeline-api/next-reason.ts'
import type { PipelineRow } from './pipeline.ts'
import { modelFolderOf } from './trainable-models.ts'

export function whatNeedsSave(catalog: Catalog, row: PipelineRow): NextFacts['needsSave'] {
  if (modelFolderOf(catalog, row.model) === null) return 'model'
  const { challenger_model: challenger } = row
  if (challenger !== null && modelFolderOf(catalog, challenger) === null) return 'challenger'
  if (!catalog.find(row.judge_model)) return 'judge'
  return row.consented_revision === row.revision ? null : 'consent'
}
