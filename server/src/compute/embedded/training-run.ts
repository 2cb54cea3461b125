// The steps of a training run, from its last checkpoint or from the start, with a check every tenth of the way.
import type { TrainingJob } from '../compute.ts'
import { samplesPerStep } from '../training-settings.ts'
import { adamStep, learningRateAt } from './adam-step.ts'
import { epochBatches, inBatches } from './batches.ts'
import { effect } from '../effects.ts'
import { loadCheckpoint, saveCheckpoint } from './checkpoint.ts'
import type { JobFolder } from './job-folder.ts'
import type { LoraParameters } from './lora-parameters.ts'
import { afterCheck, isCheckStep, shouldStopEarly } from './run-state.ts'
import type { RunState } from './run-state.ts'
import type { TokenRow } from './token-rows.ts'
import type { TrainingEvent } from './training-event.ts'
import type { TrainingSession } from './training-session.ts'
import type { UsableRows } from './usable-rows.ts'

export type TrainContext = {
  folder: JobFolder
  threads: number
  report: (event: TrainingEvent) => void
  signal: AbortSignal
}

export class TrainingRun {
  state: RunState = {
    step: 0,
    tokens: 0,
    checkLossBefore: 0,
    bestStep: 0,
    bestLoss: 0,
    checksWithoutGain: 0,
    trainLoss: 0,
  }
  readonly steps: number
  best: Float32Array[] = []
  readonly #job: TrainingJob
  readonly #context: TrainContext
  readonly #rows: UsableRows
  readonly #parameters: LoraParameters
  readonly #session: TrainingSession

  constructor(
    job: TrainingJob,
    context: TrainContext,
    rows: UsableRows,
    parameters: LoraParameters,
    session: TrainingSession,
  ) {
    this.#job = job
    this.#context = context
    this.#rows = rows
    this.#parameters = parameters
    this.#session = session
    this.steps = job.settings.epochs * Math.ceil(rows.training.length / samplesPerStep)
  }

  readonly #lengthOf = (row: number): number => this.#rows.rows.lengthOf(row)

  #tokensOf(batch: readonly number[]): TokenRow[] {
    return batch.map((row) => this.#rows.rows.at(row))
  }

  async train(): Promise<'done' | 'stopped' | 'not-finite'> {
    const { report, signal } = this.#context
    const perEpoch = this.steps / this.#job.settings.epochs
    report({
      event: 'planned',
      steps: this.steps,
      rows: this.#rows.training.length,
      checked: this.#rows.checking.length,
      leftOut: this.#rows.leftOut,
    })
    if (!(await this.#begin())) return signal.aborted ? 'stopped' : 'not-finite'
    let losses: number[] = []
    let batches: number[][] = []
    let epoch = -1
    while (this.state.step < this.steps && !shouldStopEarly(this.state)) {
      if (signal.aborted) return 'stopped'
      const due = Math.floor(this.state.step / perEpoch)
      if (due !== epoch) {
        epoch = due
        batches = epochBatches(
          this.#rows.training,
          this.#lengthOf,
          samplesPerStep,
          this.#job.seed,
          epoch,
        )
      }
      const loss = await this.#step(batches[this.state.step % perEpoch]!)
      if (!Number.isFinite(loss)) return 'not-finite'
      losses.push(loss)
      if (!isCheckStep(this.state.step, this.steps)) continue
      this.state.trainLoss = losses.reduce((sum, each) => sum + each, 0) / losses.length
      losses = []
      if (!(await this.#check())) return signal.aborted ? 'stopped' : 'not-finite'
    }
    return 'done'
  }

  /** Takes up the last checkpoint, or measures where the untrained model stands. */
  async #begin(): Promise<boolean> {
    const { folder, report } = this.#context
    const saved = await loadCheckpoint(folder.checkpointsPath, this.#parameters.all)
    if (saved) {
      this.state = saved.state
      this.best = saved.best
      report({ event: 'resumed', step: this.state.step, tokens: this.state.tokens })
    } else {
      const checkLoss = await this.#checkLoss()
      if (checkLoss === null) return false
      this.state.checkLossBefore = checkLoss
      report({ event: 'resumed', step: 0, tokens: 0 })
      report({ event: 'check', step: 0, checkLoss })
    }
    report({ event: 'phase', phase: 'training' })
    return true
  }

  async #step(batch: number[]): Promise<number> {
    const { loss, tokens } = await this.#session.lossAndGradients(this.#tokensOf(batch))
    const step = this.state.step + 1
    const rate = learningRateAt(step, this.steps, this.#job.settings.learning_rate)
    const length = adamStep(this.#parameters.all, step, rate)
    this.state.step = step
    this.state.tokens += tokens
    const finite = Number.isFinite(loss) && Number.isFinite(length)
    if (!finite) return NaN
    this.#context.report({
      event: 'step',
      step,
      loss,
      learningRate: rate,
      tokens: this.state.tokens,
    })
    return loss
  }

  async #check(): Promise<boolean> {
    const { folder, report } = this.#context
    const checkLoss = await this.#checkLoss()
    if (checkLoss === null) return false
    this.state = afterCheck(this.state, checkLoss, this.#job.stopsEarly ?? true)
    if (this.state.bestStep === this.state.step) {
      this.best = this.#parameters.all.map(({ data }) => data.slice())
    }
    report({ event: 'check', step: this.state.step, checkLoss })
    await effect('write-checkpoint', () =>
      saveCheckpoint(folder.checkpointsPath, this.#parameters.all, this.best, this.state),
    )
    report({ event: 'phase', phase: 'training' })
    return true
  }

  /** Mean loss over the labels of the rows kept aside; null when stopped or not a number. */
  async #checkLoss(): Promise<number | null> {
    const { report, signal } = this.#context
    report({ event: 'phase', phase: 'checking' })
    let sum = 0
    let count = 0
    for (const batch of inBatches(this.#rows.checking, this.#lengthOf, samplesPerStep)) {
      if (signal.aborted) return null
      const { loss, labels } = await this.#session.loss(this.#tokensOf(batch))
      sum += loss * labels
      count += labels
    }
    return Number.isFinite(sum) ? sum / count : null
  }
}
