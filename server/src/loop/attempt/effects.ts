// The effects of an attempt by their names. A process may be killed before and after each of them, and the next one does it again: each
// is bound to the attempt, so that doing it twice leaves what doing it once does.
import { effectRunner } from '../../lib/crash-point.ts'
import { type EffectName, effectNames } from './effect-names.ts'
import type { Effect } from './effects/effect.ts'
import {
  answer,
  decide,
  endServing,
  makeReady,
  planTest,
  read,
  serveTest,
} from './effects/held-back-test.ts'
import { markAsLearned, takeBack } from './effects/marks.ts'
import { chargeTest, chargeTraining, reserveTest, reserveTraining } from './effects/money.ts'
import {
  forgetTraining,
  keepAdapter,
  keepTrainingCurve,
  removeRows,
  startTraining,
  stopTraining,
} from './effects/training.ts'
import { writeRows } from './effects/write-rows.ts'

export const effects: Record<EffectName, Effect> = {
  'write-rows': writeRows,
  'reserve-training': reserveTraining,
  'start-training': startTraining,
  'keep-adapter': keepAdapter,
  'stop-training': stopTraining,
  'keep-curve': keepTrainingCurve,
  'charge-training': chargeTraining,
  'forget-training': forgetTraining,
  'remove-rows': removeRows,
  'plan-test': planTest,
  'reserve-test': reserveTest,
  'serve-test': serveTest,
  answer,
  read,
  decide,
  'make-ready': makeReady,
  'charge-test': chargeTest,
  'mark-learned': markAsLearned,
  'take-marks-back': takeBack,
  'end-serving': endServing,
}

/** Writing the row down is the last of them. */
export const crashNames = [...effectNames, 'write-attempt'] as const

export const effect = effectRunner(crashNames)
