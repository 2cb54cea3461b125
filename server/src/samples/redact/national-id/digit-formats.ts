// National numbers that are all digits, by the ways they are written. A way that other things share (a bare run of
// digits, groups of three) counts only near a word that says what it is; a way of its own counts by itself.
import {
  areYearsOrRound,
  type Digits,
  isDate,
  isDayMonthYear,
  isOneDigit,
  isYearMonthDay,
  numberAt,
  passesLuhn,
  passesMod1110,
  passesVerhoeff,
  weighted,
} from './checks.ts'
import {
  argentineSorts,
  brazilian,
  isCentury,
  isChilean,
  isEgyptian,
  isIndonesian,
  isRussianInsured,
  isRussianTaxpayer,
  isSwedish,
  repeatsOneDigit,
} from './country-checks.ts'
import { type DigitSum, luhnSum, weightedSum, withCheck } from './digit-sums.ts'
import { weights } from './weights.ts'

export type DigitFormat = {
  country: string
  /** Sizes of the groups with the separators between: `3-2-4`. */
  sure: string[]
  /** The same, where a word of context is needed. */
  doubtful: string[]
  fits: (digits: Digits, count: number) => boolean
  /** What a number that fits must add up to; left out where it is no sum. */
  sum?: DigitSum
}

const luhn9 = luhnSum(9)
const luhn10 = luhnSum(10)

