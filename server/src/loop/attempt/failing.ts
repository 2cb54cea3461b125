// How what fails is counted in the row of an attempt, and when it is tried again. Pure.
import type { Failing } from './attempt.ts'
import { type FailingName, isEffectName } from './effect-names.ts'

/** Between tries of what fails, doubled each time. */
const pauseMs = 1000
const pauseMsMax = 60_000

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

export function nextTry({ tries }: Failing, now: Date): Date {
  const pause = Math.min(pauseMsMax, pauseMs * 2 ** Math.min(tries - 1, 10))
  return new Date(now.getTime() + pause)
}
