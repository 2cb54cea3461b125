// Where a training run stands, and what a check does to it.

export type RunState = {
  step: number
  tokens: number
  checkLossBefore: number
  /** Of the parameters to keep. */
  bestStep: number
  bestLoss: number
  checksWithoutGain: number
  /** Mean training loss since the last check. */
  trainLoss: number
}

const fields: readonly (keyof RunState)[] = [
  'step',
  'tokens',
  'checkLossBefore',
  'bestStep',
  'bestLoss',
  'checksWithoutGain',
  'trainLoss',
]

export function isRunState(value: Partial<Record<keyof RunState, unknown>>): value is RunState {
  return fields.every((name) => typeof value[name] === 'number')
}

const checksPerRun = 10
const checksWithoutGainMax = 3
/** Less than both is what chance gives where nothing is left to learn. */
const gainMin = 0.001
const gainOfBestMin = 0.01

export function isCheckStep(step: number, totalSteps: number): boolean {
  return step === totalSteps || step % Math.max(1, Math.round(totalSteps / checksPerRun)) === 0
}

/** Three checks without improvement: more steps would only learn the rows by heart. */
export function shouldStopEarly(state: RunState): boolean {
  return state.checksWithoutGain >= checksWithoutGainMax
}

/** A run that never stops early keeps its last parameters, however their check went. */
export function afterCheck(state: RunState, checkLoss: number, stopsEarly: boolean): RunState {
  if (!stopsEarly || state.bestStep === 0 || isGain(state.bestLoss - checkLoss, state.bestLoss)) {
    return { ...state, bestStep: state.step, bestLoss: checkLoss, checksWithoutGain: 0 }
  }
  return { ...state, checksWithoutGain: state.checksWithoutGain + 1 }
}

function isGain(gain: number, best: number): boolean {
  return gain > 0 && (gain >= gainMin || gain >= gainOfBestMin * best)
}
