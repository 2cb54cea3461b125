// Puts an attempt live as the next version of its pipeline, in the transaction that also writes how the attempt ended: callers are
// answered by the new version from that commit on. What it learned is marked before, because it may be hundreds of thousands of rows, and
// counts from that commit on.
import type { Transaction } from 'kysely'
import type { MovedBy } from '#contract/version.ts'
import { putLive } from '../../deployment/deployment-store.ts'
import { newId } from '../../lib/id.ts'
import type { Database } from '../../storage/schema.ts'
import { closeUndecided, setVersionNo } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import { lockPipeline } from '../pipeline/pipeline-store.ts'
import { recordNotFound } from '../../core/record-refusals.ts'
import { findVersionNo, insertVersion, moveLive, nextVersionNo } from '../version/version-store.ts'

export type Promotion = {
  attempt: AttemptRow
  /** Shares of the held-back samples that it and the live model passed; null where nothing was scored. */
  rates: { candidate: number | null; live: number | null }
  movedBy: Exclude<MovedBy, 'rollback'>
  /** The member who decided it; null where the pipeline's rule did. */
  userId: string | null
  at: Date
}

/** The number of the version. An attempt that is live or was so keeps the number that it has, and nothing changes. */
export async function goLive(
  tx: Transaction<Database>,
  { attempt, rates, movedBy, userId, at }: Promotion,
): Promise<number> {
  const pipeline = await lockPipeline(tx, attempt.workspace_id, attempt.pipeline_id)
  if (!pipeline) throw recordNotFound('pipeline')
  const known = await findVersionNo(tx, attempt.id)
  if (known !== null) return known
  if (attempt.adapter === null) throw new Error(`the attempt ${attempt.id} has trained nothing`)
  const versionNo = await nextVersionNo(tx, pipeline.id)
  const weights = { model_revision: attempt.model_revision, adapter: attempt.adapter, merged: null }
  await insertVersion(tx, {
    pipeline_id: pipeline.id,
    version_no: versionNo,
    attempt_id: attempt.id,
    attempt_no: attempt.attempt_no,
    reason: attempt.reason,
    model: attempt.model,
    ...weights,
    builds_on: attempt.builds_on,
    train_rows: attempt.train_rows,
    replayed_rows: attempt.replayed_rows,
    candidate_pass_rate: rates.candidate,
    incumbent_pass_rate: rates.live,
    live_from: at,
    live_until: null,
    rolled_back_at: null,
  })
  const { id: attemptId } = attempt
  await moveLive(tx, { pipelineId: pipeline.id, versionNo, at, movedBy, userId, attemptId })
  await putLive(tx, {
    id: newId(at),
    at,
    workspace_id: pipeline.workspace_id,
    name: `loop-${pipeline.tag}`,
    pipeline_id: pipeline.id,
    version_no: versionNo,
    model: attempt.model,
    base_revision: weights.model_revision,
    adapter: weights.adapter,
    merged: weights.merged,
    machine: attempt.machine,
  })
  await setVersionNo(tx, attemptId, versionNo)
  const why = `Version ${versionNo} went live before this attempt was decided.`
  await closeUndecided(tx, { pipelineId: pipeline.id, except: attemptId }, { why, at })
  return versionNo
}
