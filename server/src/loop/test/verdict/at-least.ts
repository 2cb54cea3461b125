// Comparisons of means of decimals. Sums of decimals are off by some 1e-13, and real differences between scores are
// larger than 1e-8: a difference below 1e-9 is an error of rounding, so that it never decides at a boundary. Pure.
const roundingMax = 1e-9

export function atLeast(measured: number, required: number): boolean {
  return measured >= required - roundingMax
}

export function isAbove(measured: number, limit: number): boolean {
  return measured > limit + roundingMax
}
