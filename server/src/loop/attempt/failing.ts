// How what fails is counted in the row of an attempt, and when it is tried again. Pure.
import type { AttemptRow, Failing } from './attempt.ts'
import { type FailingName, isEffectName } from './effect-names.ts'

/** Between tries of what fails, doubled each time. */
const pauseMs = 1000
const pauseMsMax = 60_000
/** Spec 2, attempt errors: a step that has not succeeded for six hours. */
const stalledMs = 6 * 3_600_000
const stalledPauseMsMax = 24 * 3_600_000

/** Between tries of an effect, facts that cannot be had count as its failure, so that its time goes on. */
export function nextFailing(before: Failing | undefined, name: FailingName, now: Date): Failing {
  const effect = before && !isEffectName(name) ? before.effect : name
  const same = before?.effect === effect ? before : null
  return {
    effect,
    since: same?.since ?? now.toISOString(),
    tries: (same?.tries ?? 0) + 1,
    // Without facts nothing says that its training does not run.
    holds: !isEffectName(name) && (before?.holds ?? true),
  }
}

export function isStalled({ since }: Failing, at: Date): boolean {
  return at.getTime() - Date.parse(since) >= stalledMs
}

/** Of one that is tried again all the same: what it trained is there, and is not trained again because its test failed. */
export function isStalledTest({
  adapter,
  state: { failing },
  wake_at,
}: Pick<AttemptRow, 'adapter' | 'state' | 'wake_at'>): boolean {
  return adapter !== null && failing !== undefined && isStalled(failing, wake_at)
}

/** Once it has stalled, after a sixth of the time that it has failed: an hour, then longer each time, up to a day. */
export function nextTry(failing: Failing, now: Date): Date {
  const { since, tries } = failing
  const pause = isStalled(failing, now)
    ? Math.min(stalledPauseMsMax, (now.getTime() - Date.parse(since)) / 6)
    : Math.min(pauseMsMax, pauseMs * 2 ** Math.min(tries - 1, 10))
  return new Date(now.getTime() + pause)
}
