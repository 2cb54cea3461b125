// Rates, scores and counts as people read them. Pure.
import { grouped } from '../../../lib/grouped.ts'

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

/** 0.0174 to 0.34 is 1.7 to 34 points: as much as a range of what may be luck has to say. */
export function roughPoints(rate: number): string {
  return String(Number((100 * rate).toPrecision(2)))
}

/** With three digits where two would tell another change than there was. */
export function means(before: number, after: number): [before: string, after: string] {
  const written = (digits: number) => [figure(before, digits), figure(after, digits)] as const
  const [from, to] = written(2)
  const isTold = figure(Number(to) - Number(from), 3) === figure(after - before, 3)
  return isTold ? [from, to] : [...written(3)]
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
