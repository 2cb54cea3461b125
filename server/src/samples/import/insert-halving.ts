// Stores rows of which the database may refuse one: it is looked for by halves, so that it keeps no other row out.
import type { Storage } from '../../storage/open-storage.ts'
import { isRefusedValue } from '../../storage/refused-value.ts'
import { StorageContended } from '../../storage/storage-unavailable.ts'
import type { NewSample } from '../sample/sample.ts'
import { insertSamples } from '../sample/sample-store.ts'

export type Insertion = {
  /** Ids of those that were not there yet and are now. */
  stored: Set<string>
  /** Ids of those that the database takes in no way, each tried alone. */
  refused: Set<string>
  /** Ids of those of which nothing is known, and why. */
  lost: Set<string>
  failure: unknown
}

/** Where two write the same rows in another order, one of them is sent back by the database and has its turn later. */
const triesMax = 3

export async function insertHalving(
  storage: Pick<Storage, 'pool'>,
  samples: readonly NewSample[],
): Promise<Insertion> {
  const result: Insertion = {
    stored: new Set(),
    refused: new Set(),
    lost: new Set(),
    failure: undefined,
  }
  await insertInto(result, storage, samples)
  return result
}

async function insertInto(
  result: Insertion,
  storage: Pick<Storage, 'pool'>,
  samples: readonly NewSample[],
): Promise<void> {
  if (samples.length === 0) return
  if (result.lost.size > 0) return lose(result, samples)
  try {
    for (const id of await trying(() => insertSamples(storage, samples))) result.stored.add(id)
  } catch (error) {
    const [first] = samples
    if (!isRefusedValue(error)) {
      // Whatever else is wrong is wrong with the database, and smaller pieces would only ask it more often.
      lose(result, samples)
      result.failure = error
    } else if (samples.length === 1 && first) {
      result.refused.add(first.id)
    } else {
      const half = Math.ceil(samples.length / 2)
      await insertInto(result, storage, samples.slice(0, half))
      await insertInto(result, storage, samples.slice(half))
    }
  }
}

function lose(result: Insertion, samples: readonly NewSample[]): void {
  for (const { id } of samples) result.lost.add(id)
}

/** A statement that gave way to another has done nothing yet. */
export async function trying<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof StorageContended) || tries === triesMax) throw error
    }
  }
}