export const digitFormats: DigitFormat[] = [
  {
    country: 'United States, SSN and ITIN',
    sure: ['3-2-4'],
    doubtful: ['9', '3 2 4', '3.2.4'],
    fits(digits) {
      const [area, group, serial] = [
        numberAt(digits, 0, 3),
        numberAt(digits, 3, 2),
        numberAt(digits, 5, 4),
      ]
      if (area === 0 || area === 666 || serial === 0 || group === 0) return false
      return area < 900 || group >= 50
    },
  },
  {
    country: 'Canada, SIN',
    sure: ['3-3-3'],
    doubtful: ['9', '3 3 3'],
    fits: (digits) => digits[0] !== 0 && digits[0] !== 8 && passesLuhn(digits, 9),
    sum: luhn9,
  },
  {
    country: 'Canada, SIN of the samples that begin with 0',
    sure: [],
    doubtful: ['9', '3 3 3', '3-3-3'],
    fits: (digits) => digits[0] === 0 && !isOneDigit(digits, 9) && passesLuhn(digits, 9),
    sum: luhn9,
  },
  {
    country: 'Germany, tax number',
    sure: ['2 3 3 3'],
    doubtful: ['11'],
    fits(digits) {
      return digits[0] !== 0 && passesMod1110(digits, 11) && repeatsOneDigit(digits)
    },
  },
  {
    country: 'France, NIR',
    sure: ['15', '1 2 2 2 3 3 2', '13 2'],
    doubtful: ['1.2.2.2.3.3.2', '1-2-2-2-3-3-2'],
    fits(digits) {
      const month = numberAt(digits, 3, 2)
      if (digits[0] !== 1 && digits[0] !== 2) return false
      if (!((month >= 1 && month <= 12) || (month >= 20 && month <= 42))) return false
      return 97 - (numberAt(digits, 0, 13) % 97) === numberAt(digits, 13, 2)
    },
  },
  {
    country: 'Netherlands, BSN',
    sure: ['4.2.3'],
    doubtful: ['9', '3 3 3', '4 2 3', '3.3.3'],
    fits: (digits) => !isOneDigit(digits, 9) && weighted(digits, weights.netherlands) % 11 === 0,
    sum: weightedSum(weights.netherlands, 11),
  },
  {
    country: 'Belgium',
    sure: ['2.2.2-3.2'],
    doubtful: ['11', '6-3-2', '6 3 2', '2 2 2 3 2'],
    fits(digits) {
      // Numbers for people who are not registered have 20 or 40 added to the month.
      if (!isDate(numberAt(digits, 2, 2) % 20, numberAt(digits, 4, 2))) return false
      const check = numberAt(digits, 9, 2)
      const body = numberAt(digits, 0, 9)
      return 97 - (body % 97) === check || 97 - ((2_000_000_000 + body) % 97) === check
    },
  },
  {
    country: 'Sweden, personal number',
    sure: ['6-4'],
    doubtful: ['10', '6 4'],
    fits: (digits) => isSwedish(digits, 0),
    sum: luhn10,
  },
  {
    country: 'Sweden, personal number with century',
    sure: ['8-4'],
    doubtful: ['12', '8 4'],
    fits: (digits) => isCentury(digits) && isSwedish(digits, 2),
  },
  {
    country: 'Norway, birth number',
    sure: ['11', '6 5'],
    doubtful: ['6-5'],
    fits(digits) {
      const day = numberAt(digits, 0, 2)
      if (!isDate(numberAt(digits, 2, 2) % 40, day > 40 ? day - 40 : day)) return false
      return (
        weighted(digits, weights.norwayFirst) % 11 === 0 &&
        weighted(digits, weights.norwaySecond) % 11 === 0
      )
    },
    sum: weightedSum(weights.norwayFirst, 11),
  },
  {
    country: 'Denmark, CPR with the check digit of before 2007',
    sure: ['6-4'],
    doubtful: [],
    fits: (digits) => isDayMonthYear(digits) && weighted(digits, weights.denmark) % 11 === 0,
    sum: weightedSum(weights.denmark, 11),
  },
  {
    country: 'Denmark, CPR',
    sure: [],
    doubtful: ['6-4', '10', '6 4'],
    fits: isDayMonthYear,
  },
  {
    country: 'Poland, PESEL',
    sure: [],
    doubtful: ['11'],
    fits(digits) {
      if (!isDate(numberAt(digits, 2, 2) % 20, numberAt(digits, 4, 2))) return false
      return weighted(digits, weights.poland) % 10 === 0
    },
    sum: weightedSum(weights.poland, 10),
  },
  {
    country: 'Portugal, NIF',
    sure: [],
    doubtful: ['9', '3 3 3', '3.3.3'],
    fits(digits) {
      if (digits[0] === 0 || digits[0] === 4) return false
      const rest = weighted(digits, weights.portugal) % 11
      return digits[8] === (rest < 2 ? 0 : 11 - rest)
    },
    sum: weightedSum(withCheck(weights.portugal, 1), 11, [0, 1]),
  },
  {
    country: 'Brazil, CPF',
    sure: ['3.3.3-2'],
    doubtful: ['11', '3 3 3 2', '3.3.3.2', '9-2'],
    fits: (digits) =>
      !isOneDigit(digits, 11) &&
      brazilian(digits, weights.brazilPersonFirst) === digits[9] &&
      brazilian(digits, weights.brazilPersonSecond) === digits[10],
    sum: weightedSum(withCheck(weights.brazilPersonFirst, 1), 11, [0, 1]),
  },
  {
    country: 'Brazil, CNPJ',
    sure: ['2.3.3/4-2'],
    doubtful: ['14', '8/4-2'],
    fits: (digits) =>
      !isOneDigit(digits, 14) &&
      brazilian(digits, weights.brazilCompanyFirst) === digits[12] &&
      brazilian(digits, weights.brazilCompanySecond) === digits[13],
  },
  {
    country: 'India, Aadhaar',
    sure: ['4 4 4', '4-4-4'],
    doubtful: ['12'],
    fits: (digits) =>
      digits[0]! >= 2 &&
      !isOneDigit(digits, 12) &&
      passesVerhoeff(digits, 12) &&
      !areYearsOrRound(digits),
  },
  {
    country: 'China, resident number',
    sure: ['18', '6 8 4'],
    doubtful: ['6-8-4'],
    fits(digits) {
      if (!isCentury(digits, 6) || !isYearMonthDay(digits, 8) || digits[0] === 0) return false
      return weighted(digits, weights.china) % 11 === (12 - digits[17]!) % 11
    },
  },
  {
    country: 'South Korea, resident registration',
    sure: ['6-7'],
    doubtful: [],
    // Numbers given since 2020 have no check digit.
    fits: (digits) => isYearMonthDay(digits) && digits[6]! >= 1 && digits[6]! <= 8,
  },
  {
    country: 'South Korea, resident registration with check digit',
    sure: [],
    doubtful: ['13', '6 7'],
    fits: (digits) =>
      isYearMonthDay(digits) &&
      (11 - (weighted(digits, weights.southKorea) % 11)) % 10 === digits[12],
    sum: weightedSum(withCheck(weights.southKorea, 1), 11, [0, 1]),
  },
  {
    country: 'Turkey',
    sure: [],
    doubtful: ['11', '3 3 3 2', '3 3 2 3'],
    fits(digits) {
      const odd = weighted(digits, weights.turkeyOdd)
      const even = weighted(digits, weights.turkeyEven)
      const tenth = (((odd * 7 - even) % 10) + 10) % 10
      return digits[0] !== 0 && tenth === digits[9] && (odd + even + tenth) % 10 === digits[10]
    },
  },
  {
    country: 'South Africa',
    sure: ['6 4 3', '6 4 2 1'],
    doubtful: ['13'],
    fits: (digits) => isYearMonthDay(digits) && digits[10]! < 3 && passesLuhn(digits, 13),
    sum: luhnSum(13),
  },
  {
    country: 'Australia, tax file number',
    sure: [],
    doubtful: ['9', '3 3 3', '3-3-3'],
    fits: (digits) => !isOneDigit(digits, 9) && weighted(digits, weights.australia) % 11 === 0,
    sum: weightedSum(weights.australia, 11),
  },
  {
    country: 'Switzerland, AHV',
    sure: ['3.4.4.2', '13', '3 4 4 2'],
    doubtful: [],
    fits: (digits) =>
      numberAt(digits, 0, 3) === 756 && weighted(digits, weights.switzerland) % 10 === 0,
    sum: weightedSum(weights.switzerland, 10),
  },
  {
    country: 'Austria, social insurance',
    sure: [],
    doubtful: ['10', '4 6', '4-6'],
    fits: (digits) =>
      isDate(numberAt(digits, 6, 2), numberAt(digits, 4, 2)) &&
      weighted(digits, weights.austria) % 11 === digits[3],
  },
  {
    country: 'Czechia and Slovakia, birth number',
    sure: ['6/4'],
    doubtful: ['10'],
    fits(digits) {
      const month = numberAt(digits, 2, 2) % 50
      if (!isDate(month > 20 ? month - 20 : month, numberAt(digits, 4, 2))) return false
      return numberAt(digits, 0, 10) % 11 === 0
    },
  },
  {
    country: 'Romania, CNP',
    sure: [],
    doubtful: ['13'],
    fits(digits) {
      if (digits[0] === 0 || !isYearMonthDay(digits, 1)) return false
      const rest = weighted(digits, weights.romania) % 11
      return digits[12] === (rest === 10 ? 1 : rest)
    },
    sum: weightedSum(withCheck(weights.romania, -1), 11, [0, 9]),
  },
  {
    country: 'Bulgaria, EGN',
    sure: [],
    doubtful: ['10'],
    fits: (digits) =>
      isDate(numberAt(digits, 2, 2) % 20, numberAt(digits, 4, 2)) &&
      (weighted(digits, weights.bulgaria) % 11) % 10 === digits[9],
    sum: weightedSum(withCheck(weights.bulgaria, -1), 11, [0, 10]),
  },
  {
    country: 'Japan, My Number',
    sure: [],
    doubtful: ['12', '4 4 4', '4-4-4'],
    fits(digits) {
      const rest = weighted(digits, weights.japan) % 11
      return !isOneDigit(digits, 12) && digits[11] === (rest < 2 ? 0 : 11 - rest)
    },
    sum: weightedSum(withCheck(weights.japan, 1), 11, [0, 1]),
  },
  {
    country: 'Israel',
    sure: [],
    doubtful: ['9', '8-1'],
    fits: (digits) => !isOneDigit(digits, 9) && passesLuhn(digits, 9),
    sum: luhn9,
  },
  {
    country: 'Thailand',
    sure: ['1-4-5-2-1', '1 4 5 2 1'],
    doubtful: ['13'],
    fits: (digits) =>
      digits[0] !== 0 && (11 - (weighted(digits, weights.thailand) % 11)) % 10 === digits[12],
    sum: weightedSum(withCheck(weights.thailand, 1), 11, [0, 1]),
  },
  {
    country: 'Malaysia',
    sure: ['6-2-4'],
    doubtful: ['12'],
    fits: (digits) => isYearMonthDay(digits) && numberAt(digits, 6, 2) > 0,
  },
  {
    country: 'Chile, RUT that ends with a digit',
    sure: ['2.3.3-1', '1.3.3-1'],
    doubtful: [],
    fits: isChilean,
  },
  {
    country: 'Argentina, CUIL',
    sure: ['2-8-1'],
    doubtful: ['11'],
    fits: (digits) =>
      argentineSorts.has(numberAt(digits, 0, 2)) && weighted(digits, weights.argentina) % 11 === 0,
    sum: weightedSum(weights.argentina, 11),
  },
  {
    country: 'United Kingdom, NHS number',
    sure: [],
    doubtful: ['10', '3 3 4', '3-3-4'],
    fits: (digits) => !isOneDigit(digits, 10) && weighted(digits, weights.britain) % 11 === 0,
    sum: weightedSum(weights.britain, 11),
  },
  {
    country: 'Russia, SNILS',
    sure: ['3-3-3 2'],
    doubtful: ['3-3-3-2'],
    fits: (digits) => !isOneDigit(digits, 11) && isRussianInsured(digits),
  },
  {
    country: 'Russia, INN of a person',
    sure: [],
    doubtful: ['12'],
    fits: (digits) => !isOneDigit(digits, 12) && isRussianTaxpayer(digits),
  },
  {
    country: 'Egypt',
    sure: [],
    doubtful: ['14'],
    fits: (digits) =>
      (digits[0] === 2 || digits[0] === 3) &&
      isYearMonthDay(digits, 1) &&
      isEgyptian(numberAt(digits, 7, 2)),
  },
  {
    country: 'Indonesia, NIK',
    sure: [],
    doubtful: ['16'],
    fits: isIndonesian,
  },
  {
    country: 'Pakistan, CNIC',
    sure: ['5-7-1'],
    doubtful: [],
    fits: (digits) => digits[0]! >= 1 && digits[0]! <= 7 && !isOneDigit(digits, 13),
  },
  {
    country: 'Philippines, SSS',
    sure: [],
    doubtful: ['2-7-1'],
    fits: (digits) => !isOneDigit(digits, 10),
  },
]
