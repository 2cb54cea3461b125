// Rows of attempts as tests need them. Their time to be worked on never comes, so they stay as they are.
import type { App } from '#server/app.ts'
import { newId } from '#server/lib/id.ts'
import { insertAttempt } from '#server/loop/attempt/attempt-store.ts'
import type { AttemptRow } from '#server/loop/attempt/attempt.ts'

export const attemptAt = new Date('2026-03-02T03:30:00.000Z')
const never = new Date('2200-01-01T00:00:00.000Z')

export function attemptRow(changes: Partial<AttemptRow> = {}): AttemptRow {
  return {
    id: newId(attemptAt),
    workspace_id: newId(attemptAt),
    org_id: newId(attemptAt),
    pipeline_id: newId(attemptAt),
    attempt_no: 1,
    reason: 'manual',
    state: { phase: 'training', since: attemptAt.toISOString() },
    result: 'running',
    error_code: null,
    detail: null,
    cancelled_at: null,
    cancelled_by: null,
    model: 'hone/hone-mini',
    model_revision: 'a'.repeat(64),
    builds_on: null,
    training: {
      epochs: 3,
      learning_rate: 0.002,
      lora_rank: null,
      lora_alpha: null,
      replay_percent: null,
    },
    settings: {
      epochs: 3,
      learning_rate: 0.002,
      lora_rank: 16,
      lora_alpha: 32,
      replay_percent: 50,
      custom: true,
    },
    min_epochs: 3,
    stops_early: true,
    train_rows: 1100,
    holdout_rows: 100,
    replayed_rows: 0,
    skipped_rows: [{ reason: 'redacted_answer', count: 2 }],
    machine: 'embedded',
    training_price_per_hour: '600000000000',
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
    wake_at: never,
    leased_until: null,
    leased_by: null,
    created_at: attemptAt,
    started_at: attemptAt,
    ended_at: null,
    ...changes,
  }
}

/** The changes that make it an attempt that has ended. */
export function endedAs(result: Exclude<AttemptRow['result'], 'running'>): Partial<AttemptRow> {
  return { result, state: { phase: 'ended' }, ended_at: attemptAt }
}

/** As one of the pipeline's. */
export async function keepAttempt(
  { app }: { app: Pick<App, 'storage'> },
  pipelineId: string,
  changes: Partial<AttemptRow> = {},
): Promise<AttemptRow> {
  const { db } = app.storage
  const { workspace_id, org_id } = await db
    .selectFrom('pipeline')
    .innerJoin('workspace', 'workspace.id', 'pipeline.workspace_id')
    .select(['pipeline.workspace_id', 'workspace.org_id'])
    .where('pipeline.id', '=', pipelineId)
    .executeTakeFirstOrThrow()
  const row = attemptRow({ workspace_id, org_id, pipeline_id: pipelineId, ...changes })
  await db.transaction().execute((tx) => insertAttempt(tx, row, 'A member pressed train now.'))
  return row
}
