// Whether the live version of a pipeline is served, and if it is not, what a member does about it.
import type { DeploymentStatus } from '#contract/deployment.ts'
import type { App } from '../../app.ts'
import { type DeploymentRow, findLiveDeployment } from '../../deployment/deployment-store.ts'
import { statusNow } from '../../deployment/machines.ts'
import type { Reader } from '../pipeline/pipeline-store.ts'
import { findLiveVersion } from '../version/version-store.ts'

/** A live version that does not serve and is not being started. */
export type StoppedLive =
  | {
      status: Exclude<DeploymentStatus, 'serving' | 'starting' | 'deleted'>
      deploymentId: string
    }
  /** `checkpoint`: the content hash of what it was trained to be. */
  | { status: 'deleted'; checkpoint: string | null }

/** Of a pipeline that has a live version. */
export async function readStoppedLive(
  app: Pick<App, 'catalog'>,
  db: Reader,
  pipelineId: string,
): Promise<StoppedLive | null> {
  return stoppedLiveOf(db, pipelineId, await findLiveAsServed(app, db, pipelineId))
}

/** With the status that it has by the catalog as it is now. */
export async function findLiveAsServed(
  { catalog }: Pick<App, 'catalog'>,
  db: Reader,
  pipelineId: string,
): Promise<DeploymentRow | null> {
  const row = await findLiveDeployment(db, pipelineId)
  return row && { ...row, status: statusNow(catalog, row) }
}

export async function stoppedLiveOf(
  db: Reader,
  pipelineId: string,
  deployment: Pick<DeploymentRow, 'id' | 'status'> | null,
): Promise<StoppedLive | null> {
  if (deployment) {
    const { id: deploymentId, status } = deployment
    return status === 'serving' || status === 'starting' ? null : { status, deploymentId }
  }
  const version = await findLiveVersion(db, pipelineId)
  return version && { status: 'deleted', checkpoint: version.merged ?? version.adapter }
}

export function stoppedSentence(stopped: StoppedLive): string {
  if (stopped.status === 'deleted') {
    const body = JSON.stringify({ checkpoint_id: stopped.checkpoint })
    return `The deployment of the live version is gone; deploy its checkpoint again with POST /api/deployments ${body}.`
  }
  const start = `start its deployment with POST /api/deployments/${stopped.deploymentId}/start`
  switch (stopped.status) {
    case 'stopped':
      return `The live version is stopped; ${start}.`
    case 'paused_for_funds':
      return 'The live version is paused because the wallet is empty; once there are funds it starts again by itself.'
    case 'paused_by_platform':
      return `The live version is paused by the platform and resumes by itself; if it does not, ${start}.`
    case 'failed':
      return `The live version could not be started; ${start}.`
  }
}
