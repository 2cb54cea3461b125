// When a pipeline will have the samples that it needs, if they go on coming as they do now. Samples expire, so it may be never.

const dayMs = 86_400_000
/**
 * The rate is measured over so many days, or over the time since the first sample if that is shorter, but at least one day. Imports
 * come at once and say nothing of when more will come, so they count for no rate.
 */
export const rateDays = 7

export type ForecastFacts = {
  now: Date
  have: number
  need: number
  /** Of those that are there, how many came within the last days that the rate is measured over, not imported. */
  recent: number
  /** When the oldest of all those that were not imported came; null when there is none. */
  firstCallAt: Date | null
  /** When the oldest that is there came; null when there is none. */
  firstAt: Date | null
  /** How many days a sample lasts. */
  retentionDays: number
}

export type Forecast =
  | { kind: 'reached' }
  | { kind: 'at'; at: Date }
  /** They expire sooner than they come: there will never be more than `most` at once. */
  | { kind: 'never'; most: number }
  /** None came lately. */
  | { kind: 'unknown' }

export function forecast(facts: ForecastFacts): Forecast {
  const { now, have, need, recent, firstCallAt, firstAt, retentionDays } = facts
  if (have >= need) return { kind: 'reached' }
  if (recent === 0 || firstCallAt === null || firstAt === null) return { kind: 'unknown' }
  const daysSince = (then: Date): number => (now.getTime() - then.getTime()) / dayMs
  const ageDays = daysSince(firstAt)
  const perDay = recent / Math.min(rateDays, Math.max(1, daysSince(firstCallAt)))
  const at = (days: number): Forecast => ({
    kind: 'at',
    at: new Date(now.getTime() + days * dayMs),
  })

  // Until the oldest expires, every sample that comes is one more.
  const growingDays = Math.max(0, retentionDays - ageDays)
  const most = have + perDay * growingDays
  const missingDays = (need - have) / perDay
  if (missingDays <= growingDays) return at(missingDays)

  // From then on those that are there expire evenly, and after the retention only those that came by then are left.
  const steady = perDay * retentionDays
  if (steady < need) return { kind: 'never', most: Math.floor(Math.max(most, steady, have)) }
  const share = (need - most) / (steady - most)
  return at(growingDays + share * (retentionDays - growingDays))
}
