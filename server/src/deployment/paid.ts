// What a deployment pays where the time of its machine has a price: an hour at a time is reserved, and charged by the minute. Pure.
import type { Picodollars } from '../lib/money.ts'

const minuteMs = 60_000

/** Reserved at once, where the wallet has it; else as many minutes as it has. */
export const paidMinutesMost = 60

export type Paid = {
  price: Picodollars
  minutes: number
  /** Null while it has not served yet. */
  from: Date | null
}

export function priceOfMinutes(perHour: Picodollars, minutes: number): Picodollars {
  return (perHour * BigInt(minutes)) / 60n
}

/** How many minutes can be reserved where `missing` is lacking for so many. */
export function affordableMinutes(
  perHour: Picodollars,
  minutes: number,
  missing: Picodollars,
): number {
  const there = priceOfMinutes(perHour, minutes) - missing
  return there <= 0n ? 0 : Number((there * 60n) / perHour)
}

export function paidUntil({ minutes, from }: Paid): Date | null {
  return from && new Date(from.getTime() + minutes * minuteMs)
}

/** Minutes that have begun, and never more than were reserved. */
export function chargedMinutes({ minutes, from }: Paid, end: Date): number {
  if (from === null) return 0
  const begun = Math.ceil((end.getTime() - from.getTime()) / minuteMs)
  return Math.min(minutes, Math.max(0, begun))
}

/** One hour follows the other, unless no Hone ran in between, which is not charged. */
export function paidNextFrom(until: Date, now: Date): Date {
  return now.getTime() - until.getTime() > 2 * minuteMs ? now : until
}
