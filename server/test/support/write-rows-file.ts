// Rows for a training job that a test or a benchmark makes itself.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TrainingRow } from '#server/compute/compute.ts'

export async function writeRowsFile(path: string, rows: TrainingRow[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
