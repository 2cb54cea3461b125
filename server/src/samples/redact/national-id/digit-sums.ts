// Most check digits are sums over the digits of a number. Numbers that may be of many formats are added up for several of
// them at once, which tells almost all of them apart before any format is asked.
import type { Digits } from './checks.ts'

/** What a digit adds by its place, what the sum is divided by, and the rests that a right number may leave. */
export type DigitSum = {
  count: number
  adds: (place: number, digit: number) => number
  modulo: number
  rests: number[]
}

export function luhnSum(count: number): DigitSum {
  const adds = (place: number, digit: number): number => {
    const isDoubled = (count - place) % 2 === 0
    return isDoubled ? (digit < 5 ? 2 * digit : 2 * digit - 9) : digit
  }
  return { count, adds, modulo: 10, rests: [0] }
}

/** The last weights may be those of the check digit itself. */
export function weightedSum(weights: Int8Array, modulo: number, rests = [0]): DigitSum {
  const adds = (place: number, digit: number): number => weights[place]! * digit
  return { count: weights.length, adds, modulo, rests }
}

/** Weights of digits and of the check digit behind them. */
export function withCheck(weights: Int8Array, check: number): Int8Array {
  return Int8Array.of(...weights, check)
}

/** How many sums fit into one number, each with eight bits. */
const sumsMax = 4

export type DigitSums = {
  sums: DigitSum[]
  count: number
  /** What a digit adds to all sums, by its place and value. */
  table: Int32Array
  /** 1 for each sum and value that a right number may have. */
  isRight: Uint8Array
  /** Whether every format has one of the sums, so that none of them is right when no sum is. */
  isOfAll: boolean
}

/** Null when there is none. */
export function packSums(all: readonly (DigitSum | undefined)[]): DigitSums | null {
  const sums = [...new Set(all)].filter((sum) => sum !== undefined).slice(0, sumsMax)
  if (sums.length === 0) return null
  const count = Math.max(...sums.map((sum) => sum.count))
  const table = new Int32Array(count * 16)
  const isRight = new Uint8Array(sumsMax * 256)
  for (const [index, sum] of sums.entries()) {
    for (let place = 0; place < sum.count; place++) {
      for (let digit = 0; digit < 10; digit++) {
        const rest = sum.adds(place, digit) % sum.modulo
        const adds = rest < 0 ? rest + sum.modulo : rest
        table[place * 16 + digit]! += adds << (8 * index)
      }
    }
    for (let value = 0; value < 256; value++) {
      isRight[index * 256 + value] = sum.rests.includes(value % sum.modulo) ? 1 : 0
    }
  }
  const isOfAll = all.every((sum) => sum !== undefined && sums.includes(sum))
  return { sums, count, table, isRight, isOfAll }
}

/** A bit for each of the sums that is right. */
export function rightSums(sums: DigitSums, digits: Digits): number {
  const { count, table, isRight } = sums
  let sum = 0
  for (let place = 0; place < count; place++) sum += table[place * 16 + digits[place]!]!
  return (
    isRight[sum & 255]! |
    (isRight[256 + ((sum >> 8) & 255)]! << 1) |
    (isRight[512 + ((sum >> 16) & 255)]! << 2) |
    (isRight[768 + (sum >>> 24)]! << 3)
  )
}
