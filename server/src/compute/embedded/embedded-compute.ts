// Trains and merges on this computer, in child processes: one training at a time, in order of arrival, and beside it one merge.
import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BaseModel, Compute, MergeOutcome, TrainingJob, TrainingStatus } from '../compute.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import { effect } from '../effects.ts'
import { endProcess, startProcess } from './child-process.ts'
import type { Started } from './child-process.ts'
import { isRemoving, JobFolder } from './job-folder.ts'
import type { Merging } from './merge-process.ts'
import { RunningJob } from './running-job.ts'
import type { ProcessOptions } from './running-job.ts'
import { TrainingPace } from './training-pace.ts'

/**
 * On two cores, calls beside a training then take less than twice their usual time. A training that computes beside other programs
 * still gets a tenth of what one of them gets.
 */
const trainingNiceness = 10

const mergePrefix = 'merge-'
/** Another process may be merging; no merge takes so long. */
const mergeMs = 24 * 3_600_000

const mergeProgram = fileURLToPath(new URL('./merge-process.ts', import.meta.url))

export type EmbeddedComputeOptions = {
  /** Each job has the folder `<root>/<id>`; it is made when it is first needed. */
  root: string
  /** Where the model store lies that merged models are kept in. */
  storeRoot: string
  threads?: number
  /** How far training and merging step back behind calls that are being answered. */
  niceness?: number
}

export class EmbeddedCompute implements Compute {
  readonly #root: string
  readonly #storeRoot: string
  readonly #work: ProcessOptions
  /** Those that this process was told to train, and those known to have ended. */
  readonly #jobs = new Map<string, RunningJob>()
  readonly #opening = new Map<string, Promise<RunningJob | null>>()
  /** The first one runs; the others wait. */
  readonly #queue: RunningJob[] = []
  readonly #pace = new TrainingPace()
  #running: Promise<void> = Promise.resolve()
  #merging: Started | null = null
  #merges: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(options: EmbeddedComputeOptions) {
    this.#root = options.root
    this.#storeRoot = options.storeRoot
    const { threads = availableParallelism(), niceness = trainingNiceness } = options
    this.#work = { threads, niceness }
  }

  async train(job: TrainingJob): Promise<TrainingStatus> {
    if (!this.#jobs.has(job.id)) await this.#folder(job.id).keepJob(job)
    const found = await this.#find(job.id)
    if (!found) throw new Error(`The folder of the job '${job.id}' is gone.`)
    // Another call may have taken it up meanwhile.
    const taken = this.#jobs.get(job.id) ?? found
    this.#jobs.set(job.id, taken)
    this.#enqueue(taken)
    const status = await this.#statusOf(taken)
    // The rows were written once more for a job that needs them no longer.
    if (status.state === 'ended') await rm(job.rowsFile, { force: true })
    return status
  }

  async status(id: string): Promise<TrainingStatus> {
    const job = await this.#find(id)
    if (!job) return { state: 'unknown' }
    return this.#statusOf(job)
  }

  async stop(id: string): Promise<TrainingStatus> {
    const job = await this.#find(id)
    if (!job) return { state: 'unknown' }
    await job.stop()
    // The first one leaves the queue by itself.
    const at = this.#queue.indexOf(job)
    if (at > 0) this.#queue.splice(at, 1)
    return this.#statusOf(job)
  }

  async forget(id: string): Promise<void> {
    const job = await this.#find(id)
    if (job?.status().state === 'running')
      throw new Error(`The job '${id}' has not ended; stop it first.`)
    await this.#folder(id).remove()
    this.#jobs.delete(id)
  }

  merge(base: BaseModel, adapters: readonly string[]): Promise<MergeOutcome> {
    const merge = this.#merges.then(() => effect('merge', () => this.#merge(base, adapters)))
    this.#merges = merge.catch(() => {})
    return merge
  }

  async removeLeft(): Promise<void> {
    for (const name of await readdir(this.#root).catch(() => [])) {
      const path = join(this.#root, name)
      const isLeft = name.startsWith(mergePrefix) ? await isOld(path) : isRemoving(name)
      if (isLeft) await rm(path, { recursive: true, force: true })
    }
  }

  secondsPerToken(modelFolder: string, tokensPerRow: number): Promise<number> {
    return this.#pace.secondsPerToken(modelFolder, tokensPerRow)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#pace.close()
    await Promise.all([...this.#jobs.values()].map((job) => job.letGo()))
    if (this.#merging) await endProcess(this.#merging, 'let-go')
    await Promise.all([this.#running, this.#merges])
  }

  #folder(id: string): JobFolder {
    return JobFolder.of(this.#root, id)
  }

  async #statusOf(job: RunningJob): Promise<TrainingStatus> {
    if (!job.isOver) await job.refresh()
    const status = job.status()
    const isIdle = status.state === 'running' && !this.#queue.includes(job)
    return isIdle ? { state: 'idle', progress: status.progress } : status
  }

  /** In memory, or as its folder has it at the moment, because another process may be training it. */
  async #find(id: string): Promise<RunningJob | null> {
    const known = this.#jobs.get(id)
    if (known) return known
    const opening = this.#opening.get(id) ?? RunningJob.open(this.#folder(id))
    this.#opening.set(id, opening)
    const job = await opening.finally(() => this.#opening.delete(id))
    if (job?.isOver && !this.#jobs.has(id)) this.#jobs.set(id, job)
    return job
  }

  #enqueue(job: RunningJob): void {
    if (job.isOver || this.#closed || this.#queue.includes(job)) return
    if (this.#queue.push(job) === 1) this.#running = this.#runQueue()
  }

  async #runQueue(): Promise<void> {
    for (let job = this.#queue[0]; job && !this.#closed; job = this.#queue[0]) {
      await job.run(this.#work)
      this.#queue.shift()
    }
  }

  async #merge(base: BaseModel, adapters: readonly string[]): Promise<MergeOutcome> {
    if (this.#closed) return crashed('Hone stops')
    const key = createHash('sha256').update(JSON.stringify([base.revision, adapters]))
    // Named after what goes in, so that the next try replaces what a killed one left.
    await makeFolder(this.#root, 0o700)
    const folder = join(this.#root, `${mergePrefix}${key.digest('hex').slice(0, 32)}`)
    const merging: Merging = { base, adapters, folder, storeRoot: this.#storeRoot, ...this.#work }
    const started = startProcess(mergeProgram, [JSON.stringify(merging)])
    let outcome: MergeOutcome | null = null
    started.child.on('message', (message) => (outcome = message as MergeOutcome))
    this.#merging = started
    const message = await started.ended
    this.#merging = null
    return outcome ?? crashed(message)
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found !== null && Date.now() - found.mtimeMs > mergeMs
}

function crashed(message: string): MergeOutcome {
  return { state: 'failed', code: 'MERGE_CRASHED', detail: `The merge was cut short: ${message}.` }
}
