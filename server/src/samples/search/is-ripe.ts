// Whether what waits to be indexed is worth a segment now. While samples keep coming it waits a little, because a large segment
// is built once where small ones are built again and again; until then it is searched as it is.
import { timeOfId } from '../../lib/id.ts'

export type Queue = {
  samples: number
  /** Of the first of them, as many as were looked at. */
  looked: number
  lookedBytes: number
  oldestId: string
}

export type Ripeness = {
  /** A queue this long or this heavy is worth a segment; a shorter one is searched as it is. */
  queueSamples: number
  queueBytes: number
  /** One that waited so long, or became so long or so heavy, is not waited with any more. */
  ripeMs: number
  ripeSamples: number
  ripeBytes: number
}

export function isRipe(queue: Queue, ripeness: Ripeness, nowMs: number): boolean {
  const { samples, looked, lookedBytes } = queue
  const bytes = looked === 0 ? 0 : (lookedBytes / looked) * samples
  if (samples < ripeness.queueSamples && bytes < ripeness.queueBytes) return false
  const ageMs = nowMs - (timeOfId(queue.oldestId)?.getTime() ?? 0)
  // A time that is yet to come says that somebody's clock is wrong, and nothing about the queue.
  const waited = ageMs >= ripeness.ripeMs || ageMs < 0
  return waited || samples >= ripeness.ripeSamples || bytes >= ripeness.ripeBytes
}
