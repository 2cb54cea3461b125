// Reads pipelines: one, and the rows of a list.
import type { Pipeline } from '#contract/pipeline.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { describeInSlot } from './describe-pipeline.ts'
import * as store from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { requirePipeline } from '../pipeline/require-pipeline.ts'

/** Their rows; a list describes only those that it shows. */
export async function listPipelines(
  app: App,
  caller: Caller,
  page: { limit: number; before: string | null },
): Promise<PipelineRow[]> {
  return store.listPipelineRows(app.storage.db, caller.workspace.id, page)
}

export async function readPipeline(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ pipeline: Pipeline }> {
  return { pipeline: await describeInSlot(app, await requirePipeline(app, caller, id)) }
}
