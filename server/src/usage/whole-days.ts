// The days of UTC that lie within a span, from the first to the one after the last.

/** Without an end, all that comes after is within. */
export type Span = { from: Date; to: Date | null }

const dayMs = 24 * 3600 * 1000

export function wholeDays({ from, to }: Span): Span | null {
  const first = Math.ceil(from.getTime() / dayMs) * dayMs
  if (to === null) return { from: new Date(first), to: null }
  const end = Math.floor(to.getTime() / dayMs) * dayMs
  return first < end ? { from: new Date(first), to: new Date(end) } : null
}
