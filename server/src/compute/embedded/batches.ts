// The order in which rows are trained on. It follows from seed and epoch alone, so a resumed run goes on as it would have.
import { seededRandom, shuffled } from '../../lib/seeded-random.ts'

/** Rows are sorted by length within pools of this many batches: little padding, and still well mixed. */
const batchesPerPool = 16

export function epochBatches<Row>(
  rows: readonly Row[],
  lengthOf: (row: Row) => number,
  size: number,
  seed: number,
  epoch: number,
): Row[][] {
  const random = seededRandom(seed, 3, epoch)
  const mixed = shuffled(rows, random)
  const batches: Row[][] = []
  for (let start = 0; start < mixed.length; start += size * batchesPerPool) {
    const pool = mixed.slice(start, start + size * batchesPerPool)
    batches.push(...inBatches(pool, lengthOf, size))
  }
  return shuffled(batches, random)
}

export function inBatches<Row>(
  rows: readonly Row[],
  lengthOf: (row: Row) => number,
  size: number,
): Row[][] {
  const sorted = rows.toSorted((a, b) => lengthOf(a) - lengthOf(b))
  const batches: Row[][] = []
  for (let i = 0; i < sorted.length; i += size) batches.push(sorted.slice(i, i + size))
  return batches
}
