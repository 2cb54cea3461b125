// What the next step of an attempt depends on, and which steps there are. Facts are asked for where the phase needs them, because an
// attempt that trains is looked at every second. Pure.
import type { TrainingEnd, TrainingStatus } from '../../compute/compute.ts'
import type { Policy } from '../test/verdict/policy.ts'
import type { AttemptRow, AttemptState, Closing, Failing } from './attempt.ts'
import type { EffectName, FailingName } from './effect-names.ts'

type Reservation = 'none' | 'open' | 'ended'

export type Facts = {
  /** Whether the platform has the loop switched on. */
  loopOn: boolean
  training: TrainingStatus
  /** Attempts that train on its machine before it does. */
  ahead: number
  /** Of the funds for the training, and of those for the test. */
  trainingFunds: Reservation
  testFunds: Reservation
  /** Whether the file of its rows is on this computer. */
  rowsThere: boolean
  /** Whether the loss over its steps is in the database. */
  curveKept: boolean
  /** Once its rows are selected: why the money that a test may cost is not enough for one. */
  unaffordable: string | null
  /** Of the deployments that it is tested with. */
  serving: 'none' | 'incomplete' | 'starting' | 'serving'
  /** Since when it is tested on a machine whose time has a price; null on another, and before. */
  pricedSince: Date | null
  /** Whether the workspace runs fewer deployments than it may. */
  belowLimit: boolean
  /** Whether judges can be called on the scoring key of the pipeline. */
  canScore: boolean
  /** Answers and readings that are still to be asked for. */
  unanswered: boolean
  unread: boolean
  /** By which policy a new model is better. */
  promotion: Policy
}

export type FactName = Exclude<keyof Facts, 'loopOn'>

/** Those that the next step may depend on. `training` is known before the others, where it is among them. */
export function factsNeeded(
  { state, train_rows }: Pick<AttemptRow, 'state' | 'train_rows'>,
  { loopOn, hasTrained }: { loopOn: boolean; hasTrained: boolean },
): FactName[] {
  if (state.closing) {
    return ['training', 'curveKept', 'trainingFunds', 'testFunds', 'rowsThere', 'serving']
  }
  switch (state.phase) {
    case 'preparing': {
      const needed: FactName[] = loopOn ? [] : ['training']
      return train_rows === null || state.funds ? needed : [...needed, 'unaffordable']
    }
    case 'waiting_for_gpu':
      return ['training', 'rowsThere', 'ahead']
    case 'training':
      if (hasTrained) return ['training', 'curveKept', 'trainingFunds']
      return state.failing ? ['training', 'rowsThere', 'ahead'] : ['training', 'rowsThere']
    case 'waiting_for_storage':
      return state.during === 'preparing' ? [] : ['canScore', 'pricedSince']
    case 'starting_machine':
      return ['training', 'rowsThere', 'canScore', 'pricedSince', 'serving', 'belowLimit']
    case 'waiting_for_room':
      return ['canScore', 'belowLimit']
    case 'answering':
      return ['canScore', 'pricedSince', 'unanswered']
    case 'scoring':
      return ['canScore', 'pricedSince', 'unread']
    case 'deciding':
      return ['promotion']
    case 'waiting_for_funds':
    case 'promoting':
    case 'ended':
      return []
  }
}

/** Facts of which the others must not be asked for: a step that depended on one would be a wrong one. */
export function onlyGathered(found: Partial<Facts>): Facts {
  return new Proxy(found, {
    get(facts, name) {
      if (!(name in facts)) throw new Error(`the fact ${String(name)} was not gathered`)
      return facts[name as keyof Facts]
    },
  }) as Facts
}

type FailedTraining = Extract<TrainingEnd, { state: 'failed' }>

export type Step =
  | { do: EffectName }
  | { move: AttemptState; why: string; changes?: Pick<AttemptRow, 'train_rows'> }
  /**
   * How it ends is decided; what it leaves behind is tidied first. `gaveUp`: that could not be tidied. `failed`: its training, of which
   * operators are told more than members.
   */
  | { close: Closing; gaveUp?: FailingName; failed?: FailedTraining }
  /** No other attempt begins on its machine while its training is tried again. */
  | { hold: Failing }
  /** All is tidied, or what is left cannot be. */
  | { end: Closing; gaveUp?: FailingName }
  /** `here`: in the process that works on it, unless that dies. */
  | { wait: Date; why: string; here?: true }
