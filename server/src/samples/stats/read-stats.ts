// The statistics of a workspace's loop.
import type { CaptureOutcome } from '#contract/capture.ts'
import type { LoopStats } from '#contract/loop-stats.ts'
import type { Caller } from '../../account/caller.ts'
import type { App } from '../../app.ts'
import { readCaptureCounts } from '../capture/capture-count-store.ts'
import { countSamples } from './count-samples.ts'
import { readStorage } from './read-storage.ts'

export async function readStats(app: App, caller: Caller): Promise<LoopStats> {
  const workspaceId = caller.workspace.id
  const [samples, counts, storage] = await Promise.all([
    app.samples.longReads.run(workspaceId, () =>
      countSamples(app.storage.db, workspaceId, app.clock.now()),
    ),
    readCaptureCounts(app.storage.db, workspaceId),
    readStorage(app, workspaceId, {}),
  ])
  const recorded = counts.filter(({ outcome }) => outcome === 'recorded')
  return {
    samples,
    capture: {
      recorded: recorded.reduce((sum, { calls }) => sum + Number(calls), 0),
      not_recorded: counts.reduce((sum, { missed }) => sum + Number(missed), 0),
      counts: counts.map((count) => ({
        source: count.source,
        tag: count.tag,
        outcome: count.outcome as CaptureOutcome,
        calls: Number(count.calls),
        last_at: count.last_at.toISOString(),
      })),
    },
    storage,
  }
}
