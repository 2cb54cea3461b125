// Where an attempt stands after a portion of what its test asks. Pure.
import type { PortionTry } from '../test/ask-portion.ts'
import type { AttemptState } from './attempt.ts'

export function afterPortion(
  state: AttemptState,
  { storage, away }: PortionTry,
  now: Date,
): AttemptState {
  return afterAwayTry(afterStorageTry(state, storage, now), away, now)
}

/** Also one of what waits for the storage. */
export function afterStorageTry(
  state: AttemptState,
  { awaited, leftOut }: PortionTry['storage'],
  now: Date,
): AttemptState {
  const at = now.toISOString()
  const isOver = leftOut > 0 || awaited > 0
  switch (state.phase) {
    case 'waiting_for_storage': {
      const since = isOver ? state.unreadable.since : at
      return { ...state, unreadable: { since, tried_at: at, count: awaited } }
    }
    case 'answering':
    case 'scoring': {
      const { unreadable, ...rest } = state
      if (!isOver) return rest
      // A failure of the storage has one hour, however many portions it meets.
      const since = unreadable?.since ?? at
      return { ...rest, unreadable: { since, tried_at: at, count: awaited } }
    }
    default:
      return state
  }
}

/** After a portion in which calls were not taken, or all were. */
export function afterAwayTry(state: AttemptState, wasAway: boolean, now: Date): AttemptState {
  if (state.phase !== 'answering' && state.phase !== 'scoring') return state
  const { away, ...rest } = state
  if (!wasAway) return rest
  const at = now.toISOString()
  return { ...rest, away: { since: away?.since ?? at, tried_at: at } }
}
