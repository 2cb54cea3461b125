// How long a test waits for a model or a judge whose servers take no calls: ten minutes in a row, as long as one takes to be started
// again. After that, what it was to say counts as not said, so that no test waits for ever. Pure.
import type { AttemptState, Away } from '../attempt/attempt.ts'

const awayMsMax = 600_000
const pauseMs = 5000

export function isAwayAwaited(away: Away | undefined, now: Date): boolean {
  return !away || now.getTime() - Date.parse(away.since) < awayMsMax
}

/** When it is asked again. */
export function nextAwayTry({ tried_at }: Away): Date {
  return new Date(Date.parse(tried_at) + pauseMs)
}

/** Where an attempt stands after a portion of what is asked, in which calls were not taken or all were. */
export function afterAwayTry(state: AttemptState, wasAway: boolean, now: Date): AttemptState {
  if (state.phase !== 'answering' && state.phase !== 'scoring') return state
  const { away, ...rest } = state
  if (!wasAway) return rest
  const at = now.toISOString()
  return { ...rest, away: { since: away?.since ?? at, tried_at: at } }
}
