// When a pipeline will have the samples that it needs, if they go on being reviewed as they are now. Samples expire, so it may be never.

const dayMs = 86_400_000
/**
 * The rate is measured over so many days, or over the time since the first review if that is shorter, but at least one day. Imports
 * come at once and say nothing of when more will come, so they count for no rate.
 */
export const rateDays = 7
/** By how much so many more reviews a day bring the date forward is worth saying. */
export const moreReviews = 10
/** What is held back and expires within so many days is missing soon. */
export const soonDays = 14

export type ForecastFacts = {
  now: Date
  have: number
  need: number
  /** Of those that are there, how many were reviewed within the last days that the rate is measured over, not by an import. */
  recent: number
  /** When the first of all those that were not reviewed by an import was; null when there is none. */
  firstReviewAt: Date | null
  /** When the oldest that is there came; null when there is none. */
  firstAt: Date | null
  /** How many days a sample lasts. */
  retentionDays: number
}

export type Forecast =
  | { kind: 'reached' }
  /** `sooner`: by how many whole days `moreReviews` more a day bring it forward. */
  | { kind: 'at'; at: Date; sooner: number }
  /** They expire sooner than they come: there will never be more than `most` at once. `enough`: so many reviews a day would do. */
  | { kind: 'never'; most: number; enough: number }
  /** None was reviewed lately. */
  | { kind: 'unknown' }

export function forecast(facts: ForecastFacts): Forecast {
  const { now, have, need, recent, firstReviewAt, firstAt, retentionDays } = facts
  if (have >= need) return { kind: 'reached' }
  if (recent === 0 || firstReviewAt === null || firstAt === null) return { kind: 'unknown' }
  const daysSince = (then: Date): number => (now.getTime() - then.getTime()) / dayMs
  const perDay = recent / Math.min(rateDays, Math.max(1, daysSince(firstReviewAt)))
  const growingDays = Math.max(0, retentionDays - daysSince(firstAt))
  const growth = { have, need, retentionDays, growingDays }
  const days = daysUntil(growth, perDay)
  if (days === null) {
    const steady = perDay * retentionDays
    const most = Math.floor(Math.max(have + perDay * growingDays, steady, have))
    return { kind: 'never', most, enough: enoughPerDay(growth) }
  }
  const sooner = Math.floor(days - (daysUntil(growth, perDay + moreReviews) ?? days))
  return { kind: 'at', at: new Date(now.getTime() + days * dayMs), sooner }
}

type Growth = {
  have: number
  need: number
  retentionDays: number
  /** Until the oldest expires, every sample that is reviewed is one more. */
  growingDays: number
}

/** At so many reviews a day; null where that is never. */
function daysUntil(growth: Growth, perDay: number): number | null {
  const { have, need, retentionDays, growingDays } = growth
  const missingDays = (need - have) / perDay
  if (missingDays <= growingDays) return missingDays
  // From then on those that are there expire evenly, and after the retention only those that came by then are left.
  const most = have + perDay * growingDays
  const steady = perDay * retentionDays
  if (steady < need) return null
  const share = (need - most) / (steady - most)
  return growingDays + share * (retentionDays - growingDays)
}

/** The fewest reviews a day with which there will be enough. */
function enoughPerDay({ have, need, retentionDays, growingDays }: Growth): number {
  return Math.ceil(Math.min(need / retentionDays, (need - have) / growingDays))
}
