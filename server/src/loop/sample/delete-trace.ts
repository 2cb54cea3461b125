// Deletes a sample on somebody's word: its text, its labels and all feedback on it.
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { eraseSamples } from '../retention/erase-samples.ts'
import { requireSample, sampleDeleted } from './require-sample.ts'

export async function deleteTrace(app: App, caller: Caller, sampleId: string): Promise<void> {
  const { id } = await requireSample(app, caller, sampleId)
  const event = { action: sampleDeleted, targetId: id, detail: {} }
  await eraseSamples(app, caller.workspace.id, [id], (tx) =>
    recordAudit(tx, actorOf(caller), event, app.clock.now()),
  )
}
