// The events of a job, one JSON line each, and the clock by which they count the seconds that the job has used.
import { openSync, writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { TimedEvent, TrainingEvent } from './training-event.ts'

/** In order; a line that a crash has cut is left out. */
export async function readEvents(path: string): Promise<TimedEvent[]> {
  let text = ''
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as TimedEvent]
    } catch {
      return []
    }
  })
}

export function secondsIn(events: readonly TimedEvent[]): number {
  return events.reduce((most, { seconds }) => Math.max(most, seconds), 0)
}

export class EventFile {
  readonly #file: number
  readonly #secondsBefore: number
  readonly #openedMs = performance.now()

  private constructor(file: number, secondsBefore: number) {
    this.#file = file
    this.#secondsBefore = secondsBefore
  }

  /** For the one process that holds the job's lock. Its time is added to that of the processes before it, from here on. */
  static async open(path: string): Promise<EventFile> {
    const before = secondsIn(await readEvents(path))
    const file = openSync(path, 'a')
    // The line before may have been cut.
    writeSync(file, '\n')
    return new EventFile(file, before)
  }

  /** The job's so far, by a clock that nobody sets. */
  get seconds(): number {
    return this.#secondsBefore + (performance.now() - this.#openedMs) / 1000
  }

  /** The line reaches the file before the call returns, so a reader never waits for a buffer. */
  write(event: TrainingEvent): TimedEvent {
    const timed = { ...event, seconds: this.seconds }
    writeSync(this.#file, JSON.stringify(timed) + '\n')
    return timed
  }
}
