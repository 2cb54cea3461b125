// Erases samples whose time is over, in portions that are each complete: a process that dies leaves the rest for the next.
import type { App } from '../../app.ts'
import { dropSamples } from './erase-samples.ts'
import { type ExpiredSample, listExpired } from './sample-object-store.ts'

const batchMax = 500
/** A database erases so much well within the time a statement has; what took longer would be begun again for ever. */
const portionBytesMax = 32 * 1024 * 1024
/** What erasing a row costs beside its bytes, roughly. */
const rowBytes = 1024

/** One batch; true when there may be more. A portion that cannot be erased now keeps no other. */
export async function expireBatch(app: App): Promise<boolean> {
  const expired = await listExpired(app.storage.db, app.clock.now(), batchMax)
  const failures: unknown[] = []
  const ids = expired.map(({ id }) => id)
  const derived = await app.samples.derived.countRows(app.storage.db, ids)
  for (const portion of portionsOf(expired, derived)) {
    if (app.operations.closing) return false
    const [first] = portion
    const gone = portion.map(({ id }) => id)
    await dropSamples(app, first.workspace_id, gone).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
  return expired.length === batchMax
}

type Portion = [ExpiredSample, ...ExpiredSample[]]

/**
 * Samples of one workspace each, together no larger than a portion may be unless it is one sample. `derived`: rows elsewhere that go
 * with each.
 */
export function portionsOf(
  expired: readonly ExpiredSample[],
  derived: ReadonlyMap<string, number>,
): Portion[] {
  const portions: Portion[] = []
  for (const ofWorkspace of Map.groupBy(expired, (sample) => sample.workspace_id).values()) {
    let room = 0
    for (const sample of ofWorkspace) {
      const rows = 1 + sample.signals + (derived.get(sample.id) ?? 0)
      const weight = sample.bytes + rows * rowBytes
      const portion = portions.at(-1)
      if (portion?.[0].workspace_id === sample.workspace_id && weight <= room) portion.push(sample)
      else {
        portions.push([sample])
        room = portionBytesMax
      }
      room -= weight
    }
  }
  return portions
}
