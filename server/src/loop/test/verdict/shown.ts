// Measured numbers as verdicts show them. Pure.

/** Without errors of rounding, and finer than any difference that decides: a policy compares these numbers again. */
export function shown(value: number): number {
  return Math.round(value * 1e9) / 1e9 + 0
}

export function shownOrNull(value: number | null): number | null {
  return value === null ? null : shown(value)
}
