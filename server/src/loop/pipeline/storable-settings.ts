// Settings as they are stored. Refused are a sensitive value in a name or a label, and a dataset that does not exist.
import type { PipelineChange } from '#contract/pipeline-settings.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { findConditions } from '../../samples/dataset/dataset-store.ts'
import { storableConditions } from '../../samples/dataset/storable-conditions.ts'
import { requireStorableLabels } from '../../samples/sample/require-storable-labels.ts'
import { requireStorableName } from '../../samples/sample/require-storable-name.ts'

export async function storableSettings<Body extends PipelineChange>(
  app: App,
  workspaceId: string,
  body: Body,
): Promise<Body> {
  const { name, tags = [], conditions, datasets = [] } = body
  if (name !== undefined) requireStorableName(name)
  requireStorableLabels(tags, 'tags')
  const storable = conditions ? { ...body, conditions: storableConditions(conditions) } : body
  const known = await findConditions(app.storage.db, workspaceId, datasets)
  const unknown = datasets.find((id) => !known.has(id))
  if (unknown === undefined) return storable
  throw new Refusal(
    'BAD_REQUEST',
    `body field datasets: there is no dataset ${unknown} in this workspace.`,
  )
}
