// Train now: a member starts an attempt. It skips the schedule, never the minimum.
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { findRunning } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import { readScoringCap } from '../test/judge/read-scoring-cap.ts'
import { renewScoringKey } from '../test/judge/scoring-key.ts'
import type { Reader } from '../pipeline/pipeline-store.ts'
import { lockPipeline } from '../pipeline/pipeline-store.ts'
import { whatNeedsSave } from '../pipeline/needs-save.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { requirePipeline } from '../pipeline/require-pipeline.ts'
import { countNew } from '../selection/count-new.ts'
import { countedFor, minimumsOf } from '../selection/minimums.ts'
import { pipelineSelection } from '../selection/pipeline-selection.ts'
import { isComplete } from '../pipeline/pipeline-state.ts'
import { recordNotFound } from '../../core/record-refusals.ts'
import { readVersions } from '../version/version-store.ts'
import { newAttempt } from './new-attempt.ts'

export async function startAttempt(app: App, caller: Caller, id: string): Promise<AttemptRow> {
  const known = await requirePipeline(app, caller, id)
  await refuse(app, app.storage.db, known)
  await refuseCapped(app, known)
  const keyless = await renewKey(app, known)
  if (keyless?.code === 'AGENT_OFF') throw keyless
  await app.samples.longReads.run(known.workspace_id, () => refuseTooFew(app, known))
  // In the order of the contract a 503 comes last.
  if (keyless) throw keyless
  return app.storage.db.transaction().execute(async (tx) => {
    const pipeline = await lockPipeline(tx, caller.workspace.id, known.id)
    if (!pipeline) throw recordNotFound('pipeline')
    await refuse(app, tx, pipeline)
    const orgId = caller.org.id
    const row = await newAttempt(tx, app, { pipeline, orgId, reason: 'manual' })
    if (!row) throw new Refusal('NO_GPU_FITS', 'No machine of this platform trains this model.')
    const detail = { rule_id: pipeline.id, attempt_no: row.attempt_no }
    const event = { action: 'attempt.started', targetId: row.id, detail }
    await recordAudit(tx, actorOf(caller), event, row.created_at)
    return row
  })
}

async function refuse(app: App, db: Reader, pipeline: PipelineRow): Promise<void> {
  if (!pipeline.enabled) {
    throw new Refusal('RULE_PAUSED', 'The pipeline is paused; save it with enabled true first.')
  }
  if (await findRunning(db, pipeline.id)) {
    throw new Refusal('RUN_ACTIVE', 'An attempt of this pipeline is under way.')
  }
  if (whatNeedsSave(app.catalog, pipeline) !== null) {
    throw new Refusal(
      'PIPELINE_NEEDS_SAVE',
      'What the pipeline was saved with has changed; save it again first.',
    )
  }
  const { total } = await readVersions(db, pipeline.id)
  if (isComplete(pipeline.max_versions, total)) {
    throw new Refusal(
      'VERSION_LIMIT_REACHED',
      'The pipeline has as many versions as max_versions allows; raise or remove the limit first.',
    )
  }
}

async function refuseCapped(app: App, { id }: PipelineRow): Promise<void> {
  const { cappedUntil } = await readScoringCap(app, id, app.clock.now())
  if (cappedUntil === null) return
  const resumesAt = cappedUntil.toISOString()
  throw new Refusal(
    'SCORING_CAPPED',
    `The tests of this pipeline have cost as much as this platform allows in a month; train again from ${resumesAt}.`,
    { extra: { resumes_at: resumesAt } },
  )
}

/** Why the pipeline has no scoring key, although a missing or revoked one is made anew. */
async function renewKey(app: App, { id, workspace_id }: PipelineRow): Promise<Refusal | null> {
  try {
    const isUsable = await app.storage.db.transaction().execute(async (tx) => {
      const pipeline = await lockPipeline(tx, workspace_id, id)
      if (!pipeline) throw recordNotFound('pipeline')
      return renewScoringKey(tx, pipeline, app.clock.now())
    })
    if (isUsable) return null
  } catch (error) {
    if (error instanceof Refusal && error.code === 'AGENT_COULD_NOT_START') return error
    throw error
  }
  return new Refusal(
    'AGENT_OFF',
    'The scoring key of this pipeline is unusable, and so is the new one; ask those who run this platform.',
  )
}

async function refuseTooFew(app: App, pipeline: PipelineRow): Promise<void> {
  const { db } = app.storage
  const selection = await pipelineSelection(db, pipeline, app.clock.now())
  const counts = await countNew(db, pipeline, selection, null)
  const { live } = await readVersions(db, pipeline.id)
  const { have, need, reason } = minimumsOf(
    { ...counts, unreviewed: 0 },
    countedFor(pipeline, live),
  )
  if (reason !== null) throw new Refusal('NOT_ENOUGH_SAMPLES', reason, { extra: { have, need } })
}
