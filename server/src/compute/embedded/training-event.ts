// What a training run says of itself, line by line, and how the lines add up to its progress.
import type { CurvePoint, LeftOut, TrainingPhase, TrainingProgress } from '../compute.ts'

export type TrainingEvent =
  | { event: 'phase'; phase: TrainingPhase }
  | { event: 'planned'; totalSteps: number; rows: number; checked: number; leftOut: LeftOut[] }
  /** The run goes on after this step; what was said of later ones no longer holds. */
  | { event: 'resumed'; step: number; tokens: number }
  | { event: 'step'; step: number; loss: number; learningRate: number; tokens: number }
  | { event: 'check'; step: number; evalLoss: number }

const curvePointsMax = 200

export const noProgress: TrainingProgress = {
  phase: 'waiting',
  step: 0,
  totalSteps: 0,
  loss: null,
  evalLoss: null,
  learningRate: 0,
  tokens: 0,
  curve: [],
}

/** Adds events to a progress. Holds the mean of the losses since the last point of the curve. */
export class ProgressFold {
  progress: TrainingProgress = noProgress
  #sum = 0
  #count = 0

  add(event: TrainingEvent): void {
    const { progress } = this
    switch (event.event) {
      case 'phase':
        this.progress = { ...progress, phase: event.phase }
        return
      case 'planned':
        this.progress = { ...progress, totalSteps: event.totalSteps }
        return
      case 'resumed':
        this.#sum = this.#count = 0
        this.progress = {
          ...progress,
          step: event.step,
          tokens: event.tokens,
          curve: progress.curve.filter((point) => point.step <= event.step),
        }
        return
      case 'step': {
        const { step, loss, learningRate, tokens } = event
        this.#sum += loss
        this.#count++
        const stride = Math.ceil(progress.totalSteps / curvePointsMax)
        let curve = progress.curve
        if (step % stride === 0) {
          curve = withPoint(curve, step, { loss: this.#sum / this.#count })
          this.#sum = this.#count = 0
        }
        this.progress = { ...progress, step, loss, learningRate, tokens, curve }
        return
      }
      case 'check':
        this.progress = {
          ...progress,
          evalLoss: event.evalLoss,
          curve: withPoint(progress.curve, event.step, { evalLoss: event.evalLoss }),
        }
    }
  }
}

function withPoint(
  curve: readonly CurvePoint[],
  step: number,
  part: { loss: number } | { evalLoss: number },
): CurvePoint[] {
  const last = curve.at(-1)
  if (last?.step === step) return [...curve.slice(0, -1), { ...last, ...part }]
  return [...curve, { step, loss: null, evalLoss: null, ...part }]
}
