// The events of a job, one JSON line each, and the clock by which they count the seconds that the job has used.
import { openSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { TimedEvent, TrainingEvent } from './training-event.ts'

export class EventReader {
  readonly #path: string
  #position = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Those written since the last call, in order. Calls must not overlap. */
  async next(): Promise<TimedEvent[]> {
    const file = await open(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return null
    })
    if (!file) return []
    try {
      const { size } = await file.stat()
      const length = Math.max(0, size - this.#position)
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, this.#position)
      // What is behind the last line break is still being written.
      const whole = buffer.subarray(0, buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1)
      this.#position += whole.length
      return eventsIn(whole.toString())
    } finally {
      await file.close()
    }
  }
}

export function readEvents(path: string): Promise<TimedEvent[]> {
  return new EventReader(path).next()
}

/** A line that a crash has cut is left out. */
function eventsIn(text: string): TimedEvent[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as TimedEvent]
    } catch {
      return []
    }
  })
}

export function secondsIn(events: readonly TimedEvent[]): number {
  return events.at(-1)?.seconds ?? 0
}

export class EventFile {
  readonly #file: number
  readonly #before: readonly TimedEvent[]
  readonly #openedMs = performance.now()
  #secondsBefore: number

  private constructor(file: number, before: readonly TimedEvent[]) {
    this.#file = file
    this.#before = before
    this.#secondsBefore = secondsIn(before)
  }

  /** For the one process that holds the job's lock. Its time is added to that of the processes before it, from here on. */
  static async open(path: string): Promise<EventFile> {
    const before = await readEvents(path)
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
    // What was done after the checkpoint is done once more, and its time counts once.
    if (event.event === 'resumed') this.#secondsBefore = secondsAt(this.#before, event.step)
    const timed = { ...event, seconds: this.seconds }
    writeSync(this.#file, JSON.stringify(timed) + '\n')
    return timed
  }
}

/** When the checkpoint of this step was taken; 0 for a run that begins anew. */
function secondsAt(events: readonly TimedEvent[], step: number): number {
  if (step === 0) return 0
  const isCheck = (event: TimedEvent): boolean => event.event === 'check' && event.step === step
  return events.findLast(isCheck)?.seconds ?? 0
}
