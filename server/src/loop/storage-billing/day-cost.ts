// What a day of storing costs: bytes times the price of a gigabyte and month, divided by the days of that month. What is
// less than a pico-dollar is left off, once for each workspace and day.
import type { Picodollars } from '../../lib/money.ts'

const bytesPerGigabyte = 1_000_000_000n
const dayMs = 86_400_000

/** A day of UTC, as `2026-03-01`. */
export type Day = string

export function dayOf(at: Date): Day {
  return at.toISOString().slice(0, 10)
}

export function dayCost(bytes: bigint, pricePerGbMonth: Picodollars, day: Day): Picodollars {
  return (bytes * pricePerGbMonth) / (bytesPerGigabyte * BigInt(daysInMonth(day)))
}

function daysInMonth(day: Day): number {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

export type Meter = {
  /** Stored on the platform now. */
  bytes: bigint
  /** The day that was looked at last, and what was stored then; null for a workspace that is new. */
  last: { day: Day; bytes: bigint } | null
}

export type DayUse = { day: Day; bytes: bigint; cost: Picodollars }

/**
 * The days to book today. On days that nobody looked at, nothing can have been added, so the lesser of what was stored
 * before and after is what was stored.
 */
export function daysToBook(meter: Meter, today: Day, pricePerGbMonth: Picodollars): DayUse[] {
  const { last, bytes } = meter
  if (last !== null && last.day >= today) return []
  const days: DayUse[] = []
  for (let day = last === null ? today : dayAfter(last.day); day <= today; day = dayAfter(day)) {
    const stored = day < today && last !== null && last.bytes < bytes ? last.bytes : bytes
    const cost = dayCost(stored, pricePerGbMonth, day)
    if (cost > 0n) days.push({ day, bytes: stored, cost })
  }
  return days
}

function dayAfter(day: Day): Day {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + dayMs))
}
