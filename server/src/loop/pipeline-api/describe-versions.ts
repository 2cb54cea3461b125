// What a pipeline shows of its versions: which there are, which is live, and how that one is served.
import { versionsPerPipeline } from '#contract/limits.ts'
import type { Pipeline } from '#contract/pipeline.ts'
import type { App } from '../../app.ts'
import type { DeploymentRow } from '../../deployment/deployment-store.ts'
import { findLiveAsServed, type StoppedLive, stoppedLiveOf } from '../attempt/stopped-live.ts'
import { describeVersion } from '../version/describe-version.ts'
import { listVersions, readVersions, type VersionRow } from '../version/version-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'

export type GatheredVersions = {
  rows: VersionRow[]
  total: number
  live: number | null
  deployment: DeploymentRow | null
  /** The live version, where it does not serve. */
  stopped: StoppedLive | null
}

export async function readGatheredVersions(
  app: Pick<App, 'catalog' | 'storage'>,
  pipelineId: string,
): Promise<GatheredVersions> {
  const { db } = app.storage
  const { total, live } = await readVersions(db, pipelineId)
  // Most pipelines have none, and lists are full of them.
  if (total === 0) return { rows: [], total, live, deployment: null, stopped: null }
  // Numbers have no gaps.
  const page = { limit: versionsPerPipeline, after: Math.max(0, total - versionsPerPipeline) }
  const rows = await listVersions(db, pipelineId, page)
  const deployment = await findLiveAsServed(app, db, pipelineId)
  const stopped = live === null ? null : await stoppedLiveOf(db, pipelineId, deployment)
  return { rows, total, live, deployment, stopped }
}

type VersionFields = Pick<
  Pipeline,
  'versions' | 'versions_total' | 'live_version' | 'live_deployment' | 'chain'
>

export function describeVersions(
  { builds_on }: Pick<PipelineRow, 'builds_on'>,
  { rows, total, live, deployment }: GatheredVersions,
  now: Date,
): VersionFields {
  return {
    versions: rows.map(describeVersion),
    versions_total: total,
    live_version: live,
    live_deployment:
      live === null
        ? null
        : {
            status: deployment?.status ?? 'deleted',
            checked_at: (deployment?.checked_at ?? now).toISOString(),
          },
    // Every version so far was trained from the base model, so it consists of itself alone.
    chain: live === null || builds_on === 'base' ? null : [{ version_no: live, merged: false }],
  }
}
