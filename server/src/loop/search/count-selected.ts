// How many samples a selection holds, counted as far as lists count.
import type { Conditions } from '#contract/dataset.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../../core/refusal.ts'
import { StorageUnavailable } from '../../storage/storage-unavailable.ts'
import { countListed } from './list-store.ts'
import { inSnapshot } from './snapshot.ts'

const nothingKnown = { count: 0, isMinimum: true }

export async function countSelected(
  app: Pick<App, 'storage' | 'clock' | 'longReads'>,
  workspaceId: string,
  conditions: Conditions,
): Promise<{ count: number; isMinimum: boolean }> {
  const selection = { workspaceId, at: app.clock.now(), conditions: [conditions] }
  try {
    return await app.longReads.run(workspaceId, () =>
      inSnapshot(app.storage, (snapshot) => countListed(snapshot, selection)),
    )
  } catch (error) {
    // Whoever saved a selection must not be told that it failed because it takes long to count, however the wait ended.
    if (error instanceof Refusal || error instanceof StorageUnavailable) return nothingKnown
    throw error
  }
}
