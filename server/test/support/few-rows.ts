// Training on the first rows alone, so that a test which needs a model that has learned waits seconds.
import { readFile, writeFile } from 'node:fs/promises'
import type { Compute } from '#server/compute/compute.ts'

/** Enough to learn one answer to everything. */
const rows = 96

export function trainOnFewRows(compute: Compute): void {
  const train = compute.train.bind(compute)
  compute.train = async (job) => {
    if ((await compute.status(job.id)).state === 'unknown') {
      const lines = (await readFile(job.rowsFile, 'utf8')).split('\n')
      await writeFile(job.rowsFile, lines.slice(0, rows).join('\n'))
    }
    return train(job)
  }
}
