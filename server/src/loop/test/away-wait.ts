// How long a test waits for a model or a judge whose servers take no calls: ten minutes in a row, as long as one takes to be started
// again. After that, what it was to say counts as not said, so that no test waits for ever. Pure.

/** Since when the servers take no calls, and when they were last asked. */
export type Away = { since: string; tried_at: string }

const awayMsMax = 600_000
const pauseMs = 5000

export function isAwayAwaited(away: Away | undefined, now: Date): boolean {
  return !away || now.getTime() - Date.parse(away.since) < awayMsMax
}

/** When it is asked again. */
export function nextAwayTry({ tried_at }: Away): Date {
  return new Date(Date.parse(tried_at) + pauseMs)
}
