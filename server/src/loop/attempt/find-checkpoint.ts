// What an attempt of the workspace trained, by the hash of its content, for those who deploy it.
import { sql } from 'kysely'
import type { Checkpoint } from '../../deployment/checkpoint.ts'
import { findLiveDeployment } from '../../deployment/deployment-store.ts'
import type { Db } from '../../storage/open-storage.ts'
import { findLiveVersion } from '../version/version-store.ts'

type Found = {
  pipeline_id: string
  tag: string
  model: string
  model_revision: string
  adapter: string | null
  builds_on: number | null
  version_no: number | null
}

export async function findCheckpoint(
  db: Db,
  workspaceId: string,
  hash: string,
): Promise<Checkpoint | null> {
  // Two trainings on the same samples make the same; the one that is a version counts.
  const { rows } = await sql<Found>`
    select a.pipeline_id, p.tag, a.model, a.model_revision, a.adapter, a.builds_on, v.version_no
    from attempt a
    join pipeline p on p.id = a.pipeline_id and p.deleted_at is null
    left join version v on v.attempt_id = a.id
    where a.workspace_id = ${workspaceId} and (a.adapter = ${hash} or v.merged = ${hash})
    order by v.live_from desc nulls last, a.id desc limit 1
  `.execute(db)
  const [found] = rows
  if (!found) return null
  const { pipeline_id: pipelineId, tag, model, version_no: versionNo } = found
  const live = versionNo === null ? null : await findLiveVersion(db, pipelineId)
  const isLive = live !== null && live.version_no === versionNo
  const isServed = isLive && (await findLiveDeployment(db, pipelineId)) !== null
  return {
    model,
    baseRevision: found.model_revision,
    kind: found.adapter === hash ? 'adapter' : 'merged',
    chained: found.builds_on !== null,
    unserved:
      isLive && !isServed && versionNo !== null
        ? { pipelineId, versionNo, name: `loop-${tag}` }
        : null,
  }
}
