// What a training run says of itself, line by line, and how the lines add up to its progress.
import type { CurvePoint, LeftOut, TrainingPhase, TrainingProgress } from '../compute.ts'

export type TrainingEvent =
  /** The process is at work, and has nothing else to say. */
  | { event: 'alive' }
  | { event: 'phase'; phase: TrainingPhase }
  | { event: 'planned'; steps: number; rows: number; checked: number; leftOut: LeftOut[] }
  /** The run goes on after this step; what was said of later ones no longer holds. */
  | { event: 'resumed'; step: number; tokens: number }
  | { event: 'step'; step: number; loss: number; learningRate: number; tokens: number }
  | { event: 'check'; step: number; checkLoss: number }

/**
 * With the seconds that the job has used so far, those of its earlier processes included. They decrease where a process goes on from a
 * checkpoint, by what was done after that.
 */
export type TimedEvent = TrainingEvent & { seconds: number }

const curvePointsMax = 200
/** Checks come about ten times in a run, so that this many steps tell how fast it is with them. */
const paceSteps = 100

export const noProgress: TrainingProgress = {
  phase: 'waiting',
  step: 0,
  steps: 0,
  loss: null,
  checkLoss: null,
  learningRate: 0,
  tokens: 0,
  seconds: 0,
  secondsLeft: null,
  curve: [],
}

/** Adds events to a progress. Holds the mean of the losses since the last point of the curve, and when recent steps ended. */
export class ProgressFold {
  progress: TrainingProgress = noProgress
  #sum = 0
  #count = 0
  #stepEnds: number[] = []

  add(event: TimedEvent): void {
    const before = event.event === 'resumed' ? 0 : this.progress.seconds
    this.progress = { ...this.#folded(event), seconds: Math.max(before, event.seconds) }
  }

  #folded(event: TimedEvent): TrainingProgress {
    const { progress } = this
    switch (event.event) {
      case 'alive':
        return progress
      case 'phase':
        return { ...progress, phase: event.phase }
      case 'planned':
        return { ...progress, steps: event.steps }
      case 'resumed':
        this.#sum = this.#count = 0
        this.#stepEnds = []
        return {
          ...progress,
          step: event.step,
          tokens: event.tokens,
          secondsLeft: null,
          curve: progress.curve.filter((point) => point.step <= event.step),
        }
      case 'step':
        return this.#afterStep(event)
      case 'check':
        return this.#afterCheck(event)
    }
  }

  /** A point of the curve has the mean loss since the one before it, so the check before the first step is none. */
  #afterCheck({ step, checkLoss }: Extract<TimedEvent, { event: 'check' }>): TrainingProgress {
    const { progress } = this
    if (step === 0) return { ...progress, checkLoss }
    const mean = this.#count > 0 ? { loss: this.#sum / this.#count } : {}
    this.#sum = this.#count = 0
    const curve = withPoint(progress.curve, step, { ...mean, check_loss: checkLoss })
    return { ...progress, checkLoss, curve }
  }

  #afterStep(event: Extract<TimedEvent, { event: 'step' }>): TrainingProgress {
    const { progress } = this
    const { step, loss, learningRate, tokens, seconds } = event
    this.#sum += loss
    this.#count++
    this.#stepEnds.push(seconds)
    if (this.#stepEnds.length > paceSteps + 1) this.#stepEnds.shift()
    const stride = Math.max(1, Math.ceil(progress.steps / curvePointsMax))
    let curve = progress.curve
    if (step % stride === 0) {
      curve = withPoint(curve, step, { loss: this.#sum / this.#count })
      this.#sum = this.#count = 0
    }
    const secondsLeft = secondsFor(progress.steps - step, this.#stepEnds)
    return { ...progress, step, loss, learningRate, tokens, curve, secondsLeft }
  }
}

/** What so many steps take at the pace of those that ended at these times; null for fewer than two. */
function secondsFor(steps: number, ends: readonly number[]): number | null {
  if (ends.length < 2) return null
  return (Math.max(0, steps) * (ends.at(-1)! - ends[0]!)) / (ends.length - 1)
}

function withPoint(
  curve: readonly CurvePoint[],
  step: number,
  part: Partial<CurvePoint>,
): CurvePoint[] {
  const last = curve.at(-1)
  if (last?.step === step) return [...curve.slice(0, -1), { ...last, ...part }]
  return [...curve, { step, loss: null, check_loss: null, ...part }]
}
