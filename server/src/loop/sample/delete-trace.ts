// Deletes a sample on somebody's word: its text, its labels and all feedback on it.
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { eraseSamples } from '../retention/erase-samples.ts'
import { requireSample } from './require-sample.ts'

export async function deleteTrace(app: App, caller: Caller, sampleId: string): Promise<void> {
  const { id } = await requireSample(app, caller, sampleId)
  await eraseSamples(app, caller.workspace.id, [id])
  await recordAudit(
    app.storage.db,
    actorOf(caller),
    { action: 'sample.deleted', targetId: id, detail: {} },
    app.clock.now(),
  )
}
