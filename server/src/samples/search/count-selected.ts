// How many samples a selection holds, counted as far as lists count, or to the end.
import type { Conditions } from '#contract/dataset.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { StorageUnavailable } from '../../storage/storage-unavailable.ts'
import { type Count, countListed, countToTheEnd } from './list-store.ts'
import type { Selection } from './selection.ts'
import { inSnapshot, type Snapshot } from './snapshot.ts'

const nothingKnown = { count: 0, isMinimum: true }

type Counter = Pick<App, 'storage' | 'clock' | 'samples'>

export async function countSelected(
  app: Counter,
  workspaceId: string,
  conditions: Conditions,
): Promise<Count> {
  try {
    return await countBy(countListed, app, workspaceId, conditions)
  } catch (error) {
    // A selection that was saved must not answer as if it had failed because it takes long to count.
    if (error instanceof Refusal || error instanceof StorageUnavailable) return nothingKnown
    throw error
  }
}

/** Exactly, or refused: the caller waits for the number and nothing else. */
export function countSelectedExactly(
  app: Counter,
  workspaceId: string,
  conditions: Conditions,
): Promise<Count> {
  return countBy(countToTheEnd, app, workspaceId, conditions)
}

function countBy(
  count: (snapshot: Snapshot, selection: Selection) => Promise<Count>,
  app: Counter,
  workspaceId: string,
  conditions: Conditions,
): Promise<Count> {
  const selection = { workspaceId, at: app.clock.now(), conditions: [conditions] }
  return app.samples.longReads.run(workspaceId, () =>
    inSnapshot(app.storage, (snapshot) => count(snapshot, selection)),
  )
}
