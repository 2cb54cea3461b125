// What the scoring key of a pipeline may still spend this month. Pure.
import type { Picodollars } from '../../../lib/money.ts'

export type ScoringCap = {
  left: Picodollars
  /** Null while something is left. */
  cappedUntil: Date | null
}

/** `spent` is what scoring cost the pipeline in the month of `now`, in UTC. */
export function scoringCap(facts: { spent: Picodollars; cap: Picodollars; now: Date }): ScoringCap {
  const { spent, cap, now } = facts
  if (spent < cap) return { left: cap - spent, cappedUntil: null }
  return { left: 0n, cappedUntil: startOfMonth(now, 1) }
}

/** In UTC, so many months later. */
export function startOfMonth(now: Date, later = 0): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later, 1))
}
