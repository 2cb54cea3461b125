// The files of one training job. `result.json` is the truth of how it ended; while it is absent, the job goes on.
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { removeLeftAside, writeFileAside } from '../../lib/write-aside.ts'
import { lockFile } from '../../lib/file-lock.ts'
import type { TrainingJob, TrainingOutcome } from '../compute.ts'
import type { TrainingEvent } from './training-event.ts'

const lockPauseMs = 50

export class JobFolder {
  readonly path: string
  readonly checkpointsPath: string
  readonly adapterPath: string

  constructor(path: string) {
    this.path = path
    this.checkpointsPath = join(path, 'checkpoints')
    this.adapterPath = join(path, 'adapter')
  }

  /** Keeps the job as it was first given; a later call with the same id finds it. */
  async keepJob(job: TrainingJob): Promise<void> {
    const known = await this.#read('job.json')
    if (known === null) {
      await mkdir(this.path, { recursive: true })
      await writeFileAside(join(this.path, 'job.json'), JSON.stringify(job))
      return
    }
    const { id } = JSON.parse(known) as TrainingJob
    if (id !== job.id) throw new Error(`${this.path}: the folder belongs to the job '${id}'.`)
  }

  async job(): Promise<TrainingJob> {
    return JSON.parse((await this.#read('job.json')) ?? 'null') as TrainingJob
  }

  async outcome(): Promise<TrainingOutcome | null> {
    const text = await this.#read('result.json')
    return text === null ? null : (JSON.parse(text) as TrainingOutcome)
  }

  /** The last act of a training. An outcome that stands is never replaced. */
  async end(outcome: TrainingOutcome): Promise<TrainingOutcome> {
    const known = await this.outcome()
    if (known) return known
    await writeFileAside(join(this.path, 'result.json'), JSON.stringify(outcome, null, 2) + '\n')
    return outcome
  }

  /** Once a job has ended, nobody needs its checkpoints, nor its rows, which are someone's conversations. */
  async tidy(): Promise<void> {
    await rm(this.checkpointsPath, { recursive: true, force: true })
    const { id } = await this.job()
    await writeFileAside(join(this.path, 'job.json'), JSON.stringify({ id }))
    await removeLeftAside(this.path)
  }

  async events(): Promise<TrainingEvent[]> {
    const lines = ((await this.#read('events.jsonl')) ?? '').split('\n')
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as TrainingEvent]
      } catch {
        // The empty end, or a line cut by a crash.
        return []
      }
    })
  }

  /** Each line reaches the file before the call returns, so a reader never waits for a buffer. */
  openEvents(): { write: (event: TrainingEvent) => void; close: () => void } {
    const file = openSync(join(this.path, 'events.jsonl'), 'a')
    return {
      write: (event) => void writeSync(file, JSON.stringify(event) + '\n'),
      close: () => closeSync(file),
    }
  }

  /** Waits until no other process trains in this folder; this one does until it ends. One that lost its parent ends by itself soon. */
  async lock(): Promise<void> {
    while (lockFile(join(this.path, 'lock')) === null) await delay(lockPauseMs)
    await writeFile(join(this.path, 'pid'), String(process.pid))
  }

  async #read(name: string): Promise<string | null> {
    try {
      return await readFile(join(this.path, name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }
}
