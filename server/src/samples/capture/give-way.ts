// Recording gives way to calls: while they keep the process busy, what was delivered waits, so that a burst is answered by
// all processors and recorded behind it. It waits neither for long nor where much waits already.

/** Of the time of the thread that serves calls. */
const busyShareMin = 0.5
/** What comes beyond may soon find no room any more. */
const filledShareMax = 0.25
/** Whoever says what an answer was worth before it is stored is told to come again in two seconds, and finds it then. */
const waitMsMax = 1500
const lookMs = 100

export type Backlog = {
  busyShare: number
  /** Of the room for what waits. */
  filledShare: number
  oldestMs: number
}

/** After how long to look again; 0 when it is time to record. */
export function giveWayMs({ busyShare, filledShare, oldestMs }: Backlog): number {
  if (busyShare < busyShareMin || filledShare >= filledShareMax) return 0
  return Math.max(0, Math.min(lookMs, waitMsMax - oldestMs))
}
