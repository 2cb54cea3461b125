// National numbers with letters in them. Each is checked as the codes of its characters, without separators and in
// capitals, so that no text has to be cut out for a number that turns out to be none.
import { isDate } from './checks.ts'
import { weights } from './weights.ts'

/** The first characters are those of the number; what is behind them is left from others. */
export type Letters = Uint8Array

export type LetterFormat = {
  country: string
  /** The characters that may stand at each place, as the classes of an expression; see `readShape`. */
  shapes: string[]
  /** Other things look like it, so a word of context is needed. */
  isDoubtful: boolean
  fits: (letters: Letters, count: number) => boolean
}

const codesOf = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))

const spanish = codesOf('TRWAGMYFPDXBNJZSQVHLCKE')
const irish = codesOf('WABCDEFGHIJKLMNOPQRSTUV')
const finnish = codesOf('0123456789ABCDEFHJKLMNPRSTUVWXY')
const taiwanese = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'

export const letterFormats: LetterFormat[] = [
  {
    country: 'United Kingdom, National Insurance',
    shapes: ['[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\\d{6}[A-D]'],
    isDoubtful: false,
    fits: (letters) => !britishUnused.has(letters[0]! * 128 + letters[1]!),
  },
  {
    country: 'Spain, DNI',
    shapes: ['\\d{8}[A-Z]'],
    isDoubtful: false,
    fits: (letters) => spanish[numberAt(letters, 0, 8) % 23] === letters[8],
  },
  {
    country: 'Spain, NIE',
    shapes: ['[XYZ]\\d{7}[A-Z]'],
    isDoubtful: false,
    fits: (letters) =>
      spanish[((letters[0]! - 88) * 10_000_000 + numberAt(letters, 1, 7)) % 23] === letters[8],
  },
  {
    country: 'France, NIR of Corsica',
    shapes: ['[12]\\d{4}[2][AB]\\d{8}'],
    isDoubtful: false,
    fits: isCorsican,
  },
  {
    country: 'Italy, codice fiscale',
    shapes: ['[A-Z]{6}[\\dL-NP-V]{2}[A-EHLMPR-T][\\dL-NP-V]{2}[A-Z][\\dL-NP-V]{3}[A-Z]'],
    isDoubtful: false,
    fits: isItalian,
  },
  {
    country: 'China, resident number that ends with X',
    shapes: ['[1-9]\\d{5}[12]\\d{10}X'],
    isDoubtful: false,
    fits(letters) {
      const century = numberAt(letters, 6, 2)
      if (century < 18 || century > 20) return false
      if (!isDate(numberAt(letters, 10, 2), numberAt(letters, 12, 2))) return false
      return weightedAt(letters, 0, weights.china) % 11 === 2
    },
  },
  {
    country: 'Mexico, CURP',
    shapes: ['[A-Z]{4}\\d{6}[HMX][A-Z]{5}[0-9A-Z]\\d'],
    isDoubtful: false,
    fits: isMexican,
  },
  {
    country: 'India, PAN of a person',
    shapes: ['[A-Z]{3}P[A-Z]\\d{4}[A-Z]'],
    isDoubtful: false,
    fits: () => true,
  },
  {
    country: 'India, PAN of others',
    shapes: ['[A-Z]{3}[ABCFGHLJT][A-Z]\\d{4}[A-Z]'],
    isDoubtful: true,
    fits: () => true,
  },
  {
    country: 'Singapore, NRIC and FIN',
    shapes: ['[STFGM]\\d{7}[A-Z]'],
    isDoubtful: false,
    fits: isSingaporean,
  },
  {
    country: 'Taiwan',
    shapes: ['[A-Z][1289]\\d{8}'],
    isDoubtful: true,
    fits(letters) {
      const first = taiwaneseValues[letters[0]!]!
      let sum = Math.floor(first / 10) + (first % 10) * 9
      for (let i = 1; i < 9; i++) sum += (letters[i]! - 48) * (9 - i)
      return (sum + letters[9]! - 48) % 10 === 0
    },
  },
  {
    country: 'Ireland, PPS',
    shapes: ['\\d{7}[A-W]', '\\d{7}[A-W][A-ITWX]'],
    isDoubtful: true,
    fits(letters, count) {
      let sum = 0
      for (let i = 0; i < 7; i++) sum += (letters[i]! - 48) * (8 - i)
      // T, W and X count nothing.
      const second = count === 8 || letters[8]! > 73 ? 0 : letters[8]! - 64
      return irish[(sum + second * 9) % 23] === letters[7]
    },
  },
  {
    country: 'Finland, HETU, its separator left out',
    shapes: ['\\d{9}[0-9A-FHJ-NPR-Y]'],
    isDoubtful: true,
    fits: isFinnish,
  },
  {
    country: 'Germany, pension insurance',
    shapes: ['\\d{8}[A-Z]\\d{3}'],
    isDoubtful: false,
    fits: isGermanPension,
  },
  {
    country: 'Mexico, RFC of a person',
    shapes: ['[A-Z]{4}\\d{6}[\\dA-Z]{2}[\\dA]'],
    isDoubtful: true,
    fits: isMexicanTaxpayer,
  },
]

/** Beginnings that were never given. */
const britishUnused = new Set(
  ['BG', 'GB', 'NK', 'KN', 'TN', 'NT', 'ZZ'].map(
    (letters) => letters.charCodeAt(0) * 128 + letters.charCodeAt(1),
  ),
)

