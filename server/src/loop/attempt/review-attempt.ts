// A member decides on an attempt that waits for that. What is approved goes live in the same way as what was found better: the walk takes
// it on from there. What is rejected has ended.
import type { Transaction } from 'kysely'
import type { ApproveBody } from '#contract/attempt.ts'
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { recordNotFound } from '../../core/record-refusals.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Database } from '../../storage/schema.ts'
import { whatNeedsSave } from '../pipeline/needs-save.ts'
import { lockPipeline } from '../pipeline/pipeline-store.ts'
import type { PipelineRow } from '../pipeline/pipeline.ts'
import { changeAttempt, findAttempt, reopenAttempt } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'
import { requireAttempt } from './read-attempts.ts'

type Reviewed = { attempt: AttemptRow; pipeline: PipelineRow; at: Date }

type Decision = {
  action: 'attempt.approved' | 'attempt.rejected'
  /** What the audit says beside the attempt. */
  detail?: object
  /** Refuses what must not be decided so. False where the attempt was moved meanwhile. */
  write: (tx: Transaction<Database>, reviewed: Reviewed) => Promise<boolean>
}

export function approveAttempt(
  app: App,
  caller: Caller,
  id: string,
  { force = false, expected_revision: expected }: ApproveBody,
): Promise<AttemptRow> {
  return review(app, caller, id, {
    action: 'attempt.approved',
    detail: { force },
    async write(tx, { attempt, pipeline, at }) {
      const { adapter } = attempt
      if (attempt.result === 'not_tested') {
        throw new Refusal('NOT_TESTED', 'This attempt was never tested.')
      }
      requireWaiting(attempt, at)
      if (attempt.result === 'inconclusive' && !force) {
        throw new Refusal(
          'INCONCLUSIVE_REQUIRES_FORCE',
          'The test of this attempt could not decide; approve it with force true to put it live all the same.',
        )
      }
      if (adapter === null || !(await app.learning.modelStore.hasAdapter(adapter))) {
        throw new Refusal('CANDIDATE_MISSING', 'What this attempt trained is no longer there.')
      }
      requireConsent(app, pipeline, expected)
      const state = { phase: 'promoting', model: 'closed' } as const
      const changes = { state, error_code: null, detail: null, approved_by: caller.user.id }
      return reopenAttempt(tx, attempt, changes, { why: 'A member approved it.', at })
    },
  })
}

export function rejectAttempt(app: App, caller: Caller, id: string): Promise<AttemptRow> {
  return review(app, caller, id, {
    action: 'attempt.rejected',
    write(tx, { attempt, at }) {
      requireWaiting(attempt, at)
      const closed = { result: 'stopped', decision: 'rejected', decide_by: null } as const
      const move = { why: 'A member rejected it.', at }
      return changeAttempt(tx, attempt, { ...closed, ended_at: at }, move)
    },
  })
}

async function review(
  app: App,
  caller: Caller,
  given: string,
  { action, detail, write }: Decision,
): Promise<AttemptRow> {
  const { id, pipeline_id: pipelineId } = await requireAttempt(app, caller, given)
  const { id: workspaceId } = caller.workspace
  const at = app.clock.now()
  return app.storage.db.transaction().execute(async (tx) => {
    // The next version of the pipeline closes what waits, so it goes live before this or after it.
    const pipeline = await lockPipeline(tx, workspaceId, pipelineId)
    const attempt = await findAttempt(tx, workspaceId, id)
    if (!pipeline || !attempt) throw recordNotFound('attempt')
    if (!(await write(tx, { attempt, pipeline, at }))) throw notWaiting()
    const audited = { rule_id: pipelineId, attempt_no: attempt.attempt_no, ...detail }
    await recordAudit(tx, actorOf(caller), { action, targetId: id, detail: audited }, at)
    return (await findAttempt(tx, workspaceId, id)) ?? attempt
  })
}

function requireWaiting({ decide_by }: AttemptRow, at: Date): void {
  if (decide_by === null || decide_by <= at) throw notWaiting()
}

function notWaiting(): Refusal {
  return new Refusal('NOT_REVIEWABLE', 'This attempt does not wait for a decision.')
}

/** What goes live is charged for, and trained on, under the settings that a member accepted. */
function requireConsent(app: App, pipeline: PipelineRow, expected: number | undefined): void {
  const isOther = expected !== undefined && expected !== pipeline.revision
  if (!isOther && whatNeedsSave(app.catalog, pipeline) === null) return
  throw new Refusal(
    'CONSENT_CHANGED',
    isOther
      ? `The pipeline is at revision ${pipeline.revision}; read it, and approve with that as expected_revision.`
      : 'What the pipeline was saved with has changed; save it again first.',
  )
}
