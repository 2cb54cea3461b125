// Checks that only the numbers of one country have, beyond those in checks.ts.
import { type Digits, isDate, numberAt, passesLuhn, weighted } from './checks.ts'
import { weights } from './weights.ts'

/** The governorates, and 88 for those born abroad. */
export function isEgyptian(place: number): boolean {
  return (place >= 1 && place <= 35) || place === 88
}

/** People and companies of Argentina begin with these. */
export const argentineSorts = new Set([20, 23, 24, 27, 30, 33, 34])

export function isCentury(digits: Digits, from = 0): boolean {
  const century = numberAt(digits, from, 2)
  return century >= 18 && century <= 20
}

export function isSwedish(digits: Digits, from: number): boolean {
  const day = numberAt(digits, from + 4, 2)
  // Numbers for people who are not registered have 60 added to the day.
  const isBirthday = isDate(numberAt(digits, from + 2, 2), day > 60 ? day - 60 : day)
  return isBirthday && passesLuhn(digits, 10, from)
}

export function brazilian(digits: Digits, weights: Int8Array): number {
  const rest = weighted(digits, weights) % 11
  return rest < 2 ? 0 : 11 - rest
}

/** One digit twice or three times among the first ten, all others at most once. */
export function repeatsOneDigit(digits: Digits): boolean {
  // A bit for each digit that was there once, twice and three times.
  let once = 0
  let twice = 0
  let thrice = 0
  for (let i = 0; i < 10; i++) {
    const bit = 1 << digits[i]!
    if ((thrice & bit) !== 0) return false
    thrice |= twice & bit
    twice |= once & bit
    once |= bit
  }
  return twice !== 0 && (twice & (twice - 1)) === 0
}

/** Seven or eight digits and the check digit; what is left of shorter numbers in the array is never reached. */
export function isChilean(digits: Digits, count: number): boolean {
  let sum = 0
  for (let i = 0; i < count - 1; i++) sum += digits[count - 2 - i]! * (2 + (i % 6))
  return (11 - (sum % 11)) % 11 === digits[count - 1]
}

/** A region, then the birthday, with 40 added to the day for women. */
export function isIndonesian(digits: Digits): boolean {
  const day = numberAt(digits, 6, 2)
  return digits[0] !== 0 && isDate(numberAt(digits, 8, 2), day > 40 ? day - 40 : day)
}

/** The number of the social insurance, SNILS. */
export function isRussianInsured(digits: Digits): boolean {
  return (weighted(digits, weights.russia) % 101) % 100 === numberAt(digits, 9, 2)
}

/** The number of taxes, INN, of a person. */
export function isRussianTaxpayer(digits: Digits): boolean {
  return (
    (weighted(digits, weights.russiaFirst) % 11) % 10 === digits[10] &&
    (weighted(digits, weights.russiaSecond) % 11) % 10 === digits[11]
  )
}