const taiwaneseValues = new Uint8Array(128)
for (let i = 0; i < taiwanese.length; i++) taiwaneseValues[taiwanese.charCodeAt(i)] = i + 10

export function numberAt(letters: Letters, from: number, count: number): number {
  let value = 0
  for (let i = from; i < from + count; i++) value = value * 10 + letters[i]! - 48
  return value
}

function weightedAt(letters: Letters, from: number, by: Int8Array): number {
  let sum = 0
  for (let i = 0; i < by.length; i++) sum += (letters[from + i]! - 48) * by[i]!
  return sum
}

/** Day, month, year, then three digits and a check character over all of them. */
export function isFinnish(letters: Letters): boolean {
  if (!isDate(numberAt(letters, 2, 2), numberAt(letters, 0, 2))) return false
  return finnish[numberAt(letters, 0, 9) % 31] === letters[9]
}

/** Its departments are 2A and 2B, which count as 19 and 18. */
function isCorsican(letters: Letters): boolean {
  const month = numberAt(letters, 3, 2)
  if (!((month >= 1 && month <= 12) || (month >= 20 && month <= 42))) return false
  const department = letters[6] === 65 ? 19 : 18
  const body = numberAt(letters, 0, 5) * 1e8 + department * 1e6 + numberAt(letters, 7, 6)
  return 97 - (body % 97) === numberAt(letters, 13, 2)
}

/** Seven or eight digits and K, which stands for ten. */
export function isChileanK(letters: Letters, count: number): boolean {
  let sum = 0
  for (let i = 0; i < count - 1; i++) sum += (letters[count - 2 - i]! - 48) * (2 + (i % 6))
  return 11 - (sum % 11) === 10
}

/** `A123456(3)` with its check digit in brackets, or A for ten: one or two letters, six digits, the check. */
export function isHongKong(letters: Letters, count: number): boolean {
  const digits = count - 7
  let sum = digits === 2 ? 9 * (letters[0]! - 55) : 9 * 36
  sum += 8 * (letters[digits - 1]! - 55)
  for (let i = 0; i < 6; i++) sum += (7 - i) * (letters[digits + i]! - 48)
  const check = letters[count - 1]!
  return (sum + (check === 65 ? 10 : check - 48)) % 11 === 0
}

const italianOdd = Uint8Array.of(
  ...[1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23],
)

function isItalian(letters: Letters): boolean {
  let sum = 0
  for (let i = 0; i < 15; i++) {
    const code = letters[i]!
    const value = code < 58 ? code - 48 : code - 65
    sum += i % 2 === 0 ? italianOdd[value]! : value
  }
  return 65 + (sum % 26) === letters[15]
}

function isMexican(letters: Letters): boolean {
  if (!isDate(numberAt(letters, 6, 2), numberAt(letters, 8, 2))) return false
  let sum = 0
  for (let i = 0; i < 17; i++) {
    const code = letters[i]!
    // A letter of its own stands between N and O.
    const value = code < 58 ? code - 48 : code < 79 ? code - 55 : code - 54
    sum += value * (18 - i)
  }
  return (10 - (sum % 10)) % 10 === letters[17]! - 48
}

/** An area, the birthday, a letter that counts as two digits, two more and the check digit. */
function isGermanPension(letters: Letters): boolean {
  if (!isDate(numberAt(letters, 4, 2), numberAt(letters, 2, 2))) return false
  let sum = 0
  const add = (value: number, place: number): void => {
    const product = value * weights.germanPension[place]!
    sum += Math.floor(product / 10) + (product % 10)
  }
  for (let i = 0; i < 8; i++) add(letters[i]! - 48, i)
  const letter = letters[8]! - 64
  add(Math.floor(letter / 10), 8)
  add(letter % 10, 9)
  add(letters[9]! - 48, 10)
  add(letters[10]! - 48, 11)
  return sum % 10 === letters[11]! - 48
}

/** Like a CURP, but a sign of its own stands between N and O, and the check is of eleven, with A for ten. */
function isMexicanTaxpayer(letters: Letters): boolean {
  if (!isDate(numberAt(letters, 6, 2), numberAt(letters, 8, 2))) return false
  let sum = 0
  for (let i = 0; i < 12; i++) {
    const code = letters[i]!
    const value = code < 58 ? code - 48 : code < 79 ? code - 55 : code - 54
    sum += value * (13 - i)
  }
  const check = (11 - (sum % 11)) % 11
  return letters[12] === (check === 10 ? 65 : 48 + check)
}

const singaporeanOld = codesOf('JZIHGFEDCBA')
const singaporeanForeign = codesOf('XWUTRQPNMLK')
const singaporeanNew = codesOf('KLJNPQRTUWX')

function isSingaporean(letters: Letters): boolean {
  const sum = weightedAt(letters, 1, weights.singapore)
  switch (letters[0]) {
    case 83:
      return singaporeanOld[sum % 11] === letters[8]
    case 84:
      return singaporeanOld[(sum + 4) % 11] === letters[8]
    case 70:
      return singaporeanForeign[sum % 11] === letters[8]
    case 71:
      return singaporeanForeign[(sum + 4) % 11] === letters[8]
    default:
      // Of this series alone the letters are counted from the other end.
      return singaporeanNew[10 - ((sum + 3) % 11)] === letters[8]
  }
}
