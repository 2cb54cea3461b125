// Which of the rows that are not held back the next attempt trains on.
import { seededRandom } from '../../lib/seeded-random.ts'
import { sides } from './hold-back.ts'
import { rowFlags } from './selected-rows.ts'

/** Spec 2: the newest 200,000. */
export const trainingRowsMax = 200_000

export type TrainingChoice = {
  buildsOn: 'live' | 'base'
  liveVersion: number | null
  /** Of all that is trained on. */
  replayPercent: number
  seed: number
}

export type ChosenRows = {
  /** 1 for each row that is trained on. */
  chosen: Uint8Array
  unlearnedRows: number
  replayed: number
}

/** Rows are newest first. What builds on the live version trains on what was not learned, and repeats some of the rest. */
export function chooseTraining(
  rows: { count: number; flags: Uint8Array; sides: Uint8Array },
  { buildsOn, liveVersion, replayPercent, seed }: TrainingChoice,
): ChosenRows {
  const chosen = new Uint8Array(rows.count)
  const onlyUnlearned = buildsOn === 'live' && liveVersion !== null
  const known: number[] = []
  let taken = 0
  let unlearnedRows = 0
  for (let row = 0; row < rows.count; row++) {
    if (rows.sides[row] !== sides.training) continue
    const isUnlearned = (rows.flags[row]! & rowFlags.unlearned) !== 0
    if (onlyUnlearned && !isUnlearned) known.push(row)
    else if (taken < trainingRowsMax) {
      chosen[row] = 1
      taken += 1
      if (isUnlearned) unlearnedRows += 1
    }
  }
  const wanted = Math.round((taken * replayPercent) / (100 - replayPercent))
  const replayed = Math.min(wanted, known.length)
  const random = seededRandom(seed, replayStream)
  for (let drawn = 0; drawn < replayed; drawn++) {
    const at = drawn + Math.floor(random() * (known.length - drawn))
    chosen[known[at]!] = 1
    known[at] = known[drawn]!
  }
  return { chosen, unlearnedRows, replayed }
}

/** Keeps these numbers apart from those that the trainer draws from the same seed. */
const replayStream = 101
