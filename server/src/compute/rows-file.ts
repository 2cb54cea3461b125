// Writes the rows of a training job, one JSON line each. The file is either whole or not there.
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeFolder } from '../lib/make-folder.ts'
import { syncFolder } from '../lib/write-aside.ts'
import type { TrainingRow } from './compute.ts'

export async function writeRowsFile(
  path: string,
  rows: Iterable<TrainingRow> | AsyncIterable<TrainingRow>,
): Promise<void> {
  const aside = `${path}.writing`
  await makeFolder(dirname(path))
  try {
    await pipeline(Readable.from(linesOf(rows)), createWriteStream(aside, { flush: true }))
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function* linesOf(
  rows: Iterable<TrainingRow> | AsyncIterable<TrainingRow>,
): AsyncGenerator<string> {
  for await (const { inputIds, labels } of rows) yield JSON.stringify({ inputIds, labels }) + '\n'
}
