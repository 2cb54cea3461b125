// Trains on this computer: one child process a job, one job at a time, each resumed from its last check if its
// process dies.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Compute, TrainingJob, TrainingOutcome, TrainingStatus } from '../compute.ts'
import { JobFolder } from './job-folder.ts'
import { noProgress, ProgressFold } from './training-event.ts'
import type { TrainingEvent } from './training-event.ts'

const program = fileURLToPath(new URL('./training-process.ts', import.meta.url))
/** A process that has not ended by itself after this long is ended. */
const stopGraceMs = 1000
/** A process that dies this often without a step in between will not do better the next time. */
const crashesMax = 3

type Running = {
  folder: JobFolder
  fold: ProgressFold
  child: ChildProcess | null
  stopping: boolean
  crashes: number
  stepAtCrash: number
  outcome: TrainingOutcome | null
  /** Set once someone ends the job, so that it is ended once. */
  finishing: Promise<void> | null
  ended: Promise<void>
  end: () => void
}

export class EmbeddedCompute implements Compute {
  readonly #threads: number
  readonly #jobs = new Map<string, Running>()
  readonly #starting = new Map<string, Promise<void>>()
  #turn: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: { threads?: number } = {}) {
    this.#threads = options.threads ?? availableParallelism()
  }

  async train(job: TrainingJob): Promise<TrainingStatus> {
    if (!this.#jobs.has(job.id)) {
      const starting = this.#starting.get(job.id) ?? this.#start(job)
      this.#starting.set(job.id, starting)
      await starting.finally(() => this.#starting.delete(job.id))
    }
    return this.status(job.id)
  }

  async status(id: string): Promise<TrainingStatus> {
    const running = this.#jobs.get(id)
    if (!running) return { state: 'unknown' }
    const { outcome, fold } = running
    if (!outcome) return { state: 'running', progress: fold.progress }
    return { state: 'ended', progress: fold.progress, outcome }
  }

  async stop(id: string): Promise<TrainingStatus> {
    const running = this.#jobs.get(id)
    if (running && !running.outcome) {
      running.stopping = true
      const { child } = running
      if (child) await endChild(child)
      else await this.#finish(running, { state: 'stopped' })
      await running.ended
    }
    return this.status(id)
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const { child } of this.#jobs.values()) {
      if (child) await endChild(child, 'SIGKILL')
    }
  }

  async #start(job: TrainingJob): Promise<void> {
    const folder = new JobFolder(job.outputFolder)
    await folder.keepJob(job)
    const fold = await readFold(folder)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const outcome = await folder.outcome()
    const running: Running = {
      folder,
      fold,
      child: null,
      stopping: false,
      crashes: 0,
      stepAtCrash: -1,
      outcome,
      finishing: null,
      ended,
      end,
    }
    this.#jobs.set(job.id, running)
    if (outcome) {
      await folder.tidy()
      return end()
    }
    fold.progress = { ...fold.progress, phase: noProgress.phase }
    this.#turn = this.#turn
      .then(() => this.#run(running))
      .catch((error: unknown) => {
        // The folder itself failed, so this outcome lives in memory alone: the next start tries again.
        const message = `The job's folder cannot be used: ${String(error)}.`
        running.outcome = { state: 'failed', code: 'TRAINER_CRASHED', message, leftOut: [] }
        running.end()
      })
  }

  async #run(running: Running): Promise<void> {
    while (!running.outcome && !running.stopping && !this.#closed) {
      const message = await this.#runChild(running)
      const outcome = await running.folder.outcome()
      if (outcome) await this.#finish(running, outcome)
      else if (running.stopping) await this.#finish(running, { state: 'stopped' })
      else if (!this.#closed) await this.#afterCrash(running, message)
    }
  }

  #runChild(running: Running): Promise<string> {
    const child = fork(program, [running.folder.path, String(this.#threads)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: [],
    })
    running.child = child
    let errors = ''
    child.stderr?.on('data', (text: Buffer) => (errors = (errors + text.toString()).slice(-2000)))
    child.on('message', (event) => running.fold.add(event as TrainingEvent))
    return new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message))
      child.on('close', (code, signal) => {
        running.child = null
        resolve(errors.trim().split('\n').at(-1) || `it ended with ${signal ?? code}`)
      })
    })
  }

  async #afterCrash(running: Running, message: string): Promise<void> {
    const { step } = running.fold.progress
    running.crashes = step > running.stepAtCrash ? 1 : running.crashes + 1
    running.stepAtCrash = step
    if (running.crashes < crashesMax) return
    await this.#finish(running, {
      state: 'failed',
      code: 'TRAINER_CRASHED',
      message: `The training process ended ${crashesMax} times in a row: ${message}.`,
      leftOut: [],
    })
  }

  #finish(running: Running, outcome: TrainingOutcome): Promise<void> {
    return (running.finishing ??= this.#settle(running, outcome))
  }

  async #settle(running: Running, outcome: TrainingOutcome): Promise<void> {
    const ended = await running.folder.end(outcome)
    await running.folder.tidy()
    // The last messages of an ending process may be lost on the way; its file has them all.
    running.fold = await readFold(running.folder)
    running.outcome = ended
    running.end()
  }
}

async function readFold(folder: JobFolder): Promise<ProgressFold> {
  const fold = new ProgressFold()
  for (const event of await folder.events()) fold.add(event)
  return fold
}

/** Asks first; one deep in a long step is then ended from outside, which its folder survives. */
async function endChild(child: ChildProcess, signal?: 'SIGKILL'): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve))
  if (child.exitCode !== null || child.signalCode !== null) return
  if (signal) child.kill(signal)
  else if (child.connected) child.send('stop')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopGraceMs)
  await closed
  clearTimeout(timer)
}
