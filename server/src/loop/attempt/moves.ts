// What is written down when an attempt moves on or ends, and what its end means for its pipeline.
import type { Transaction } from 'kysely'
import { reviewDays } from '#contract/limits.ts'
import type { Database } from '../../storage/schema.ts'
import { lockPipeline, replacePipeline } from '../pipeline/pipeline-store.ts'
import { type Changes, countAhead, lockMachine } from './attempt-store.ts'
import type { AttemptRow, AttemptState, Closing } from './attempt.ts'
import type { EffectName } from './effect-names.ts'
import { goLive } from './go-live.ts'
import type { Step } from './step.ts'

const reviewMs = reviewDays * 24 * 3_600_000

export type Written = {
  changes: Changes
  together?: (tx: Transaction<Database>) => Promise<void>
  /** Of a move. */
  why?: string
}

/** Another process has moved it, or another attempt onto its machine, meanwhile, so nothing of this is written. */
export class Moved extends Error {}

export function writtenOf(
  step: Exclude<Step, { wait: Date } | { do: EffectName }>,
  attempt: AttemptRow,
  now: Date,
): Written {
  if ('close' in step) {
    return { changes: { state: { ...withoutFailing(attempt.state), closing: step.close } } }
  }
  if ('hold' in step) {
    const state = { ...attempt.state, failing: { ...step.hold, holds: true } }
    return { changes: { state }, together: (tx) => takeMachine(tx, attempt) }
  }
  if ('move' in step) {
    const { move, why, changes } = step
    const moved = { ...changes, state: move }
    if (move.phase !== 'training') return { changes: moved, why }
    const started_at = attempt.started_at ?? now
    return { changes: { ...moved, started_at }, together: (tx) => takeMachine(tx, attempt), why }
  }
  const { result, error_code, detail, why, decision, waits } = step.end
  const decideBy = waits ? new Date(now.getTime() + reviewMs) : null
  const ended = { result, error_code, detail, decision, decide_by: decideBy, ended_at: now }
  return {
    changes: { state: { phase: 'ended' }, ...ended },
    together: (tx) => closeBehind(tx, attempt, step.end, now),
    why,
  }
}

/** As it is once something succeeded again. */
export function withoutFailing({ failing: _, ...state }: AttemptState): AttemptState {
  return state
}

/** Another process may have begun to train on it meanwhile. */
async function takeMachine(tx: Transaction<Database>, attempt: AttemptRow): Promise<void> {
  await lockMachine(tx, attempt.machine)
  if ((await countAhead(tx, attempt)) > 0) throw new Moved()
}

async function closeBehind(
  tx: Transaction<Database>,
  attempt: AttemptRow,
  { result, pause }: Closing,
  now: Date,
): Promise<void> {
  if (result === 'became_version') {
    const { candidate_pass_rate: candidate, incumbent_pass_rate: live } = attempt
    const rates = { candidate, live }
    const { approved_by: userId } = attempt
    const movedBy = userId === null ? 'promotion' : 'member'
    // The name of the pipeline answers with what it trained, from this transaction on.
    await goLive(tx, { attempt, rates, movedBy, userId, at: now })
  }
  if (!pause) return
  const pipeline = await lockPipeline(tx, attempt.workspace_id, attempt.pipeline_id)
  if (!pipeline) return
  await replacePipeline(tx, {
    ...pipeline,
    enabled: false,
    paused_for_funds: true,
    revision: pipeline.revision + 1,
    updated_at: now,
  })
}
