// Writes lines to a descriptor, and never holds the process up: whatever becomes of a log, calls are answered and a
// signal to stop is heard. Lines that cannot be written wait, as long as there is room; then they are counted as lost.
import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs'
import { within } from './within.ts'

export type LineWriter = {
  write(line: string): void
  /** Waits for what is still to be written, but not for long. */
  close(): Promise<void>
}

export type LineWriterOptions = {
  /** Told when lines are written again after so many were lost. */
  lost?: (lines: number) => void
  waitingCharactersMax?: number
  retryMs?: number
  closeMsMax?: number
}

/** Nobody will ever read these: the reader left, the terminal is gone, there never was one. */
const forGood = ['EPIPE', 'EIO', 'EBADF']

export function openLineWriter(descriptor: number, options: LineWriterOptions = {}): LineWriter {
  const { waitingCharactersMax = 8_000_000, retryMs = 100, closeMsMax = 1000 } = options
  const own = withoutBlocking(descriptor)
  let waiting = ''
  let underWay: Buffer | null = null
  let asked = false
  let lost = 0
  let deaf = false
  let drained = (): void => {}

  function add(line: string): void {
    if (deaf) return
    if (waiting.length + line.length > waitingCharactersMax) {
      lost += 1
      return
    }
    waiting += line
    if (underWay === null) next()
  }

  function next(): void {
    if (waiting === '') return drained()
    underWay = Buffer.from(waiting)
    waiting = ''
    tryToWrite()
  }

  function tryToWrite(): void {
    const bytes = underWay
    if (bytes === null || deaf) return
    asked = true
    write(own ?? descriptor, bytes, (error, written) => {
      asked = false
      if (deaf) return
      if (error !== null) return failed(error.code ?? '')
      if (written < bytes.length) {
        underWay = bytes.subarray(written)
        return tryToWrite()
      }
      underWay = null
      reportLost()
      if (underWay === null) next()
    })
  }

  function failed(code: string): void {
    if (forGood.includes(code)) {
      deaf = true
      waiting = ''
      underWay = null
      return drained()
    }
    // A full pipe or disk may have room again in a moment.
    setTimeout(tryToWrite, retryMs).unref()
  }

  function reportLost(): void {
    if (lost === 0) return
    const lines = lost
    lost = 0
    options.lost?.(lines)
  }

  /** A process that ends without closing, because it failed, still says why. */
  function writeLast(): void {
    const rest = asked ? waiting : `${underWay?.toString() ?? ''}${waiting}`
    try {
      if (!deaf && rest !== '') writeSync(own ?? descriptor, rest)
    } catch {
      // There is nobody left to tell.
    }
  }
  process.once('exit', writeLast)

  return {
    write: add,
    async close() {
      process.off('exit', writeLast)
      if (underWay !== null) {
        const end = new Promise<void>((resolve) => (drained = resolve))
        await within(closeMsMax, end)
      }
      deaf = true
      underWay = null
      if (own !== null) closeSync(own)
    },
  }
}

/**
 * The same pipe opened once more, so that a write to it fails while its reader takes nothing. A write that waits
 * instead keeps its thread, and the process cannot even end before that.
 */
function withoutBlocking(descriptor: number): number | null {
  try {
    if (!fstatSync(descriptor).isFIFO()) return null
    return openSync(`/dev/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    // Other systems, and users who may not open it again, do with the descriptor as it is.
    return null
  }
}
