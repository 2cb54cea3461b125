// Marks what an attempt used, once how it ends is decided and before it has ended: there may be hundreds of thousands of marks, more
// than one transaction has time for. They are changed some at a time, and a process that takes this up again changes those left.
import type { App } from '../../../app.ts'
import { markLearned, takeMarksBack } from '../../selection/mark-store.ts'
import type { AttemptRow, Closing } from '../attempt.ts'
import type { Done } from './effect.ts'

/** Counts from the transaction on that puts the attempt live. */
export async function markAsLearned(
  { storage }: App,
  attempt: AttemptRow,
  signal: AbortSignal,
): Promise<Done> {
  await markLearned(storage.db, usingOf(attempt), signal)
  return closingWith(attempt, { marks_learned: true })
}

export async function takeBack(
  { storage }: App,
  attempt: AttemptRow,
  signal: AbortSignal,
): Promise<Done> {
  await takeMarksBack(storage.db, usingOf(attempt), signal)
  return closingWith(attempt, { marks_back: false })
}

function usingOf({ pipeline_id: pipelineId, attempt_no: attemptNo }: AttemptRow) {
  return { pipelineId, attemptNo }
}

function closingWith({ id, state }: AttemptRow, change: Partial<Closing>): Done {
  if (!state.closing) throw new Error(`the attempt ${id} is not being closed`)
  return { changes: { state: { ...state, closing: { ...state.closing, ...change } } } }
}
