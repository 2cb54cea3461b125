// Makes the row of a new attempt. The caller has locked its pipeline.
import type { Transaction } from 'kysely'
import type { AttemptReason } from '#contract/attempt.ts'
import { trainingRowsMin } from '#contract/limits.ts'
import type { App } from '../../app.ts'
import { newId } from '../../lib/id.ts'
import type { Database } from '../../storage/schema.ts'
import { findNewest, insertAttempt } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { trainingMachines } from '../pipeline/trainable-models.ts'
import { settingsFor } from './training-of.ts'

const whys: Record<AttemptReason, string> = {
  manual: 'A member started it.',
  data: 'Enough new samples are there.',
  schedule: 'Its scheduled time has come.',
  challenger: 'The second model is tried.',
  rebuild: 'What a version learned was deleted.',
}

/** For callers that have made sure that nothing stands in its way. */
export async function newAttempt(
  tx: Transaction<Database>,
  app: App,
  { pipeline, orgId, reason }: { pipeline: PipelineRow; orgId: string; reason: AttemptReason },
): Promise<AttemptRow> {
  const [machine] = trainingMachines(app.catalog)
  const training = app.catalog.find(pipeline.model)?.training
  if (!machine || !training) throw new Error(`no machine trains ${pipeline.model}`)
  const at = app.clock.now()
  const newest = await findNewest(tx, pipeline.id)
  const row: AttemptRow = {
    id: newId(at),
    workspace_id: pipeline.workspace_id,
    org_id: orgId,
    pipeline_id: pipeline.id,
    attempt_no: (newest?.attempt_no ?? 0) + 1,
    reason,
    state: { phase: 'preparing' },
    result: 'running',
    error_code: null,
    detail: null,
    cancelled_at: null,
    cancelled_by: null,
    model: pipeline.model,
    model_revision: pipeline.model_revision,
    builds_on: null,
    training: pipeline.training,
    // The automatic ones are settled once the rows are counted.
    settings: settingsFor(pipeline.training, trainingRowsMin, training.min_epochs),
    min_epochs: training.min_epochs,
    stops_early: training.stops_early,
    train_rows: null,
    holdout_rows: null,
    replayed_rows: null,
    skipped_rows: [],
    machine: machine.name,
    training_price_per_hour: machine.training_usd_per_hour.toString(),
    adapter: null,
    version_no: null,
    test: null,
    verdict: null,
    candidate_pass_rate: null,
    incumbent_pass_rate: null,
    decision: null,
    decide_by: null,
    approved_by: null,
    retested_at: null,
    revision: 1,
    wake_at: at,
    leased_until: null,
    leased_by: null,
    created_at: at,
    started_at: null,
    ended_at: null,
  }
  await insertAttempt(tx, row, whys[reason])
  return row
}
