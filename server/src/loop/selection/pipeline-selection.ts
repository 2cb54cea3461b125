// Which samples a pipeline selects, by its settings and the datasets that they name.
import { findConditions } from '../../samples/dataset/dataset-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import type { Reader } from '../pipeline/pipeline-store.ts'
import type { PipelineSelection } from './selected-samples.ts'

export async function pipelineSelection(
  db: Reader,
  { workspace_id: workspaceId, tag, tags, conditions, datasets }: PipelineRow,
  at: Date,
): Promise<PipelineSelection> {
  const found = await findConditions(db, workspaceId, datasets)
  return { workspaceId, at, tag, tags, datasets: [...found.values()], conditions }
}
