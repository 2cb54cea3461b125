// Reads the rows of a job: which can be trained on, which are kept aside for checks, and why the others are left out.
import { open } from 'node:fs/promises'
import { isObject } from '../../lib/json-object.ts'
import type { LlamaConfig } from '../../engine/embedded/llama/read-model-folder.ts'
import type { LeftOut, TrainingRow } from '../compute.ts'
import { seededRandom, shuffled } from '../../lib/seeded-random.ts'
import { labelCount, TokenRows } from './token-rows.ts'

export type UsableRows = {
  rows: TokenRows
  /** Indexes of rows. */
  training: number[]
  checking: number[]
  leftOut: LeftOut[]
}

const checkShare = 0.05
/** Fewer rows than this are all needed for training; checks then look at the training rows themselves. */
const rowsToSpareFrom = 20
const checkedTrainingRowsMax = 64

/** One line at a time, so that the file is never in memory. */
export async function readUsableRows(
  path: string,
  config: LlamaConfig,
  seed: number,
): Promise<UsableRows> {
  const counts: Record<LeftOut['reason'], number> = {
    'too-long': 0,
    'nothing-to-learn': 0,
    malformed: 0,
  }
  const rows = new TokenRows()
  const file = await open(path)
  for await (const line of file.readLines()) {
    if (line === '') continue
    const row = rowOf(line)
    const fault = row === null ? 'malformed' : rowFault(row, config)
    if (fault) counts[fault]++
    else rows.add(row!)
  }
  const leftOut = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason: reason as LeftOut['reason'], count }))
  return { rows, ...divided(rows.count, seed), leftOut }
}

function divided(count: number, seed: number): { training: number[]; checking: number[] } {
  const mixed = shuffled([...Array(count).keys()], seededRandom(seed, 2))
  if (count < rowsToSpareFrom) {
    return { training: mixed, checking: mixed.slice(0, checkedTrainingRowsMax) }
  }
  const kept = Math.max(1, Math.round(count * checkShare))
  return { training: mixed.slice(kept), checking: mixed.slice(0, kept) }
}

function rowOf(line: string): TrainingRow | null {
  try {
    const row: unknown = JSON.parse(line)
    if (!isObject(row) || !Array.isArray(row.inputIds) || !Array.isArray(row.labels)) return null
    return row as TrainingRow
  } catch {
    return null
  }
}

function rowFault(row: TrainingRow, config: LlamaConfig): LeftOut['reason'] | null {
  const { inputIds, labels } = row
  const isId = (id: number) => Number.isInteger(id) && id >= 0 && id < config.vocabSize
  if (inputIds.length !== labels.length || !inputIds.every(isId)) return 'malformed'
  if (!labels.every((label) => label === -100 || isId(label))) return 'malformed'
  if (inputIds.length > config.contextWindow) return 'too-long'
  return labelCount(row) === 0 ? 'nothing-to-learn' : null
}
