// The order in which rows are trained on. It follows from seed and epoch alone, so a resumed run goes on as it would have.
import type { TrainingRow } from '../compute.ts'
import { seededRandom, shuffled } from './seeded-random.ts'

/** Rows are sorted by length within pools of this many batches: little padding, and still well mixed. */
const batchesPerPool = 16

export function epochBatches(
  rows: readonly TrainingRow[],
  size: number,
  seed: number,
  epoch: number,
): TrainingRow[][] {
  const random = seededRandom(seed, 3, epoch)
  const mixed = shuffled(rows, random)
  const batches: TrainingRow[][] = []
  for (let start = 0; start < mixed.length; start += size * batchesPerPool) {
    const pool = mixed.slice(start, start + size * batchesPerPool)
    batches.push(...inBatches(pool, size))
  }
  return shuffled(batches, random)
}

export function inBatches(rows: readonly TrainingRow[], size: number): TrainingRow[][] {
  const sorted = rows.toSorted((a, b) => a.inputIds.length - b.inputIds.length)
  const batches: TrainingRow[][] = []
  for (let i = 0; i < sorted.length; i += size) batches.push(sorted.slice(i, i + size))
  return batches
}
