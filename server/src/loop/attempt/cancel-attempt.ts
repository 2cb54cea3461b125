// A member stops an attempt. The process that works on it ends it within seconds.
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { recordNotFound, requireRecordId } from '../../core/record-refusals.ts'
import { askToStop, findAttempt } from './attempt-store.ts'
import type { AttemptRow } from './attempt.ts'

export async function cancelAttempt(app: App, caller: Caller, given: string): Promise<AttemptRow> {
  const id = requireRecordId('attempt', given)
  const at = app.clock.now()
  return app.storage.db.transaction().execute(async (tx) => {
    const known = await findAttempt(tx, caller.workspace.id, id)
    if (!known) throw recordNotFound('attempt')
    if (!(await askToStop(tx, { id }, { at, by: caller.user.id }))) {
      throw new Refusal('RUN_FINISHED', 'This attempt has already ended.')
    }
    const detail = { rule_id: known.pipeline_id, attempt_no: known.attempt_no }
    const event = { action: 'attempt.cancelled', targetId: id, detail }
    await recordAudit(tx, actorOf(caller), event, at)
    return (await findAttempt(tx, caller.workspace.id, id)) ?? known
  })
}
