// A training job as this process knows it: its folder, its progress as the folder has it, because the process of another server may be
// training it, and its own processes, each resumed from the last check if the one before it died.
import { fileURLToPath } from 'node:url'
import type { TrainingEnd, TrainingOutcome, TrainingStatus } from '../compute.ts'
import { effect } from '../effects.ts'
import { endProcess, startProcess } from './child-process.ts'
import type { Started } from './child-process.ts'
import type { EventReader } from './event-file.ts'
import type { JobFolder } from './job-folder.ts'
import { ProgressFold } from './training-event.ts'

const program = fileURLToPath(new URL('./training-process.ts', import.meta.url))
/** A process that dies this often without a step in between will not do better the next time. */
const crashesMax = 3

export type ProcessOptions = { threads: number; niceness: number }

export class RunningJob {
  readonly #folder: JobFolder
  readonly #ended = Promise.withResolvers<void>()
  readonly #events: EventReader
  readonly #fold = new ProgressFold()
  #reading: Promise<void> = Promise.resolve()
  #outcome: TrainingOutcome | null
  #process: Started | null = null
  #stopping = false
  #letGo = false
  #crashes = 0
  #stepAtCrash = -1
  /** Set once someone ends the job, so that it is ended once. */
  #finishing: Promise<void> | null = null

  private constructor(folder: JobFolder, outcome: TrainingOutcome | null) {
    this.#folder = folder
    this.#events = folder.eventReader()
    this.#outcome = outcome
    if (outcome) this.#ended.resolve()
  }

  /** Null where the folder holds no job. */
  static async open(folder: JobFolder): Promise<RunningJob | null> {
    if (!(await folder.isKnown())) return null
    const outcome = await folder.outcome()
    if (outcome) await folder.tidy()
    const job = new RunningJob(folder, outcome)
    await job.refresh()
    return job
  }

  get isOver(): boolean {
    return this.#outcome !== null || this.#stopping
  }

  /** Reads what was written of its progress since. */
  refresh(): Promise<void> {
    const read = async (): Promise<void> => {
      for (const event of await this.#events.next()) this.#fold.add(event)
    }
    return (this.#reading = this.#reading.catch(() => {}).then(read))
  }

  status(): Exclude<TrainingStatus, { state: 'unknown' | 'idle' }> {
    const { progress } = this.#fold
    if (!this.#outcome) return { state: 'running', progress }
    return { state: 'ended', progress, outcome: this.#outcome }
  }

  /** Until the job has ended or was let go. */
  async run(options: ProcessOptions): Promise<void> {
    try {
      while (!this.isOver && !this.#letGo) await this.#runProcess(options)
    } catch (error) {
      // The folder itself failed, so this outcome lives in memory alone: the next start tries again.
      this.#finishing ??= Promise.resolve()
      const { seconds } = this.#fold.progress
      this.#over({ ...crashed(`The job's folder cannot be used: ${String(error)}.`), seconds })
    }
  }

  async stop(): Promise<void> {
    if (this.#outcome) return
    this.#stopping = true
    if (this.#process) await endProcess(this.#process, 'stop')
    else await this.#finish({ state: 'stopped' })
    await this.#ended.promise
  }

  async letGo(): Promise<void> {
    this.#letGo = true
    if (this.#process) await endProcess(this.#process, 'let-go')
  }

  async #runProcess(options: ProcessOptions): Promise<void> {
    const { ended } = await effect('start-process', async () => {
      const words = [this.#folder.path, String(options.threads), String(options.niceness)]
      const started = startProcess(program, words)
      return (this.#process = started)
    })
    const message = await ended
    this.#process = null
    // An outcome that the process wrote stands.
    if (this.#stopping || (await this.#folder.outcome())) await this.#finish({ state: 'stopped' })
    else if (!this.#letGo) await this.#afterCrash(message)
  }

  async #afterCrash(message: string): Promise<void> {
    await this.refresh()
    const { step } = this.#fold.progress
    this.#crashes = step > this.#stepAtCrash ? 1 : this.#crashes + 1
    this.#stepAtCrash = Math.max(step, this.#stepAtCrash)
    if (this.#crashes < crashesMax) return
    const detail = `The training process ended ${crashesMax} times in a row: ${message}.`
    await this.#finish(crashed(detail))
  }

  #finish(end: TrainingEnd): Promise<void> {
    return (this.#finishing ??= this.#settle(end).catch((error: unknown) => {
      // The next stop tries again.
      this.#finishing = null
      throw error
    }))
  }

  async #settle(end: TrainingEnd): Promise<void> {
    const outcome = await this.#folder.end(end)
    await this.#folder.tidy()
    await this.refresh()
    this.#over(outcome)
  }

  #over(outcome: TrainingOutcome): void {
    this.#outcome = outcome
    this.#ended.resolve()
  }
}

function crashed(detail: string): TrainingEnd {
  return { state: 'failed', code: 'TRAINER_CRASHED', message: null, detail, leftOut: [] }
}
