// Deletes a sample on somebody's word: its text, its labels and all feedback on it.
import { actorOf } from '../../account/actor.ts'
import { recordAudit } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { eraseSamples } from '../retention/erase-samples.ts'
import { listOtherIds } from '../retention/sample-object-store.ts'
import { requireSampleOrWait, sampleDeleted, youngSince } from '../sample/require-sample.ts'

/** More repetitions than anybody waits for feedback on. */
const otherIdsMax = 1_000

/** The log also names the ids that repeated calls were given lately, so that nobody waits for those to arrive. */
export async function deleteTrace(app: App, caller: Caller, sampleId: string): Promise<void> {
  // A young sample is stored a moment after its call; a 404 would leave it in place although its owner took it for deleted.
  const { id } = await requireSampleOrWait(app, caller, sampleId)
  const workspaceId = caller.workspace.id
  const now = app.clock.now()
  await eraseSamples(app, workspaceId, [id], async (tx) => {
    const others = await listOtherIds(tx, { workspaceId, id }, youngSince(now), otherIdsMax)
    const detail = others.length > 0 ? { other_ids: others } : {}
    await recordAudit(tx, actorOf(caller), { action: sampleDeleted, targetId: id, detail }, now)
  })
}
