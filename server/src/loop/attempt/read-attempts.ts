// Reads attempts: those of a pipeline, one, and the loss of its training over the steps.
import type { Attempt, AttemptInList, AttemptResult, CurvePoint } from '#contract/attempt.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import type { TrainingProgress } from '../../compute/compute.ts'
import { Refusal } from '../../core/refusal.ts'
import { readCharges, readChargesOfAll } from '../../wallet/reserve.ts'
import { recordNotFound, requireRecordId } from '../../core/record-refusals.ts'
import { findPipeline } from '../pipeline/pipeline-store.ts'
import { readLiveSpans } from '../version/version-store.ts'
import * as store from './attempt-store.ts'
import { type AttemptRow, isUnderWay } from './attempt.ts'
import { type AttemptExtra, describeAttempt, describeAttemptInList } from './describe-attempt.ts'
import { readingKinds, readTestProgress } from '../test/test-store.ts'

/** Their rows, the newest first; a list describes only those that it shows. */
export async function listAttemptRows(
  app: App,
  pipelineId: string,
  page: { limit: number; before: string | null; result: AttemptResult | null },
): Promise<AttemptRow[]> {
  return store.listAttempts(app.storage.db, pipelineId, page)
}

export async function describeAttempts(
  app: App,
  rows: readonly AttemptRow[],
): Promise<AttemptInList[]> {
  const ids = rows.map(({ id }) => id)
  const charges = await readChargesOfAll(app, ids)
  const spans = await readLiveSpans(app.storage.db, ids)
  const shown: AttemptInList[] = []
  for (const [at, row] of rows.entries()) {
    const progress = await readProgress(app, row)
    const live = spans.get(row.id) ?? null
    const asked = await readAsked(app, row)
    const queued = await store.countAhead(app.storage.db, row)
    const extra = { charges: charges[at]!, progress, queued, live, asked }
    shown.push(describeAttemptInList(app, row, extra))
  }
  return shown
}

export type AttemptsOfPipeline = {
  attempts: AttemptInList[]
  attempts_total: number
  active_run: AttemptInList | null
}

export async function readAttemptsOf(
  app: App,
  pipelineId: string,
  limit: number,
): Promise<AttemptsOfPipeline> {
  const { db } = app.storage
  const rows = await store.listAttempts(db, pipelineId, { limit, before: null, result: null })
  const attempts = await describeAttempts(app, rows)
  // One that is tested again may be older than those that are shown.
  const mayBeOlder = rows.length === limit && !rows.some(isUnderWay)
  const running = mayBeOlder ? await store.findRunning(db, pipelineId) : null
  const [older] = await describeAttempts(app, running ? [running] : [])
  return {
    attempts,
    attempts_total: await store.countAttempts(db, pipelineId),
    active_run: attempts[rows.findIndex(isUnderWay)] ?? older ?? null,
  }
}

export async function readAttempt(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ attempt: Attempt }> {
  return showAttempt(app, await requireAttempt(app, caller, id))
}

/** As the answer to a verb shows it. */
export async function showAttempt(app: App, row: AttemptRow): Promise<{ attempt: Attempt }> {
  return {
    attempt: describeAttempt(app, row, {
      charges: await readCharges(app, row.id),
      progress: await readProgress(app, row),
      queued: await store.countAhead(app.storage.db, row),
      live: (await readLiveSpans(app.storage.db, [row.id])).get(row.id) ?? null,
      asked: await readAsked(app, row),
      moves: await store.listMoves(app.storage.db, row.id),
    }),
  }
}

export async function readCurve(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ points: CurvePoint[] }> {
  const row = await requireAttempt(app, caller, id)
  const kept = await store.findCurve(app.storage.db, row.id)
  if (kept !== null) return { points: kept }
  // It has no training yet, or ended without one.
  if (!isWithCompute(row)) return { points: [] }
  const progress = await askCompute(app, row)
  if (progress !== null) return { points: progress.curve }
  throw new Refusal(
    'TRAINING_CURVE_UNAVAILABLE',
    'The training curve cannot be read at the moment; try again.',
    { retryAfterSeconds: 5 },
  )
}

export async function requireAttempt(app: App, caller: Caller, id: string): Promise<AttemptRow> {
  const { db } = app.storage
  const workspaceId = caller.workspace.id
  const row = await store.findAttempt(db, workspaceId, requireRecordId('attempt', id))
  // Those of a deleted pipeline are kept and hidden. Spec 2, deletion.
  if (!row || !(await findPipeline(db, workspaceId, row.pipeline_id)))
    throw recordNotFound('attempt')
  return row
}

async function readProgress(app: App, row: AttemptRow): Promise<TrainingProgress | null> {
  return isWithCompute(row) ? askCompute(app, row) : null
}

/** Two answers and four readings to a sample; a model that did not answer leaves less to read. */
async function readAsked({ storage }: App, row: AttemptRow): Promise<AttemptExtra['asked']> {
  const { phase } = row.state
  if (phase !== 'answering' && phase !== 'scoring') return null
  const { answers, readings, asked } = await readTestProgress(storage.db, row.id)
  return phase === 'answering'
    ? { done: answers, of: 2 * asked }
    : { done: readings, of: readingKinds.length * asked }
}

function isWithCompute({ state }: AttemptRow): boolean {
  return state.phase === 'training'
}

/** Null where compute does not know the training, or cannot say. */
async function askCompute(app: App, row: AttemptRow): Promise<TrainingProgress | null> {
  try {
    const status = await app.learning.compute.status(row.id)
    return status.state === 'unknown' ? null : status.progress
  } catch (error) {
    app.log.warn({ err: error, attempt_id: row.id }, 'the progress of a training cannot be read')
    return null
  }
}
