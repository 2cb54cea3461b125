// National numbers with letters in them. Each takes the number without separators, in capitals.
import { isDate } from './checks.ts'
import { weights } from './weights.ts'

export type LetterFormat = {
  country: string
  lengths: number[]
  shape: RegExp
  /** Other things look like it, so a word of context is needed. */
  isDoubtful: boolean
  fits: (text: string) => boolean
}

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** The expressions are anchored and of fixed length, so each looks at every character once. */
export const letterFormats: LetterFormat[] = [
  {
    country: 'United Kingdom, National Insurance',
    lengths: [9],
    shape: /^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/,
    isDoubtful: false,
    fits: (text) => !/^(BG|GB|NK|KN|TN|NT|ZZ)/.test(text),
  },
  {
    country: 'Spain, DNI',
    lengths: [9],
    shape: /^\d{8}[A-Z]$/,
    isDoubtful: false,
    fits: (text) => spanishLetters[Number(text.slice(0, 8)) % 23] === text[8],
  },
  {
    country: 'Spain, NIE',
    lengths: [9],
    shape: /^[XYZ]\d{7}[A-Z]$/,
    isDoubtful: false,
    fits: (text) =>
      spanishLetters[Number('XYZ'.indexOf(text[0]!) + text.slice(1, 8)) % 23] === text[8],
  },
  {
    country: 'Italy, codice fiscale',
    lengths: [16],
    shape: /^[A-Z]{6}[\dL-NP-V]{2}[A-EHLMPR-T][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]$/,
    isDoubtful: false,
    fits: isItalian,
  },
  {
    country: 'China, resident number that ends with X',
    lengths: [18],
    shape: /^[1-9]\d{5}(?:18|19|20)\d{9}X$/,
    isDoubtful: false,
    fits(text) {
      if (!isDate(Number(text.slice(10, 12)), Number(text.slice(12, 14)))) return false
      const sum = weights.china.reduce((total, weight, i) => total + weight * Number(text[i]), 0)
      return sum % 11 === 2
    },
  },
  {
    country: 'Mexico, CURP',
    lengths: [18],
    shape: /^[A-Z]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d$/,
    isDoubtful: false,
    fits: isMexican,
  },
  {
    country: 'India, PAN of a person',
    lengths: [10],
    shape: /^[A-Z]{3}P[A-Z]\d{4}[A-Z]$/,
    isDoubtful: false,
    fits: () => true,
  },
  {
    country: 'India, PAN of others',
    lengths: [10],
    shape: /^[A-Z]{3}[ABCFGHLJT][A-Z]\d{4}[A-Z]$/,
    isDoubtful: true,
    fits: () => true,
  },
  {
    country: 'Singapore, NRIC and FIN',
    lengths: [9],
    shape: /^[STFGM]\d{7}[A-Z]$/,
    isDoubtful: false,
    fits: isSingaporean,
  },
  {
    country: 'Taiwan',
    lengths: [10],
    shape: /^[A-Z][1289]\d{8}$/,
    isDoubtful: true,
    fits(text) {
      const first = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(text[0]!) + 10
      let sum = Math.floor(first / 10) + (first % 10) * 9
      for (let i = 1; i < 9; i++) sum += Number(text[i]) * (9 - i)
      return (sum + Number(text[9])) % 10 === 0
    },
  },
  {
    country: 'Ireland, PPS',
    lengths: [8, 9],
    shape: /^\d{7}[A-W][A-IW]?$/,
    isDoubtful: true,
    fits(text) {
      let sum = 0
      for (let i = 0; i < 7; i++) sum += Number(text[i]) * (8 - i)
      const second = text[8] === undefined || text[8] === 'W' ? 0 : text.charCodeAt(8) - 64
      return 'WABCDEFGHIJKLMNOPQRSTUV'[(sum + second * 9) % 23] === text[7]
    },
  },
  {
    country: 'Finland, HETU, its separator left out',
    lengths: [10],
    shape: /^\d{9}[0-9A-FHJ-NPR-Y]$/,
    isDoubtful: true,
    fits: isFinnish,
  },
]

/** Day, month, year, then three digits and a check character over all of them. */
export function isFinnish(text: string): boolean {
  if (!isDate(Number(text.slice(2, 4)), Number(text.slice(0, 2)))) return false
  return '0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(text.slice(0, 9)) % 31] === text[9]
}

/** Seven or eight digits and K, which stands for ten. */
export function isChileanK(text: string): boolean {
  let sum = 0
  for (let i = 0; i < text.length - 1; i++) sum += Number(text[text.length - 2 - i]) * (2 + (i % 6))
  return 11 - (sum % 11) === 10
}

/** `A123456(3)` with its check digit in brackets, or A for ten. */
export function isHongKong(letters: string, digits: string, check: string): boolean {
  const padded = letters.padStart(2, ' ')
  let sum = 0
  for (let i = 0; i < 2; i++) {
    sum += (9 - i) * (padded[i] === ' ' ? 36 : padded.charCodeAt(i) - 55)
  }
  for (let i = 0; i < 6; i++) sum += (7 - i) * Number(digits[i])
  return (sum + (check === 'A' ? 10 : Number(check))) % 11 === 0
}

const italianOdd = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]

function isItalian(text: string): boolean {
  let sum = 0
  for (let i = 0; i < 15; i++) {
    const code = text.charCodeAt(i)
    const value = code < 58 ? code - 48 : code - 65
    sum += i % 2 === 0 ? italianOdd[value]! : value
  }
  return String.fromCharCode(65 + (sum % 26)) === text[15]
}

function isMexican(text: string): boolean {
  if (!isDate(Number(text.slice(6, 8)), Number(text.slice(8, 10)))) return false
  let sum = 0
  for (let i = 0; i < 17; i++) {
    sum += '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'.indexOf(text[i]!) * (18 - i)
  }
  return (10 - (sum % 10)) % 10 === Number(text[17])
}

function isSingaporean(text: string): boolean {
  const series = text[0]!
  let sum = { S: 0, T: 4, F: 0, G: 4, M: 3 }[series]!
  for (let i = 0; i < 7; i++) sum += weights.singapore[i]! * Number(text[i + 1])
  if (series === 'M') return 'XWUTRQPNJLK'[10 - (sum % 11)] === text[8]
  const letters = series === 'S' || series === 'T' ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK'
  return letters[sum % 11] === text[8]
}
