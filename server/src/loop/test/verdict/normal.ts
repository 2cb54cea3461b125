// The standard normal distribution. Pure.

/** The chance of a value above this one, to some 1e-15. */
export function normalTail(value: number): number {
  if (Math.abs(value) > 8) return value > 0 ? 0 : 1
  // Taylor's series of the integral from 0, divided by the density.
  let sum = value
  let term = value
  for (let power = 3; sum + term !== sum; power += 2) {
    term *= value ** 2 / power
    sum += term
  }
  return 0.5 - sum * normalDensity(value)
}

export function normalDensity(value: number): number {
  return Math.exp(-(value ** 2) / 2) / Math.sqrt(2 * Math.PI)
}

/** The value that is exceeded with this chance. */
export function normalQuantile(chance: number): number {
  let [low, high] = [-8, 8]
  for (let middle = 0; high - low > 1e-12; middle = (low + high) / 2) {
    if (normalTail(middle) > chance) low = middle
    else high = middle
  }
  return (low + high) / 2
}
