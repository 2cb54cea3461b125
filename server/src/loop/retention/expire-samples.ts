// Erases samples whose time is over, in batches that are each complete: a process that dies leaves the rest for the next.
import type { App } from '../../app.ts'
import { dropSamples } from './erase-samples.ts'
import { listExpired } from './sample-object-store.ts'

const batchMax = 500

/** One batch; true when there may be more. */
export async function expireBatch(app: App): Promise<boolean> {
  const expired = await listExpired(app.storage.db, app.clock.now(), batchMax)
  for (const [workspaceId, rows] of Map.groupBy(expired, (row) => row.workspace_id)) {
    await dropSamples(
      app,
      workspaceId,
      rows.map(({ id }) => id),
    )
  }
  return expired.length === batchMax
}
