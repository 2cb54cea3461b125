// The files of one training job. `result.json` is the truth of how it ended; while it is absent, the job goes on.
import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isId } from '../../lib/id.ts'
import { createFileAside, removeLeftAside, writeFileAside } from '../../lib/write-aside.ts'
import { makeFolder } from '../../lib/make-folder.ts'
import { lockFile } from '../../lib/file-lock.ts'
import type { TrainingEnd, TrainingJob, TrainingOutcome } from '../compute.ts'
import { effect } from '../effects.ts'
import { EventFile, EventReader, readEvents, secondsIn } from './event-file.ts'
import type { TimedEvent } from './training-event.ts'

const lockPauseMs = 50
const removing = '.removing'

/** Whether a folder of this name is of a job that was forgotten, and is removed. */
export function isRemoving(name: string): boolean {
  return name.includes(removing)
}

export class JobFolder {
  readonly path: string
  readonly checkpointsPath: string
  readonly adapterPath: string
  readonly #eventsPath: string

  constructor(path: string) {
    this.path = path
    this.checkpointsPath = join(path, 'checkpoints')
    this.adapterPath = join(path, 'adapter')
    this.#eventsPath = join(path, 'events.jsonl')
  }

  /** Ids are parts of paths, so only UUIDs are taken. */
  static of(root: string, id: string): JobFolder {
    if (!isId(id)) throw new Error(`'${id}' is not a UUID.`)
    return new JobFolder(join(root, id))
  }

  /** Keeps the job as it was first given; a later call with the same id finds it. */
  async keepJob(job: TrainingJob): Promise<void> {
    if (await this.isKnown()) return
    await effect('write-job', async () => {
      await this.make()
      await createFileAside(join(this.path, 'job.json'), JSON.stringify(job))
    })
  }

  /** For the owner alone, because what is trained on can be read back as conversations. */
  make(): Promise<void> {
    return makeFolder(this.path, 0o700)
  }

  async isKnown(): Promise<boolean> {
    return (await this.#read('job.json')) !== null
  }

  async job(): Promise<TrainingJob> {
    return JSON.parse((await this.#read('job.json')) ?? 'null') as TrainingJob
  }

  async outcome(): Promise<TrainingOutcome | null> {
    const text = await this.#read('result.json')
    if (text === null) return null
    const outcome = JSON.parse(text) as TrainingOutcome
    // The folder may have been moved since.
    return outcome.state === 'succeeded' ? { ...outcome, adapterPath: this.adapterPath } : outcome
  }

  /** The last act of a training. An outcome that stands is never replaced. `seconds` are at least those of the events. */
  async end(end: TrainingEnd, seconds = 0): Promise<TrainingOutcome> {
    const known = await this.outcome()
    if (known) return known
    const outcome = { ...end, seconds: Math.max(seconds, secondsIn(await this.events())) }
    await effect('write-result', () =>
      createFileAside(join(this.path, 'result.json'), JSON.stringify(outcome, null, 2) + '\n'),
    )
    return (await this.outcome()) ?? outcome
  }

  /** Once a job has ended, nobody needs its checkpoints, nor its rows, which are someone's conversations. */
  async tidy(): Promise<void> {
    await effect('tidy', async () => {
      await rm(this.checkpointsPath, { recursive: true, force: true })
      const { id, rowsFile } = (await this.job()) as Partial<TrainingJob>
      if (rowsFile !== undefined) {
        await rm(rowsFile, { force: true })
        await writeFileAside(join(this.path, 'job.json'), JSON.stringify({ id }))
      }
      await removeLeftAside(this.path)
    })
  }

  /** A folder that is removed only in part must not be taken for a job that goes on, so it loses its name first. */
  async remove(): Promise<void> {
    await effect('forget', async () => {
      const root = dirname(this.path)
      const away = `${this.path}${removing}`
      await rename(this.path, `${away}-${randomUUID()}`).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      for (const name of await readdir(root).catch(() => [])) {
        if (!name.startsWith(basename(away))) continue
        await rm(join(root, name), { recursive: true, force: true })
      }
    })
  }

  events(): Promise<TimedEvent[]> {
    return readEvents(this.#eventsPath)
  }

  eventReader(): EventReader {
    return new EventReader(this.#eventsPath)
  }

  openEvents(): Promise<EventFile> {
    return effect('open-events', () => EventFile.open(this.#eventsPath))
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
