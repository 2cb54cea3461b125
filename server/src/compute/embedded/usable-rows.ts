// Which rows can be trained on, which are kept aside for checks, and why the others are left out.
import type { LlamaConfig } from '../../engine/embedded/llama/read-model-folder.ts'
import type { LeftOut, TrainingRow } from '../compute.ts'
import { seededRandom, shuffled } from './seeded-random.ts'
import { labelCount } from './training-session.ts'

export type UsableRows = { training: TrainingRow[]; checking: TrainingRow[]; leftOut: LeftOut[] }

const checkShare = 0.05
/** Fewer rows than this are all needed for training; checks then look at the training rows themselves. */
const rowsToSpareFrom = 20
const checkedTrainingRowsMax = 64

export function usableRows(
  rows: readonly TrainingRow[],
  config: LlamaConfig,
  seed: number,
): UsableRows {
  const counts: Record<LeftOut['reason'], number> = {
    'too-long': 0,
    'nothing-to-learn': 0,
    malformed: 0,
  }
  const usable: TrainingRow[] = []
  for (const row of rows) {
    const fault = rowFault(row, config)
    if (fault) counts[fault]++
    else usable.push(row)
  }
  const leftOut = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ reason: reason as LeftOut['reason'], count }))
  const mixed = shuffled(usable, seededRandom(seed, 2))
  if (usable.length < rowsToSpareFrom) {
    return { training: mixed, checking: mixed.slice(0, checkedTrainingRowsMax), leftOut }
  }
  const kept = Math.max(1, Math.round(usable.length * checkShare))
  return { training: mixed.slice(kept), checking: mixed.slice(0, kept), leftOut }
}

function rowFault(row: TrainingRow, config: LlamaConfig): LeftOut['reason'] | null {
  const { inputIds, labels } = row
  const isId = (id: number) => Number.isInteger(id) && id >= 0 && id < config.vocabSize
  if (inputIds.length !== labels.length || !inputIds.every(isId)) return 'malformed'
  if (!labels.every((label) => label === -100 || isId(label))) return 'malformed'
  if (inputIds.length > config.contextWindow) return 'too-long'
  return labelCount(row) === 0 ? 'nothing-to-learn' : null
}
