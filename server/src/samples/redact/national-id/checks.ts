// Check digits and dates that the numbering schemes of many countries share.

/** The first digits of a number. */
export type Digits = Uint8Array

const doubled = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9)

export function passesLuhn(digits: Digits, count: number, from = 0): boolean {
  let sum = 0
  for (let i = from + count - 1; i >= from; i -= 2) sum += digits[i]!
  for (let i = from + count - 2; i >= from; i -= 2) sum += doubled[digits[i]!]!
  return sum % 10 === 0
}

export function weighted(digits: Digits, weights: Int8Array): number {
  let sum = 0
  for (let i = 0; i < weights.length; i++) sum += digits[i]! * weights[i]!
  return sum
}

const turn = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
  [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
  [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
  [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
  [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
  [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
  [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
]

/** The multiplication of the symmetries of a pentagon. */
function dihedral(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b - 5) % 5)
  return b < 5 ? 5 + ((a - 5 - b + 5) % 5) : (a - b + 5) % 5
}

/** What a check becomes with two digits, by the place of the first: the places, the check and the digits are its index. */
const checked = new Uint8Array(4 * 4096)
for (let place = 0; place < 8; place += 2) {
  for (let check = 0; check < 10; check++) {
    for (let value = 0; value < 100; value++) {
      const [first, second] = [value % 10, Math.floor(value / 10)]
      const half = dihedral(check, turn[place]![first]!)
      const index = place * 2048 + check * 256 + first * 16 + second
      checked[index] = dihedral(half, turn[place + 1]![second]!)
    }
  }
}

/** For an even number of digits. */
export function passesVerhoeff(digits: Digits, count: number): boolean {
  let check = 0
  for (let i = 0; i < count; i += 2) {
    const pair = (digits[count - 1 - i]! << 4) | digits[count - 2 - i]!
    check = checked[((i & 7) << 11) | (check << 8) | pair]!
  }
  return check === 0
}

/** ISO 7064, modulo 11 with 10. */
export function passesMod1110(digits: Digits, count: number): boolean {
  let product = 10
  for (let i = 0; i < count - 1; i++) {
    const sum = (digits[i]! + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === digits[count - 1]!
}

export function numberAt(digits: Digits, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) value = value * 10 + digits[i]!
  return value
}

/** By the month, for any number of two digits. */
const daysIn = new Uint8Array(100)
daysIn.set([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], 1)

export function isDate(month: number, day: number): boolean {
  return day >= 1 && day <= daysIn[month]!
}

export function isYearMonthDay(digits: Digits, from = 0): boolean {
  return isDate(numberAt(digits, from + 2, 2), numberAt(digits, from + 4, 2))
}

export function isDayMonthYear(digits: Digits): boolean {
  return isDate(numberAt(digits, 2, 2), numberAt(digits, 0, 2))
}

export function isOneDigit(digits: Digits, count: number): boolean {
  for (let i = 1; i < count; i++) if (digits[i] !== digits[0]) return false
  return true
}

const centuries = [19, 20]

/** Three groups of four that are all years or round numbers, as the heads and steps of tables are. */
export function areYearsOrRound(digits: Digits): boolean {
  for (let at = 0; at < 12; at += 4) {
    const hundreds = digits[at]! * 10 + digits[at + 1]!
    const rest = digits[at + 2]! * 10 + digits[at + 3]!
    if (rest !== 0 && !centuries.includes(hundreds)) return false
  }
  return true
}
