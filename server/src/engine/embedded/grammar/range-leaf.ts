// A number between two limits, whole or with a fraction. A digit is allowed only while some number inside the
// limits begins with what has been written, so the end is always reachable.
import { ascii, isDigit } from './leaf.ts'
import type { Leaf } from './leaf.ts'

export type NumberRange = {
  whole: boolean
  min: number
  max: number
  minExcluded: boolean
  maxExcluded: boolean
}

const fractionDigitsMax = 6
/** Of all digits together: so many are always exact, and only exact numbers can be compared with limits. */
const digitsMax = 15

/** Every digit asks anew whether some number begins so. */
const rangeWork = 30

export function rangeLeaf(range: NumberRange): Leaf {
  const { whole, min, max, minExcluded, maxExcluded } = range
  return leafAt(`range.${whole}.${minExcluded}.${min}.${maxExcluded}.${max}.`, range, '')
}

/** Whether no number at all, however written, is inside the limits. */
export function isContradiction(range: NumberRange): boolean {
  const { whole, min, max, minExcluded, maxExcluded } = range
  if (!whole) return min > max || (min === max && (minExcluded || maxExcluded))
  const lowest = minExcluded ? Math.floor(min) + 1 : Math.ceil(min)
  const highest = maxExcluded ? Math.ceil(max) - 1 : Math.floor(max)
  return lowest > highest
}

function leafAt(key: string, range: NumberRange, written: string): Leaf {
  const minBytes = shortestCompletion(range, written)
  return {
    key: key + written,
    accepting: minBytes === 0,
    minBytes,
    work: rangeWork,
    next(byte) {
      if (!isDigit(byte) && byte !== ascii('-') && byte !== ascii('.')) return null
      const longer = written + String.fromCharCode(byte)
      if (
        !/^-?(0|[1-9]\d*)?$/.test(longer) &&
        (range.whole || !/^-?(0|[1-9]\d*)\.\d*$/.test(longer))
      ) {
        return null
      }
      const leaf = leafAt(key, range, longer)
      return leaf.minBytes === Infinity ? null : leaf
    },
  }
}

/** Tries every count of further digits before and after the point; each count is one run of numbers. */
function shortestCompletion(range: NumberRange, written: string): number {
  const integerDigits = written.replace(/\..*/, '').replace('-', '').length
  const hasPoint = written.includes('.')
  const fractionDigits = hasPoint ? written.length - written.indexOf('.') - 1 : 0
  const closed = hasPoint || /^-?0$/.test(written)
  let shortest = Infinity
  for (const start of written === '' ? ['', '-'] : [written]) {
    for (let integers = 0; integers <= (closed ? 0 : digitsMax); integers++) {
      if (integers >= shortest) break
      for (let fractions = 0; fractions <= (range.whole ? 0 : fractionDigitsMax); fractions++) {
        const digits = integerDigits + integers + fractionDigits + fractions
        if (digits > digitsMax || fractionDigits + fractions > fractionDigitsMax) break
        const point = fractions > 0 && !hasPoint
        const bytes = start.length - written.length + integers + fractions + (point ? 1 : 0)
        if (bytes < shortest && hasNumber(range, start, integers, fractions, point)) {
          shortest = bytes
        }
      }
    }
  }
  return shortest
}

/** Whether a number inside the limits is `start` followed by exactly these many digits. */
function hasNumber(
  range: NumberRange,
  start: string,
  integers: number,
  fractions: number,
  point: boolean,
): boolean {
  const text = (digit: string) =>
    start + digit.repeat(integers) + (point ? '.' : '') + digit.repeat(fractions)
  const leads = integers > 1 && /^-?$/.test(start)
  const first = leads ? text('0').replace('0', '1') : text('0')
  const last = text('9')
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(first)) return false
  const [low, high] = start.startsWith('-') ? [last, first] : [first, last]
  const lowest = Math.max(Number(low), range.min)
  const highest = Math.min(Number(high), range.max)
  if (lowest > highest) return false
  // Between the limits the numbers lie on a grid; the first grid point at or above the lower limit decides.
  const decimals = fractionsOf(last)
  const from = Math.floor(lowest * 10 ** decimals) - 1
  for (let step = 0; step < 5; step++) {
    const value = Number(((from + step) / 10 ** decimals).toFixed(decimals))
    if (value === 0 && start.startsWith('-')) continue
    if (value >= Number(low) && value <= Number(high) && inRange(range, value)) return true
  }
  return false
}

function fractionsOf(text: string): number {
  return text.includes('.') ? text.length - text.indexOf('.') - 1 : 0
}

function inRange({ min, max, minExcluded, maxExcluded }: NumberRange, value: number): boolean {
  return (minExcluded ? value > min : value >= min) && (maxExcluded ? value < max : value <= max)
}
