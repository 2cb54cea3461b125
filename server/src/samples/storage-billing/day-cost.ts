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
  /** The day that was booked last, and what was stored then; null for a workspace that is new. */
  last: { day: Day; bytes: bigint } | null
  /** A day on which the clock stood although it does not follow the last one. */
  doubted: Day | null
}

export type DayUse = { day: Day; bytes: bigint; cost: Picodollars }

/** Beyond these, days on which nobody looked are nobody's to pay. */
const missedDaysMax = 31

/**
 * What to book today, or null where the day is only doubted. A day that does not follow the last one comes after days on which
 * no Hone ran, or of a clock that is wrong: nobody can tell until time goes on from there. A clock that was set ahead or back and
 * is put right within the day therefore books nothing.
 */
export function daysToBook(
  meter: Meter,
  today: Day,
  pricePerGbMonth: Picodollars,
): DayUse[] | null {
  const { last, bytes, doubted } = meter
  if (last === null || today === dayAfter(last.day)) return used([today], bytes)
  if (last.day === today) return []
  const wentOn = doubted !== null && doubted < today && today <= daysAfter(doubted, missedDaysMax)
  if (!wentOn) return null
  // On missed days nothing can have been added, so the lesser of what was stored before and after is what was stored.
  const lesser = last.bytes < bytes ? last.bytes : bytes
  return [...used(missedBetween(last.day, today), lesser), ...used([today], bytes)]

  function used(days: Day[], stored: bigint): DayUse[] {
    return days
      .map((day) => ({ day, bytes: stored, cost: dayCost(stored, pricePerGbMonth, day) }))
      .filter(({ cost }) => cost > 0n)
  }
}

/** The latest of them, as many as are booked at most. */
function missedBetween(last: Day, today: Day): Day[] {
  const days: Day[] = []
  const earliest = daysAfter(today, -missedDaysMax)
  const first = dayAfter(last)
  for (let day = first > earliest ? first : earliest; day < today; day = dayAfter(day))
    days.push(day)
  return days
}

function dayAfter(day: Day): Day {
  return daysAfter(day, 1)
}

function daysAfter(day: Day, days: number): Day {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs))
}
