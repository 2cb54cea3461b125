// The sample an id names. Feedback and deletion are also told whether waiting helps: an id carries the time it was made at, so
// a young one may still be on its way (spec 2, recording headers). For a reader, what is not there is 404.
import { sampleArrivalSeconds, sampleRetrySeconds } from '#contract/limits.ts'
import { actorOf } from '../../account/actor.ts'
import { isAudited } from '../../account/audit-store.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { isId, timeOfId } from '../../lib/id.ts'
import { findSample, isInAnyWorkspace, type SampleRow } from './sample-store.ts'

/** What the audit log calls it. */
export const sampleDeleted = 'sample.deleted'

export async function requireSample(app: App, caller: Caller, given: string): Promise<SampleRow> {
  const id = given.toLowerCase()
  if (!isId(id)) throw sampleNotFound()
  const row = await findSample(app.storage.db, caller.workspace.id, id)
  if (row && row.expires_at > app.clock.now()) return row
  throw sampleNotFound()
}

export async function requireSampleOrWait(
  app: App,
  caller: Caller,
  given: string,
): Promise<SampleRow> {
  const id = given.toLowerCase()
  const row = isId(id) ? await findSample(app.storage.db, caller.workspace.id, id) : null
  const isComing =
    !row &&
    mayStillArrive(id, app.clock.now()) &&
    !(await isDeleted(app, caller, id)) &&
    !(await isInAnyWorkspace(app.storage.db, id))
  if (!isComing) return requireSample(app, caller, given)
  throw new Refusal(
    'SAMPLE_NOT_YET_RECORDED',
    'No sample has this id yet; if it came with an answer a moment ago, try again in 2 seconds.',
    { retryAfterSeconds: sampleRetrySeconds },
  )
}

/** Only asked of young ids, so the log needs to be read back no further than they are. */
function isDeleted(app: App, caller: Caller, id: string): Promise<boolean> {
  const event = { action: sampleDeleted, targetId: id, since: youngSince(app.clock.now()) }
  return isAudited(app.storage.db, actorOf(caller), event)
}

/** An id from before then cannot still be waited for. */
export function youngSince(now: Date): Date {
  return new Date(now.getTime() - 2 * sampleArrivalSeconds * 1000)
}

function mayStillArrive(id: string, now: Date): boolean {
  const made = timeOfId(id)
  if (made === null) return false
  return Math.abs(now.getTime() - made.getTime()) <= sampleArrivalSeconds * 1000
}

export function sampleNotFound(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such sample in this workspace.')
}
