// How many samples a selection holds, counted as far as lists count.
import type { Conditions } from '#contract/dataset.ts'
import type { App } from '../../app.ts'
import { countListed } from './list-store.ts'
import { inSnapshot } from './snapshot.ts'

export async function countSelected(
  app: Pick<App, 'storage' | 'clock'>,
  workspaceId: string,
  conditions: Conditions,
): Promise<{ count: number; isMinimum: boolean }> {
  const selection = { workspaceId, at: app.clock.now(), conditions: [conditions] }
  return inSnapshot(app.storage, (snapshot) => countListed(snapshot, selection))
}
