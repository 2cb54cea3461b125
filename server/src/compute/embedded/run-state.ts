// Where a training run stands, and what a check does to it.

export type RunState = {
  step: number
  tokens: number
  seconds: number
  evalLossBefore: number
  bestStep: number
  bestLoss: number
  checksWithoutGain: number
  /** Mean training loss since the last check. */
  trainLoss: number
}

const fields: readonly (keyof RunState)[] = [
  'step',
  'tokens',
  'seconds',
  'evalLossBefore',
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

export function isCheckStep(step: number, totalSteps: number): boolean {
  return step === totalSteps || step % Math.max(1, Math.round(totalSteps / checksPerRun)) === 0
}

/** Three checks without improvement: more steps would only learn the rows by heart. */
export function shouldStopEarly(state: RunState): boolean {
  return state.checksWithoutGain >= checksWithoutGainMax
}

export function afterCheck(state: RunState, evalLoss: number): RunState {
  if (state.bestStep === 0 || evalLoss < state.bestLoss) {
    return { ...state, bestStep: state.step, bestLoss: evalLoss, checksWithoutGain: 0 }
  }
  return { ...state, checksWithoutGain: state.checksWithoutGain + 1 }
}
