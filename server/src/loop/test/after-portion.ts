// Where an attempt stands after a portion of its questions was asked. Pure.
import { afterAwayTry } from './away-wait.ts'
import type { AttemptState } from '../attempt/attempt.ts'
import { afterStorageTry, type StorageTry } from './storage-wait.ts'

/** `away`: servers of a model or the judge took no calls. */
export type PortionTry = { storage: StorageTry; away: boolean }

export function afterPortion(
  state: AttemptState,
  { storage, away }: PortionTry,
  now: Date,
): AttemptState {
  return afterAwayTry(afterStorageTry(state, storage, now), away, now)
}
