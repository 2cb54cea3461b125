// How long an attempt waits for samples in the workspace's own storage: up to an hour after the first one could not be read. Then a test
// leaves out those that still cannot be read (spec 2, held-back test, rule 5), and a selection ends. Pure.
import type { AttemptState, Unreadable } from '../attempt/attempt.ts'

const hourMs = 3_600_000
const minuteMs = 60_000

export function isStorageAwaited(unreadable: Unreadable | undefined, now: Date): boolean {
  return !unreadable || now.getTime() - Date.parse(unreadable.since) < hourMs
}

export function nextStorageTry({ tried_at }: Unreadable): Date {
  return new Date(Date.parse(tried_at) + minuteMs)
}

/** After one more try that failed. */
export function stillUnreadable(
  unreadable: Unreadable | undefined,
  count: number,
  now: Date,
): Unreadable {
  const at = now.toISOString()
  return { since: unreadable?.since ?? at, tried_at: at, count }
}

/** What became of samples that could not be read. */
export type StorageTry = {
  /** They are tried again. */
  awaited: number
  /** The hour is over. */
  leftOut: number
}

/** Where an attempt whose models or judge are asked stands after one more try. */
export function afterStorageTry(
  state: AttemptState,
  { awaited, leftOut }: StorageTry,
  now: Date,
): AttemptState {
  const at = now.toISOString()
  switch (state.phase) {
    case 'waiting_for_storage': {
      const isOver = leftOut > 0 || awaited > 0
      const since = isOver ? state.unreadable.since : at
      return { ...state, unreadable: { since, tried_at: at, count: awaited } }
    }
    case 'answering':
    case 'scoring': {
      const { unreadable, ...rest } = state
      if (awaited === 0 && leftOut === 0) return rest
      // A failure of the storage has one hour, however many portions it meets.
      const since = unreadable?.since ?? at
      return { ...rest, unreadable: { since, tried_at: at, count: awaited } }
    }
    default:
      return state
  }
}
