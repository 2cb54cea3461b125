// Rates, scores and counts as people read them. Pure.
import { grouped } from '../../lib/grouped.ts'

export function samples(count: number): string {
  return count === 1 ? '1 sample' : `${grouped(count)} samples`
}

/** 0.525 is 52.5%. */
export function percent(rate: number, digits = 1): string {
  return `${figure(100 * rate, digits)}%`
}

/** 0.186 is 18.6 points. */
export function points(rate: number): string {
  return `${figure(100 * rate, 1)} points`
}

export function figure(value: number, digits = 2): string {
  // Fixed digits are rounded as decimals; as a number again they end without zeros, and -0 is 0.
  return String(Number(value.toFixed(digits)) + 0)
}

/** Both with as many digits as it takes to tell them apart, so that no figure seems to equal one that it fell short of. */
export function toldApart(
  write: (value: number, digits: number) => string,
  measured: number,
  required: number,
  digitsLeast = 2,
): [measured: string, required: string] {
  for (let digits = digitsLeast; ; digits++) {
    const pair: [string, string] = [write(measured, digits), write(required, digits)]
    if (pair[0] !== pair[1] || digits === 6) return pair
  }
}
