// A pipeline as its readers see it: its row, with what its tag has gathered.
import type { Pipeline } from '#contract/pipeline.ts'
import type { App } from '../../app.ts'
import { inParallel } from '../../lib/in-parallel.ts'
import { readNotRecorded } from '../capture/capture-count-store.ts'
import { readStorage } from '../stats/read-storage.ts'
import { countByTag } from '../stats/count-samples.ts'
import type { PipelineRow } from './pipeline-store.ts'

/** As many as may have a turn; more would only wait. */
const pipelinesAtOnce = 2

export async function describePipelines(
  app: App,
  rows: readonly PipelineRow[],
): Promise<Pipeline[]> {
  return inParallel(rows, pipelinesAtOnce, (row) => describeInTurn(app, row))
}

export function describeInTurn(app: App, row: PipelineRow): Promise<Pipeline> {
  return app.longReads.run(row.workspace_id, async () =>
    describePipeline(row, await readGathered(app, row)),
  )
}

type Gathered = Pick<Pipeline, 'samples' | 'storage' | 'capture'>

/** For whoever has a turn. One statement after another, because a turn is for one connection. */
export async function readGathered(
  app: App,
  { workspace_id, tag }: Pick<PipelineRow, 'workspace_id' | 'tag'>,
): Promise<Gathered> {
  return {
    samples: await countByTag(app.storage.db, workspace_id, tag, app.clock.now()),
    storage: await readStorage(app, workspace_id, { tag }),
    capture: await readNotRecorded(app.storage.db, workspace_id, tag),
  }
}

export function describePipeline(row: PipelineRow, gathered: Gathered): Pipeline {
  return {
    rule_id: row.id,
    name: row.name,
    tag: row.tag,
    model_name: `loop-${row.tag}`,
    model: { id: row.model },
    enabled: row.enabled,
    revision: row.revision,
    live_version: null,
    ...gathered,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
