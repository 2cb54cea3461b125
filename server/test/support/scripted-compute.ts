// Compute that trains nothing: a test says when a training begins, and how it ends.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  Compute,
  TrainingEnd,
  TrainingJob,
  TrainingProgress,
  TrainingStatus,
} from '#server/compute/compute.ts'

/** Of the bundled model: it changes its answers. */
export const miniAdapter = fileURLToPath(
  new URL('../fixtures/engine/mini-adapter', import.meta.url),
)

const waiting: TrainingProgress = {
  phase: 'waiting',
  step: 0,
  steps: 0,
  loss: null,
  checkLoss: null,
  learningRate: 0,
  tokens: 0,
  seconds: 0,
  secondsLeft: null,
  curve: [{ step: 1, loss: 2, check_loss: null }],
}

export class ScriptedCompute implements Compute {
  readonly jobs = new Map<string, Exclude<TrainingStatus, { state: 'unknown' }>>()
  readonly taken: TrainingJob[] = []
  /** How each ends as soon as it has begun; null to leave it waiting. */
  end: TrainingEnd | null
  seconds = 12.3

  constructor(end: TrainingEnd | null) {
    this.end = end
  }

  async train(job: TrainingJob): Promise<TrainingStatus> {
    const known = this.jobs.get(job.id)
    if (!known || known.state === 'idle') {
      this.taken.push(job)
      this.jobs.set(job.id, { state: 'running', progress: known?.progress ?? waiting })
    }
    return this.status(job.id)
  }

  async status(id: string): Promise<TrainingStatus> {
    const known = this.jobs.get(id)
    if (known?.state === 'running' && this.end) this.#over(id, this.end)
    return this.jobs.get(id) ?? { state: 'unknown' }
  }

  async stop(id: string): Promise<TrainingStatus> {
    if (this.jobs.get(id)?.state === 'running') this.#over(id, { state: 'stopped' })
    return this.status(id)
  }

  /** As after a restart: it had trained for so long, and nothing works on it. */
  leave(id: string, seconds: number): void {
    this.jobs.set(id, { state: 'idle', progress: { ...waiting, seconds } })
  }

  async forget(id: string): Promise<void> {
    this.jobs.delete(id)
  }

  async merge(): Promise<never> {
    throw new Error('nothing is merged here')
  }

  async removeLeft(): Promise<void> {}

  async secondsPerToken(): Promise<number> {
    return 0.0001
  }

  async close(): Promise<void> {}

  #over(id: string, end: TrainingEnd): void {
    const outcome = { ...end, seconds: this.seconds }
    this.jobs.set(id, { state: 'ended', progress: { ...waiting, phase: 'training' }, outcome })
  }
}

export async function trained(folder: string): Promise<TrainingEnd> {
  const adapterPath = join(folder, 'adapter')
  await cp(miniAdapter, adapterPath, { recursive: true })
  const metrics = {
    rowsTrained: 1,
    rowsChecked: 1,
    stepsRun: 1,
    stoppedEarly: false,
    trainLoss: 1,
    checkLossBefore: 2,
    checkLoss: 1,
    tokens: 1,
    adapterNorm: 1,
  }
  return { state: 'succeeded', adapterPath, bestStep: 1, metrics, leftOut: [] }
}
