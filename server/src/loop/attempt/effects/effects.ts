// What an attempt changes, one file each. A process may be killed before and after each of them, and the next one does it again: each
// is bound to the attempt, so that doing it twice leaves what doing it once does.
import type { Transaction } from 'kysely'
import type { App } from '../../../app.ts'
import { effectRunner } from '../../../lib/crash-point.ts'
import type { Database } from '../../../storage/schema.ts'
import type { AttemptRow } from '../attempt.ts'
import type { Changes } from '../attempt-store.ts'
import type { EffectName } from '../next-step.ts'
import { answer } from './answer.ts'
import { chargeTest } from './charge-test.ts'
import { decide } from './decide.ts'
import { endServing } from './end-serving.ts'
import { makeReady } from './make-ready.ts'
import { planTest } from './plan-test.ts'
import { read } from './read.ts'
import { reserveTest } from './reserve-test.ts'
import { serveTest } from './serve-test.ts'
import { chargeTraining } from './charge-training.ts'
import { forgetTraining } from './forget-training.ts'
import { keepAdapter } from './keep-adapter.ts'
import { keepTrainingCurve } from './keep-curve.ts'
import { removeRows } from './remove-rows.ts'
import { reserveTraining } from './reserve-training.ts'
import { startTraining } from './start-training.ts'
import { stopTraining } from './stop-training.ts'
import { writeRows } from './write-rows.ts'

/** What the row says of it, and what is written in the same transaction. */
export type Done = {
  changes?: Changes
  together?: (tx: Transaction<Database>) => Promise<void>
}

/** `signal` is aborted when Hone stops. */
export type Effect = (app: App, attempt: AttemptRow, signal: AbortSignal) => Promise<Done | void>

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
  'end-serving': endServing,
}

/** Writing the row down is the last of them. */
export const attemptEffects = [
  'write-rows',
  'reserve-training',
  'start-training',
  'keep-adapter',
  'stop-training',
  'keep-curve',
  'charge-training',
  'forget-training',
  'remove-rows',
  'plan-test',
  'reserve-test',
  'serve-test',
  'answer',
  'read',
  'decide',
  'make-ready',
  'charge-test',
  'end-serving',
  'write-attempt',
] as const satisfies (EffectName | 'write-attempt')[]

export const effect = effectRunner(attemptEffects)
