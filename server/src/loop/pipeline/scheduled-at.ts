// The next time that a schedule names, in UTC.
import type { Schedule, Weekday } from '#contract/pipeline-settings.ts'

const weekdayNumbers: Record<Weekday, number> = {
  sunday: 0,
  monday: 1,
  tuesday: 2,
  wednesday: 3,
  thursday: 4,
  friday: 5,
  saturday: 6,
}

/** After `now`, never at it. */
export function scheduledAfter(schedule: Schedule, now: Date): Date {
  const [hours = 0, minutes = 0] = schedule.at.split(':').map(Number)
  const at = (year: number, month: number, day: number): Date =>
    new Date(Date.UTC(year, month, day, hours, minutes))
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (schedule.every === 'month') {
    const inMonth = (of: number): Date =>
      at(year, of, Math.min(schedule.day ?? 1, at(year, of + 1, 0).getUTCDate()))
    return inMonth(month) > now ? inMonth(month) : inMonth(month + 1)
  }
  const ahead =
    schedule.every === 'day'
      ? 0
      : (weekdayNumbers[schedule.weekday ?? 'monday'] - now.getUTCDay() + 7) % 7
  const next = at(year, month, day + ahead)
  return next > now ? next : at(year, month, day + ahead + (schedule.every === 'day' ? 1 : 7))
}
